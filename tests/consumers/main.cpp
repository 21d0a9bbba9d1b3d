#include <pte/pte.hpp>

constexpr pte::field dirty{"dirty", pte::bit(6), pte::set_by::hardware, "written to"};

int main() { return dirty.in(dirty.set(pte::bit(0))) ? 0 : 1; }
