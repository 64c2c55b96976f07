// The discovery documents: the served groups, versions and kinds, and their verbs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/kinds/kind.h"

namespace rescheduler::sim {

inline constexpr std::string_view kGitVersion = "v1.36.4-embedded";
// The media type of aggregated discovery, in requests and in answers.
inline constexpr std::string_view kAggregatedType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

struct ServedVersion {
  std::string version;
  std::vector<const Kind*> kinds;
};
struct ServedGroup {
  std::string name;                     // empty: core
  std::vector<ServedVersion> versions;  // the preferred version first
};
// Core first, then by name.
std::vector<ServedGroup> served_groups(const KindRegistry& kinds);

std::string version_document();                                       // /version
std::string core_versions_document();                                 // /api
std::string groups_document(const std::vector<ServedGroup>& groups);  // /apis
std::string group_document(const ServedGroup& group);                 // /apis/<group>
std::string resources_document(const ServedGroup& group, const ServedVersion& version);
// Aggregated discovery of /api (core only) or of /apis (all other groups).
std::string aggregated_document(const std::vector<ServedGroup>& groups, bool core);

// The verbs of a kind, in discovery's order.
std::vector<std::string> verbs_of(const Kind& kind);

}  // namespace rescheduler::sim
