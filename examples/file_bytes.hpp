// Files as bytes: read whole, or unpacked with zlib; never more than a stated limit.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "input_error.hpp"

namespace pte::examples {

using bytes = std::vector<std::byte>;

// An open file, for reading; closed at the end.
class input_file {
 public:
  explicit input_file(const std::string& name)
      : name_(name), fd_(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) throw input_error(name, "", std::strerror(errno));
    struct stat status {};
    if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(fd_);
      throw input_error(name, "", "not a regular file");  // a pipe or device might never end
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  ~input_file() { ::close(fd_); }

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  int descriptor() const { return fd_; }

 private:
  std::string name_;
  int fd_;
  std::uint64_t size_ = 0;
};

// The whole file, which may hold `limit` bytes at most.
inline bytes read_file(const std::string& name, std::uint64_t limit) {
  const input_file file(name);
  if (file.size() > limit)
    throw input_error(name, "", fmt::format("{} bytes; no such file has more than {}", file.size(), limit));
  bytes data(static_cast<std::size_t>(file.size()));
  for (std::size_t done = 0; done != data.size();) {
    const ssize_t got = ::read(file.descriptor(), data.data() + done, data.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw input_error(name, fmt::format("byte {}", done), std::strerror(errno));
    if (got == 0) throw input_error(name, fmt::format("byte {}", done), "the file ended while it was read");
    done += static_cast<std::size_t>(got);
  }
  return data;
}

// Unpacks gzip data of one or more members, to `limit` bytes at most. `name` is for messages.
inline bytes gunzip(const std::string& name, const bytes& packed, std::size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw input_error(name, "", "zlib does not start");
  struct end_inflate {
    z_stream* stream;
    ~end_inflate() { inflateEnd(stream); }
  } const at_end{&stream};

  // zlib counts in 32 bits; no packed file comes near that.
  if (packed.size() > UINT32_MAX) throw input_error(name, "", "more than 4 GiB");
  bytes in = packed;  // zlib wants to point to it without const
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());

  bytes out;
  int status = Z_OK;
  const auto at = [&] { return fmt::format("byte {} of the gzip data", packed.size() - stream.avail_in); };
  while (status != Z_STREAM_END) {
    constexpr std::size_t step = 1 << 18;
    const std::size_t had = out.size();
    out.resize(had + step);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + had);
    stream.avail_out = step;
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(had + (step - stream.avail_out));
    if (out.size() > limit) throw input_error(name, at(), fmt::format("unpacks to more than {} bytes", limit));
    if (status == Z_BUF_ERROR || (status == Z_OK && stream.avail_in == 0 && stream.avail_out != 0))
      throw input_error(name, at(), "the gzip data is cut short");
    if (status != Z_OK && status != Z_STREAM_END)
      throw input_error(name, at(), fmt::format("bad gzip data ({})", stream.msg ? stream.msg : "unknown error"));
    if (status == Z_STREAM_END && stream.avail_in != 0) {  // another member follows
      if (inflateReset(&stream) != Z_OK) throw input_error(name, at(), "zlib does not start again");
      status = Z_OK;
    }
  }
  return out;
}

}  // namespace pte::examples
