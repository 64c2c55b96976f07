// Where the replacement of a pod that is moved is wanted, and what stands in the annotation on its workload meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "migration/record.h"
#include "migration/settings.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::migration {

// Where the replacement of this move's pod is wanted; nothing: none is to come now.
std::optional<PlacementIntent> wanted_by(const api::Migration& migration);
// Is this new pod one that is meant by it?
bool is_meant(const PlacementIntent& intent, const api::Pod& pod);

struct WrittenIntent {
  std::string migration{};
  std::string pod{};
  std::string source{};
  std::string target{};
  std::string expires{};
  std::optional<std::int32_t> surged_to{};  // replicas; nothing: it was not scaled up
  std::int32_t surged_from = 0;
};

std::string to_text(const WrittenIntent& intent);  // JSON
std::optional<WrittenIntent> parse_intent(std::string_view text);

}  // namespace rescheduler::migration
