// Permissions: what the MMU lets an access do through a leaf, and what an operating system means by it.
#pragma once

#include <pte/word/word.hpp>

namespace pte {

// What the MMU permits through a hardware-valid leaf, upper levels permitting. It depends on control registers, so on
// the machine value. Protection keys are checked per access and not part of it.
template <word W>
struct permissions {
  truth<W> user_read;
  truth<W> user_write;
  truth<W> user_exec;
  truth<W> kernel_read;
  truth<W> kernel_write;
  truth<W> kernel_exec;
};

// What the operating system means by an entry: may the page be read, written, executed by the one it is for (user
// programs if `user`, else the kernel). On arm64 `write` is the logical permission (bit 51): a clean page may be
// writable here and read-only to an MMU without hardware dirty bits.
template <word W>
struct access {
  truth<W> read;
  truth<W> write;
  truth<W> exec;
  truth<W> user;
};

// The rights to build an entry with. read = write = exec = false is PROT_NONE.
struct rights {
  bool read = false;
  bool write = false;
  bool exec = false;
  bool user = true;
};

}  // namespace pte
