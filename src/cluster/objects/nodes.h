// What a Node says of itself, read from the wire object.
#pragma once

#include <string>
#include <string_view>

namespace rescheduler::api {
class Node;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

// "True", "False" or "Unknown"; empty where the node says nothing of this condition.
std::string_view condition_of(const api::Node& node, std::string_view type);

bool is_ready(const api::Node& node);        // its condition Ready is True
bool says_not_ready(const api::Node& node);  // it has the condition Ready, which is not True

// By the label of today, else by the one it replaced; empty: it says nothing of it.
std::string zone_of(const api::Node& node);
std::string region_of(const api::Node& node);

}  // namespace rescheduler::cluster
