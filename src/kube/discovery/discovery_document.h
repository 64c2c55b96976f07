// Reads discovery documents in both forms. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/discovery/server_info.h"

namespace rescheduler::kube {

// For the Accept header: aggregated discovery in either version, else the unaggregated form.
inline constexpr std::string_view kDiscoveryAccept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

struct GroupVersion {
  std::string group{};  // empty: the core group
  std::string version{};

  std::string path() const;  // "/api/v1", "/apis/apps/v1"
};

// The answer of /api or /apis. An aggregated document fills `resources`. An unaggregated one returns the group versions
// that must be requested next.
Result<std::vector<GroupVersion>> read_root(std::string_view json, ServerResources& resources);

// The answer of /apis/GROUP/VERSION, in the unaggregated form.
Result<void> read_group_version(std::string_view json, const GroupVersion& of, ServerResources& resources);

}  // namespace rescheduler::kube
