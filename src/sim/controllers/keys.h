// "namespace/name", as work queues have it.
#pragma once

#include <string>
#include <utility>

namespace rescheduler::sim {

inline std::pair<std::string, std::string> split_key(const std::string& key) {
  const std::size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

}  // namespace rescheduler::sim
