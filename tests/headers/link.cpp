// Two translation units that include every public header link into one program: nothing is defined twice. This file is
// both of them; meson compiles it with and without OTHER.
#include "everything.hpp"

int other();

#ifdef OTHER
int other() { return 0; }
#else
int main() { return other(); }
#endif
