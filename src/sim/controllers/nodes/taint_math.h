// Taints and tolerations for the node lifecycle.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/objects/tolerations.h"

namespace google::protobuf {
template <class T>
class RepeatedPtrField;
}  // namespace google::protobuf
namespace rescheduler::api {
class Node;
class Taint;
class Toleration;
}  // namespace rescheduler::api

namespace rescheduler::sim {

inline constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
inline constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
inline constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";
inline constexpr std::string_view kNoSchedule = "NoSchedule";
inline constexpr std::string_view kNoExecute = "NoExecute";

using cluster::TaintText;

// How long a pod can stay on a node with these NoExecute taints; empty: without limit. For each taint, the first
// matching toleration counts.
std::optional<std::chrono::seconds> may_stay(const std::vector<TaintText>& taints,
                                             const google::protobuf::RepeatedPtrField<api::Toleration>& tolerations);

std::vector<TaintText> no_execute_taints(const api::Node& node);
bool has_taint(const api::Node& node, std::string_view key, std::string_view effect);

// The NoSchedule taints that a node must have for its conditions and cordon, and those that it has; sorted by key.
std::vector<std::string> wanted_no_schedule(const api::Node& node);
std::vector<std::string> present_no_schedule(const api::Node& node);

}  // namespace rescheduler::sim
