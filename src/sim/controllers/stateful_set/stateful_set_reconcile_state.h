// The state of one reconcile of one StatefulSet, shared by the files of its controller.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "kube/proto/apps.pb.h"
#include "sim/controllers/stateful_set/stateful_set_controller.h"

namespace rescheduler::sim {

struct StatefulSetController::ReconcileState {
  std::string key;
  std::shared_ptr<const api::StatefulSet> set;
  std::vector<RevisionPtr> revisions{};
  RevisionPtr current{};  // the revision of pods below the partition
  RevisionPtr update{};   // the revision of the set's template
  std::int32_t collision_count = 0;
  std::vector<const PodView*> slots{};      // by ordinal, from start(); null: must be created
  std::vector<const PodView*> condemned{};  // ordinals outside the range, highest first
  std::string fault{};                      // empty: none

  const api::StatefulSetSpec& spec() const { return set->spec(); }
  const std::string& ns() const { return set->metadata().namespace_(); }
  const std::string& name() const { return set->metadata().name(); }
  int start() const { return spec().ordinals().start(); }
  bool ordered() const { return spec().pod_management_policy() != "Parallel"; }
  std::string pod_name(int ordinal) const { return name() + "-" + std::to_string(ordinal); }
  std::string claim_name(const std::string& claim, int ordinal) const { return claim + "-" + pod_name(ordinal); }
};

// The ordinal in "web-3" for the set "web"; -1 for any other name.
inline int ordinal_of(std::string_view set, std::string_view pod) {
  if (!pod.starts_with(set) || pod.size() < set.size() + 2 || pod[set.size()] != '-') return -1;
  const std::string_view digits = pod.substr(set.size() + 1);
  int ordinal = -1;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && digits[0] != '-' ? ordinal : -1;
}

}  // namespace rescheduler::sim
