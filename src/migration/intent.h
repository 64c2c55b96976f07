// The target node of a replacement pod and the node to avoid, and the annotation on the workload that records them.
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

// The node that a replacement pod avoids; empty: none.
std::string avoided_by(const api::Migration& migration, const MigrationSettings& settings);
// The intent of this migration; nullopt: it expects no replacement pod now.
std::optional<PlacementIntent> wanted_by(const api::Migration& migration, const MigrationSettings& settings);
// True if the intent applies to this new pod.
bool is_meant(const PlacementIntent& intent, const api::Pod& pod);

struct WrittenIntent {
  std::string migration{};
  std::string pod{};
  std::string source{};
  std::string target{};
  std::string avoid{};
  std::string expires{};
  std::optional<std::int32_t> surged_to{};  // replicas; nullopt: the workload is not scaled up
  std::int32_t surged_from = 0;
};

std::string to_text(const WrittenIntent& intent);  // JSON
std::optional<WrittenIntent> parse_intent(std::string_view text);

}  // namespace rescheduler::migration
