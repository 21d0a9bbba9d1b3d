# A project finds the installed library through pkg-config.
source "$(dirname "${BASH_SOURCE[0]}")/fresh.bash"
install_libpte
export PKG_CONFIG_PATH=$work/usr/share/pkgconfig
pkg-config --exists 'libpte >= 0.1'
read -r -a flags < <(pkg-config --cflags libpte)
[[ ${flags[*]} == *"$work"* ]]
"${CXX:-g++}" -std=c++20 "${flags[@]}" "$work/main.cpp" -o "$work/consumer"
"$work/consumer"
