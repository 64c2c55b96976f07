// Resource lists: amounts by name, as containers request and nodes have them.
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

// Every amount in its canonical form and no finer than a thousandth, as the API server stores it ("0.5" is "500m").
void canonicalize(ResourceMap& resources);
void canonicalize(api::Quantity& quantity);

// The amounts of a node, a volume, a claim: whole where they count things, and not negative.
void check_amounts(const ResourceMap& resources, const At& at, Faults& faults);
// A container's requests and limits.
void check_container_resources(const api::ResourceRequirements& resources, const At& at, Faults& faults);

}  // namespace rescheduler::sim
