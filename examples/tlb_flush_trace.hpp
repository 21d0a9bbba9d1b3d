// Counts the TLB flushes that Linux makes for this thread: perf's tracepoint tlb:tlb_flush. Needs root.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pte::examples {

// Why nothing can be measured here; no error of the program.
class not_possible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One flush, as the kernel reports it.
struct traced_flush {
  int reason = 0;           // enum tlb_flush_reason; 0 is a task switch
  std::uint64_t pages = 0;  // all ones: everything
};
inline constexpr int flush_on_task_switch = 0;
inline constexpr std::uint64_t all_pages = ~std::uint64_t{0};

class tlb_flush_trace {
 public:
  tlb_flush_trace() {
    const std::string folder = tracepoint_folder();
    perf_event_attr attr{};
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.size = sizeof attr;
    std::ifstream(folder + "/id") >> attr.config;
    std::ifstream format(folder + "/format");
    for (std::string line; std::getline(format, line);) {
      read_field(line, " reason;", sizeof(int), reason_offset_);
      read_field(line, " pages;", sizeof(std::uint64_t), pages_offset_);
    }
    if (attr.config == 0 || !reason_offset_ || !pages_offset_)
      throw not_possible(folder + ": not the tracepoint that this program knows");
    attr.sample_type = PERF_SAMPLE_RAW;
    attr.sample_period = 1;
    attr.disabled = 1;
    fd_ = static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (fd_ < 0) throw not_possible(fmt::format("perf_event_open for tlb:tlb_flush: {}", std::strerror(errno)));
    void* const area = mmap(nullptr, page + ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (area == MAP_FAILED) {
      close(fd_);
      throw not_possible(fmt::format("mmap of perf's ring: {}", std::strerror(errno)));
    }
    ring_ = static_cast<perf_event_mmap_page*>(area);
  }
  tlb_flush_trace(const tlb_flush_trace&) = delete;
  tlb_flush_trace& operator=(const tlb_flush_trace&) = delete;
  ~tlb_flush_trace() {
    munmap(ring_, page + ring_size);
    close(fd_);
  }

  // The flushes while f() runs, but for those of task switches, which have nothing to do with it.
  template <class Fn>
  std::vector<traced_flush> during(Fn&& f) {
    ioctl(fd_, PERF_EVENT_IOC_ENABLE, 0);
    std::forward<Fn>(f)();
    ioctl(fd_, PERF_EVENT_IOC_DISABLE, 0);
    std::vector<traced_flush> found;
    const std::uint64_t head = __atomic_load_n(&ring_->data_head, __ATOMIC_ACQUIRE);
    std::uint64_t tail = ring_->data_tail;
    while (tail < head) {
      const auto header = read<perf_event_header>(tail);
      if (header.type == PERF_RECORD_LOST) throw std::runtime_error("perf's ring is too small");
      const std::uint64_t raw = tail + sizeof header + sizeof(std::uint32_t);
      const traced_flush flush{read<int>(raw + *reason_offset_), read<std::uint64_t>(raw + *pages_offset_)};
      if (header.type == PERF_RECORD_SAMPLE && flush.reason != flush_on_task_switch) found.push_back(flush);
      tail += header.size;
    }
    __atomic_store_n(&ring_->data_tail, tail, __ATOMIC_RELEASE);
    return found;
  }

 private:
  static constexpr std::size_t page = 4096, ring_size = 16 * page;

  // Where tracefs describes the tracepoint. If tracefs is not mounted it is, in a mount namespace of this process only.
  static std::string tracepoint_folder() {
    const std::string mounted = "/sys/kernel/tracing", folder = mounted + "/events/tlb/tlb_flush";
    const auto readable = [&] { return ::access((folder + "/id").c_str(), R_OK) == 0; };
    if (readable()) return folder;
    if (geteuid() != 0) throw not_possible(folder + "/id cannot be read: this needs root");
    if (unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0)
      static_cast<void>(mount("tracefs", mounted.c_str(), "tracefs", 0, nullptr));
    if (!readable())
      throw not_possible(folder + "/id cannot be read: the kernel has no such tracepoint, or no tracefs");
    return folder;
  }

  // The offset in a line as "field:int reason; offset:8; size:4; signed:1;", if it names that field.
  static void read_field(std::string_view line, std::string_view name, std::size_t size,
                         std::optional<std::size_t>& out) {
    const std::size_t at = line.find("offset:");
    if (line.find(name) == std::string_view::npos || at == std::string_view::npos) return;
    if (line.find(fmt::format("size:{};", size)) == std::string_view::npos) return;
    out = std::strtoul(line.data() + at + 7, nullptr, 10);
  }

  template <class T>
  T read(std::uint64_t at) const {
    char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes[i] = reinterpret_cast<const char*>(ring_)[page + (at + i) % ring_size];
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

  int fd_ = -1;
  perf_event_mmap_page* ring_ = nullptr;
  std::optional<std::size_t> reason_offset_, pages_offset_;
};

}  // namespace pte::examples
