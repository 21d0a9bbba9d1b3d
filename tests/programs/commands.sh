# What tests/run, examples/run and their tests/setup.sh do when something is missing or misspelt.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../setup.sh"
passed=0 failed=0

# check WHAT STATUS TEXT COMMAND...: the command ends with that status and prints that text on stderr.
check() {
  local what=$1 status=$2 text=$3 got errors
  shift 3
  errors=$("$@" 2>&1 >/dev/null)
  got=$?
  if [[ $got == "$status" && $errors == *"$text"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s: status %s, expected %s; stderr lacks "%s":\n%s\n' "$what" "$got" "$status" "$text" "$errors"
  fi
}

check 'unknown option' 2 'unknown option --quick' "$root/tests/run" --quick
check 'option without its value' 2 '--only needs a pattern' "$root/tests/run" --only
check 'unknown example' 2 "There is no example 'nonesuch'. There are: " "$root/examples/run" nonesuch
check 'no example by a path' 2 "There is no example '../run'" "$root/examples/run" ../run
check 'help' 0 '' "$root/tests/run" --help

# In place of Debian's commands, functions: bash and grep are installed, nothing else is; who asks is root or not.
dpkg-query() { printf 'bash installed\ngrep installed\nsed config-files\n'; }
apt-get() { echo "apt-get $*" >&2; [[ $* != *broken* ]]; }
id() { echo "$user"; }
need() { (need_packages "$@"); }

user=1000
check 'nothing is missing' 0 '' need bash 'mawk|grep'
check 'not root: says what to install' 2 'sudo apt-get install sed mawk' need bash sed 'mawk|gawk'
user=0
check 'root: installs it' 0 'install sed mawk' need bash sed 'mawk|gawk'
check 'apt-get fails' 2 'These Debian packages are missing: broken' need broken
if [[ -n $(need bash grep 2>&1) ]]; then echo 'FAILED: talks though nothing is missing'; failed=$((failed + 1)); else passed=$((passed + 1)); fi

echo "$passed passed, $failed failed"
