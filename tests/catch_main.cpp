// Catch2's main, compiled for foreign architectures only: for this one, Catch2 has it prebuilt.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
