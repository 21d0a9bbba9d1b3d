// Images of physical memory: a flat file, or an ELF core file as QEMU's dump-guest-memory writes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gelf.h>

#include "file_bytes.hpp"
#include "input_error.hpp"
#include "segment_memory.hpp"

namespace pte::examples {

// A file that is read where it lies; large images are not copied.
class mapped_file {
 public:
  explicit mapped_file(const std::string& name) {
    const input_file file(name);
    if (file.size() == 0) throw input_error(name, "", "the file is empty");
    if (file.size() > SIZE_MAX) throw input_error(name, "", "larger than this program's address space");
    size_ = static_cast<std::size_t>(file.size());
    void* const at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (at == MAP_FAILED) throw input_error(name, "", std::strerror(errno));
    data_ = static_cast<std::byte*>(at);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() { ::munmap(data_, size_); }

  std::span<const std::byte> data() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

inline bool is_elf(std::span<const std::byte> data) {
  return data.size() >= SELFMAG && std::memcmp(data.data(), ELFMAG, SELFMAG) == 0;
}

// The segments of an ELF core file: PT_LOAD, by physical address. Throws input_error; `file` is for messages.
inline std::vector<segment> elf_segments(std::span<const std::byte> data, const std::string& file) {
  const auto fail = [&](std::string_view where, std::string_view rule) { throw input_error(file, where, rule); };
  if (elf_version(EV_CURRENT) == EV_NONE) fail("", "libelf is too old");
  // libelf wants to be able to write; opened so, it does not.
  char* const image = const_cast<char*>(reinterpret_cast<const char*>(data.data()));
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_memory(image, data.size()), &elf_end);
  if (!elf) fail("", fmt::format("bad ELF file: {}", elf_errmsg(-1)));
  GElf_Ehdr header;
  if (gelf_getclass(elf.get()) != ELFCLASS64 || gelf_getehdr(elf.get(), &header) == nullptr)
    fail("ELF header", "not an ELF file of 64 bits");
  if (header.e_type != ET_CORE) fail("ELF header", fmt::format("e_type {}: not a core file", header.e_type));
  std::size_t count = 0;
  if (elf_getphdrnum(elf.get(), &count) != 0) fail("ELF header", fmt::format("no program headers: {}", elf_errmsg(-1)));
  if (count > data.size() / sizeof(Elf64_Phdr))
    fail("ELF header", fmt::format("{} program headers do not fit into the file", count));

  std::vector<segment> segments;
  for (std::size_t i = 0; i != count; ++i) {
    const std::string where = fmt::format("program header {}", i);
    GElf_Phdr p;
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &p) == nullptr) fail(where, elf_errmsg(-1));
    if (p.p_type != PT_LOAD || p.p_filesz == 0) continue;
    if (p.p_offset > data.size() || p.p_filesz > data.size() - p.p_offset)
      fail(where, fmt::format("{:#x} bytes at offset {:#x} are beyond the end of the file", p.p_filesz, p.p_offset));
    if (p.p_paddr + (p.p_filesz - 1) < p.p_paddr)
      fail(where, fmt::format("physical address {:#x} + {:#x} wraps around", p.p_paddr, p.p_filesz));
    segments.push_back(
        {{p.p_paddr}, data.subspan(static_cast<std::size_t>(p.p_offset), static_cast<std::size_t>(p.p_filesz))});
  }
  if (segments.empty()) fail("", "the core file has no memory: no PT_LOAD segment with contents");
  return segments;
}

// The memory of an image: an ELF core if the data begins so, else one segment at `base`. `data` must outlive it.
inline segment_memory image_memory(std::span<const std::byte> data, std::uint64_t base, std::endian order,
                                   const std::string& file) {
  if (is_elf(data)) {
    if (base != 0)
      throw input_error(file, "", "an ELF core file says itself where its memory lies: --base is for flat images");
    return {elf_segments(data, file), order};
  }
  if (data.empty()) throw input_error(file, "", "the file is empty");
  if (base + (data.size() - 1) < base)
    throw input_error(file, fmt::format("base {:#x}", base), "the image wraps around the address space");
  return {{{{base}, data}}, order};
}

}  // namespace pte::examples
