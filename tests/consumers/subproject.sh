# A project has the library as a meson subproject.
source "$(dirname "${BASH_SOURCE[0]}")/fresh.bash"
cp "$(dirname "${BASH_SOURCE[0]}")/subproject/meson.build" "$work"
mkdir "$work/subprojects"
ln -s "$repository" "$work/subprojects/libpte"
meson setup "$work/build" "$work"
ninja -C "$work/build"
"$work/build/consumer"
