# Shared by tests/run, examples/run and .ci/run, which source it: Debian packages and build directories.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What each command needs. `a|b`: either will do, and a is what gets installed.
packages_to_build=(
  g++ meson ninja-build cmake 'pkg-config|pkgconf' python3
  'libboost1.81-dev|libboost1.74-dev' libcli11-dev libelf-dev libfmt-dev librange-v3-dev nlohmann-json3-dev zlib1g-dev
)
packages_to_test=(
  catch2 libbenchmark-dev librapidcheck-dev libz3-dev binutils
  g++-{aarch64,powerpc64le,powerpc64,riscv64,s390x}-linux-gnu qemu-user
)
# Not every system has all of these compilers; those that it has are tested. (clang 14 crashes in our concepts.)
packages_to_compare=(clang-16 libclang-rt-16-dev clang-19 libclang-rt-19-dev)

# missing_packages PACKAGE...: prints those that are not installed.
missing_packages() {
  local want name installed
  installed=" $(dpkg-query -W -f '${Package} ${db:Status-Status}\n' | sed -n 's/ installed$//p' | tr '\n' ' ')"
  for want in "$@"; do
    for name in ${want//|/ }; do
      [[ $installed == *" $name "* ]] && continue 2
    done
    echo "${want%%|*}"
  done
}

# need_packages PACKAGE...: installs what is missing, or says what to install and ends with status 2.
need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not Debian: please see to it yourself that there is what these packages hold: $*" >&2
    return
  fi
  local missing
  missing=$(missing_packages "$@" | xargs)
  if [[ -z $missing ]]; then return; fi
  if [[ $(id -u) != 0 ]]; then
    printf 'Some Debian packages are missing. Please run:\n  sudo apt-get install %s\n' "$missing" >&2
    exit 2
  fi
  echo "Installing $missing" >&2
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086  # a list of words
  if ! { apt-get -q update && apt-get -q -y --no-install-recommends install $missing; } >&2; then
    printf 'apt-get failed. These Debian packages are missing: %s\n' "$missing" >&2
    exit 2
  fi
}

# offered_packages PACKAGE...: prints those that are installed or that apt-get could install.
offered_packages() {
  local name
  for name in "$@"; do
    if [[ -z $(missing_packages "$name") ]] || apt-cache show "$name" >/dev/null 2>&1; then echo "$name"; fi
  done
}

# set_up DIRECTORY [MESON OPTION...]: the build directory is there, and knows all files that tests/list.py finds.
# Without options, those of the last time.
set_up() {
  local dir=$1 state options action=()
  shift
  mkdir -p "$dir" || return
  (
    flock 9  # two people may call this at once
    if [[ $# == 0 && -s $dir/set-up.options ]]; then
      mapfile -t options <"$dir/set-up.options"
      set -- "${options[@]}"
    fi
    state=$(printf '%s\n' "$@" && "$root/tests/list.py") || exit
    if [[ -f $dir/build.ninja ]]; then
      if [[ -f $dir/set-up && $(<"$dir/set-up") == "$state" ]]; then exit; fi
      action=(--reconfigure)
    fi
    rm -f "$dir/set-up"
    echo "Setting up $dir"
    meson setup "${action[@]}" "$@" "$dir" "$root" >"$dir/set-up.log" 2>&1 || { cat "$dir/set-up.log"; exit 1; }
    printf '%s\n' "$@" >"$dir/set-up.options"
    echo "$state" >"$dir/set-up"
  ) 9>"$dir/set-up.lock"
}
