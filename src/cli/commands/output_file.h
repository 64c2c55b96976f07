// Files that commands write.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rescheduler::cli {

// Replaces an existing file; only the owner can read it.
Result<void> write_private_file(const std::string& path, std::string_view text);
std::string absolute_path(const std::string& path);

// A file that is written line by line; close() returns the first error.
class LineFile {
 public:
  static Result<LineFile> open(const std::string& path);
  void write(std::string_view text);
  Result<void> close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  LineFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  bool good_ = true;
};

// A temporary directory that the destructor removes.
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> make(std::string_view name);
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace rescheduler::cli
