#include "kube/config/file.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace rescheduler::kube {
namespace {

Unexpected cannot(const char* what, const std::string& path, int error) {
  const Errc code = error == ENOENT || error == ENOTDIR ? Errc::NotFound
                    : error == EACCES || error == EPERM ? Errc::Denied
                                                        : Errc::Invalid;
  return fail(code, "cannot {} {}: {}", what, path, std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) (void)::close(fd_);  // opened for reading only: no data can be lost
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t most_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return cannot("open", path, errno);
  std::string text;
  std::array<char, 16384> piece{};
  for (;;) {
    const ssize_t count = ::read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot("read", path, errno);
    if (count == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > most_bytes) {
      return fail(Errc::Invalid, "cannot use {}: it is larger than {} bytes", path, most_bytes);
    }
  }
}

std::string directory_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

std::string resolve_against(const std::string& directory, const std::string& path) {
  const std::filesystem::path given(path);
  if (path.empty() || given.is_absolute() || directory.empty()) return path;
  return (std::filesystem::path(directory) / given).lexically_normal().string();
}

}  // namespace rescheduler::kube
