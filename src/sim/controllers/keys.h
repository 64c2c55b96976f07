// "namespace/name", the key of work queues.
#pragma once

#include <string>
#include <string_view>

namespace rescheduler::sim {

struct ObjectKey {
  std::string ns;
  std::string name;
};

inline ObjectKey split_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  return {std::string(key.substr(0, slash)), std::string(key.substr(slash + 1))};
}

}  // namespace rescheduler::sim
