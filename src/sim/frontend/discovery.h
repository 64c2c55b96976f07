// The discovery documents: which groups, versions and kinds there are, and what can be done with them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/kinds/kind.h"

namespace rescheduler::sim {

inline constexpr std::string_view kGitVersion = "v1.36.4-embedded";
// What a client that knows aggregated discovery asks for, and what the answer says it is.
inline constexpr std::string_view kAggregatedType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

struct ServedVersion {
  std::string version;
  std::vector<const Kind*> kinds;
};
struct ServedGroup {
  std::string name;                     // empty: core
  std::vector<ServedVersion> versions;  // the preferred one first
};
// Core first, then by name.
std::vector<ServedGroup> served_groups(const KindRegistry& kinds);

std::string version_document();                                       // /version
std::string core_versions_document();                                 // /api
std::string groups_document(const std::vector<ServedGroup>& groups);  // /apis
std::string group_document(const ServedGroup& group);                 // /apis/<group>
std::string resources_document(const ServedGroup& group, const ServedVersion& version);
// Of /api (core only) and /apis (all others), in one document each.
std::string aggregated_document(const std::vector<ServedGroup>& groups, bool core);

// The verbs a kind is served with, in discovery's order.
std::vector<std::string> verbs_of(const Kind& kind);

}  // namespace rescheduler::sim
