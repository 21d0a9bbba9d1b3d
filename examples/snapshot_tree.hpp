// The tree of a snapshot, of whichever kind it is.
#pragma once

#include <memory>

#include "input_error.hpp"
#include "make_tree.hpp"
#include "snapshot.hpp"
#include "snapshot_machine.hpp"
#include "tree.hpp"

namespace pte::examples {

// The snapshot must outlive the tree. Throws input_error if it is of no known kind, or its roots are not in it.
inline std::unique_ptr<tree> tree_of_snapshot(const snapshot& s) {
  std::unique_ptr<tree> t = make_tree(spec_of(s.truth), facts_of(s.truth), s.tables, s.truth.file);
  check_roots(s, *t);
  return t;
}

}  // namespace pte::examples
