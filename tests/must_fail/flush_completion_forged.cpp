// expect: private
// Only a request that was run makes a completed_flush.
#include <pte/tlb/request.hpp>

#include <span>

pte::completed_flush<> forge(std::span<pte::frame_run> frames) { return pte::completed_flush<>(frames); }
