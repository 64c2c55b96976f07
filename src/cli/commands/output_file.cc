#include "cli/commands/output_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace rescheduler::cli {
namespace {

Unexpected cannot_write(const std::string& path) {
  return fail(Errc::Invalid, "{} cannot be written: {}", path, std::strerror(errno));
}

}  // namespace

Result<void> write_private_file(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return cannot_write(path);
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      auto failed = cannot_write(path);
      ::close(file);
      return failed;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::close(file) != 0) return cannot_write(path);
  return {};
}

std::string absolute_path(const std::string& path) {
  std::error_code problem;
  const auto absolute = std::filesystem::absolute(path, problem);
  return problem ? path : absolute.lexically_normal().string();
}

Result<LineFile> LineFile::open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return cannot_write(path);
  return LineFile(path, file);
}

void LineFile::write(std::string_view text) {
  good_ = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() && good_;
}

Result<void> LineFile::close() {
  if (!file_) return {};
  const bool closed = std::fclose(file_.release()) == 0;
  if (!good_ || !closed) return cannot_write(path_);
  return {};
}

Result<TemporaryDirectory> TemporaryDirectory::make(std::string_view name) {
  const char* base = std::getenv("TMPDIR");
  std::string path = base != nullptr && *base != '\0' ? base : "/tmp";
  path += "/" + std::string(name) + "-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return cannot_write(path);
  return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;  // a temporary directory: the system removes it later
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace rescheduler::cli
