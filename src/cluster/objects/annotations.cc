#include "cluster/objects/annotations.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kube/proto/meta.pb.h"
#include "kube/value/duration.h"

namespace rescheduler::cluster {
namespace {

using Texts = google::protobuf::Map<std::string, std::string>;

constexpr std::array kOptOutKeys{kReschedulingKey, kOwnReschedulingKey};
constexpr std::array kMaintenanceKeys{kMaintenanceKey, kOwnMaintenanceKey};

OptOut meaning_of(std::string_view value) {
  if (value == "disabled") return OptOut::Disabled;
  return value == "enabled" ? OptOut::No : OptOut::Unclear;
}

}  // namespace

OptOutValue opt_out_value(const api::ObjectMeta& meta) {
  OptOutValue result;
  for (const Texts* texts : {&meta.labels(), &meta.annotations()}) {
    if (texts->empty()) continue;
    for (const std::string_view key : kOptOutKeys) {
      const auto found = texts->find(std::string(key));
      if (found == texts->end()) continue;
      const OptOut found_meaning = meaning_of(found->second);
      // "disabled" is clear and needs no warning, even if another key has an unclear value.
      const bool counts =
          found_meaning == OptOut::Disabled || (found_meaning == OptOut::Unclear && result.meaning == OptOut::No);
      if (counts) result = {found_meaning, key, found->second};
    }
  }
  return result;
}

OptOut opt_out_of(const api::ObjectMeta& meta) { return opt_out_value(meta).meaning; }

EvictionMarks eviction_marks_of(const api::ObjectMeta& pod) {
  EvictionMarks marks;
  const Texts& annotations = pod.annotations();
  if (annotations.empty()) return marks;
  const auto value = [&](std::string_view key) -> const std::string* {
    const auto found = annotations.find(std::string(key));
    return found == annotations.end() ? nullptr : &found->second;
  };
  if (const std::string* safe = value(kSafeToEvictKey)) marks.unsafe_to_evict = *safe == "false";
  marks.prefer_no_eviction = value(kPreferNoEvictionKey) != nullptr;
  if (const std::string* disrupt = value(kDoNotDisruptKey)) {
    if (*disrupt == "true") {
      marks.do_not_disrupt = std::chrono::nanoseconds::max();
    } else if (const auto lasts = kube::parse_duration(*disrupt); lasts && lasts->count() > 0) {
      marks.do_not_disrupt = *lasts;
    }
  }
  return marks;
}

DrainAllowance drain_allowance_of(const api::ObjectMeta& node) {
  DrainAllowance allowance;
  const auto found = node.annotations().find(std::string(kDrainAllowsKey));
  if (found == node.annotations().end()) return allowance;
  std::string_view rest = found->second;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    const auto* const name = std::ranges::find(kDrainClassNames, word);
    if (name != kDrainClassNames.end()) {
      allowance.classes.add(static_cast<DrainClass>(name - kDrainClassNames.begin()));
    } else if (allowance.unknown.empty() && !word.empty()) {
      allowance.unknown = word;
    }
  }
  return allowance;
}

bool requests_maintenance(const api::ObjectMeta& node) {
  return std::ranges::any_of(kMaintenanceKeys, [&](std::string_view key) {
    const auto found = node.labels().find(std::string(key));
    return found != node.labels().end() && found->second == "true";
  });
}

std::optional<std::string> unclear_maintenance(const api::ObjectMeta& node) {
  for (const std::string_view key : kMaintenanceKeys) {
    const auto found = node.labels().find(std::string(key));
    if (found == node.labels().end() || found->second == "true" || found->second == "false") continue;
    return fmt::format("{}: \"{}\"", key, found->second);
  }
  return std::nullopt;
}

}  // namespace rescheduler::cluster
