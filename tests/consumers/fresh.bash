# Sourced by the consumer tests: a folder outside the repository, with the consumer's main.cpp in it, and a function
# that installs libpte to its usr/.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$repository/tests/consumers/main.cpp" "$work"

install_libpte() {
  meson setup -Dtests=false -Dexamples=false --prefix="$work/usr" "$work/libpte" "$repository"
  meson install -C "$work/libpte"
}
