// Properties of a Node, read from the wire object.
#pragma once

#include <string>
#include <string_view>

namespace rescheduler::api {
class Node;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

// "True", "False" or "Unknown"; empty if the node does not have this condition.
std::string_view condition_of(const api::Node& node, std::string_view type);

bool is_ready(const api::Node& node);           // its condition Ready is True
bool reports_not_ready(const api::Node& node);  // the condition Ready exists and is not True

// By the current label, otherwise by the label that it replaced; empty: the node has neither.
std::string zone_of(const api::Node& node);
std::string region_of(const api::Node& node);

}  // namespace rescheduler::cluster
