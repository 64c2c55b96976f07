#include "kube/codec/printable.h"

#include <fmt/core.h>

#include "kube/codec/json_scalars.h"

namespace rescheduler::kube {

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 80;  // enough to recognize a name
  const bool cut = text.size() > kLongest;
  std::string out;
  append_json_string(out, text.substr(0, kLongest));
  if (cut) out += fmt::format("... ({} bytes)", text.size());
  return out;
}

}  // namespace rescheduler::kube
