// The messages between kube-scheduler and its extenders: JSON with the outer keys in the spelling of Go's fields
// ("Pod", "NodeNames"), and pods and nodes in their normal form. This program implements both sides, so each message
// has a writer and a reader here.
//
// Keys are case-insensitive, as in Go; if keys differ only in case, the last one wins. null means absent. Errors are
// Errc::Invalid and name the position.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rescheduler::api {
class Node;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::kube {

struct ExtenderNode {
  std::shared_ptr<const api::Node> node;
  // The original text, with the fields that the wire types do not have. It is written back unchanged, so that the
  // answer contains the node of the request. Empty: written from `node`.
  std::string json{};
};

// The arguments of filter and prioritize. A nodeCacheCapable extender gets only names.
struct ExtenderArgs {
  std::shared_ptr<const api::Pod> pod;
  std::optional<std::vector<ExtenderNode>> nodes{};
  std::optional<std::vector<std::string>> node_names{};
};

using NodeReasons = std::map<std::string, std::string>;  // node name to reason

struct ExtenderFilterResult {
  std::optional<std::vector<ExtenderNode>> nodes{};
  std::optional<std::vector<std::string>> node_names{};
  NodeReasons failed{};                   // preemption on the node may help
  NodeReasons failed_and_unresolvable{};  // preemption on the node cannot help
  std::string error{};
};

struct HostPriority {
  std::string host;
  std::int64_t score = 0;  // 0 to 10
  bool operator==(const HostPriority&) const = default;
};

struct Victims {
  std::vector<std::shared_ptr<const api::Pod>> pods{};
  std::int64_t pdb_violations = 0;
};
struct MetaVictims {
  std::vector<std::string> uids{};
  std::int64_t pdb_violations = 0;
  bool operator==(const MetaVictims&) const = default;
};
using VictimsByNode = std::map<std::string, Victims>;
using MetaVictimsByNode = std::map<std::string, MetaVictims>;

struct ExtenderPreemptionArgs {
  std::shared_ptr<const api::Pod> pod;
  std::optional<VictimsByNode> victims{};
  std::optional<MetaVictimsByNode> meta_victims{};  // for an extender with a cache of pods
};

struct ExtenderBindingArgs {
  std::string pod_name, pod_namespace, pod_uid, node;
  bool operator==(const ExtenderBindingArgs&) const = default;
};

std::string write_extender_args(const ExtenderArgs& args);
Result<ExtenderArgs> read_extender_args(std::string_view text);

std::string write_filter_result(const ExtenderFilterResult& result);
Result<ExtenderFilterResult> read_filter_result(std::string_view text);

std::string write_priorities(const std::vector<HostPriority>& priorities);
Result<std::vector<HostPriority>> read_priorities(std::string_view text);

std::string write_preemption_args(const ExtenderPreemptionArgs& args);
Result<ExtenderPreemptionArgs> read_preemption_args(std::string_view text);

// The answer names victims by UID, whether the request had whole pods or UIDs.
std::string write_preemption_result(const MetaVictimsByNode& victims);
Result<MetaVictimsByNode> read_preemption_result(std::string_view text);

std::string write_binding_args(const ExtenderBindingArgs& args);
Result<ExtenderBindingArgs> read_binding_args(std::string_view text);

// The reason why the pod was not bound, or empty.
std::string write_binding_result(std::string_view error);
Result<std::string> read_binding_result(std::string_view text);

}  // namespace rescheduler::kube
