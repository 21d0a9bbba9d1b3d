// The core compiles with -ffreestanding -fno-exceptions -fno-rtti -nostdlib (tests/meson.build).
#include <pte/pte.hpp>

#if __STDC_HOSTED__ || defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "compiled without the options that this test is about"
#endif
