// What users write on their objects for us: "do not move this", "this node goes into maintenance".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rescheduler::api {
class ObjectMeta;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

// Label or annotation on a pod, a workload or a namespace; label on a node. The first of each is the documents', the
// second our own.
inline constexpr std::string_view kReschedulingKey = "scheduler.alpha.kubernetes.io/rescheduling";
inline constexpr std::string_view kOwnReschedulingKey = "rescheduler.io/rescheduling";
inline constexpr std::string_view kMaintenanceKey = "scheduler.alpha.kubernetes.io/maintenance";
inline constexpr std::string_view kOwnMaintenanceKey = "rescheduler.io/maintenance";

enum class OptOut : std::uint8_t {
  No,
  Disabled,  // it says "disabled"
  Unclear,   // it says something nobody has defined; that protects too, and somebody should be told
};

// What somebody wrote about rescheduling, and what it means.
struct OptOutValue {
  OptOut meaning = OptOut::No;
  std::string_view key{};
  std::string value{};
};

// "enabled" says what is the case anyway, and so does nothing at all; an empty value is unclear. Of several words the
// most careful counts.
OptOutValue opt_out_value(const api::ObjectMeta& meta);
OptOut opt_out_of(const api::ObjectMeta& meta);

// "true" on either key. Anything else is no maintenance: nobody's node is drained for a typing error.
bool asks_for_maintenance(const api::ObjectMeta& node);
// A value that is neither "true" nor "false", for a warning.
std::optional<std::string> unclear_maintenance(const api::ObjectMeta& node);

}  // namespace rescheduler::cluster
