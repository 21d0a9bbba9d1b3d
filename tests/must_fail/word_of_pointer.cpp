// expect: word
// expect: any
// A pointer is no word: it has no bits to ask about.
#include <pte/word/word.hpp>

bool f(const char* p) { return pte::any(p, 1); }
