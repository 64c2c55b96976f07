// Resource lists: amounts by resource name, as in requests of containers and allocatable of nodes.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/map.h>

#include "sim/kinds/checks.h"

namespace rescheduler::api {
class Quantity;
class ResourceRequirements;
}  // namespace rescheduler::api

namespace rescheduler::sim {

using ResourceMap = google::protobuf::Map<std::string, api::Quantity>;

// Puts every amount into its canonical form with a precision of at most 1/1000, as the API server does ("0.5" is
// "500m").
void canonicalize(ResourceMap& resources);
void canonicalize(api::Quantity& quantity);

// Checks the amounts of a node, a volume or a claim: not negative, and whole numbers for resources that are counted.
void check_amounts(const ResourceMap& resources, const At& at, Faults& faults);
// Checks the requests and limits of a container.
void check_container_resources(const api::ResourceRequirements& resources, const At& at, Faults& faults);

}  // namespace rescheduler::sim
