// Reads small files completely, and resolves relative paths.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"

namespace rescheduler::kube {

inline constexpr std::size_t kMostCredentialFileBytes = std::size_t{1} << 20;  // tokens and PEM bundles are far smaller

// NotFound, Denied (permissions) or Invalid (a directory, too large, unreadable); each error names the path.
Result<std::string> read_whole_file(const std::string& path, std::size_t most_bytes);

// The directory part of a path, "" for a bare name; and a path relative to a directory.
std::string directory_of(const std::string& path);
std::string resolve_against(const std::string& directory, const std::string& path);

}  // namespace rescheduler::kube
