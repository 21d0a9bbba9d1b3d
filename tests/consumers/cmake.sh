# A project finds the installed library through CMake's find_package.
source "$(dirname "${BASH_SOURCE[0]}")/fresh.bash"
install_libpte
cp "$(dirname "${BASH_SOURCE[0]}")/cmake/CMakeLists.txt" "$work"
cmake -G Ninja -DCMAKE_PREFIX_PATH="$work/usr" -S "$work" -B "$work/build"
cmake --build "$work/build" --verbose
"$work/build/consumer"
