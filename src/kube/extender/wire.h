// What kube-scheduler and its extenders say to each other: JSON whose outer keys are spelled like Go's fields ("Pod",
// "NodeNames"), around pods and nodes in their usual form. Both ends are ours as well, so each message is written and
// read here.
//
// Keys are read without regard to case, as Go does; of several that differ in case only, the last one counts. null
// means absent. Errors are Errc::Invalid and name the place.
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
  // The text it came in, with the fields our types do not know. Written again as it stands, so that an answer gives
  // back what was asked about; empty: written from `node`.
  std::string json{};
};

// What filter and prioritize are asked. A caller with a cache of nodes in common with us gives names only.
struct ExtenderArgs {
  std::shared_ptr<const api::Pod> pod;
  std::optional<std::vector<ExtenderNode>> nodes{};
  std::optional<std::vector<std::string>> node_names{};
};

using NodeReasons = std::map<std::string, std::string>;  // node to why not

struct ExtenderFilterResult {
  std::optional<std::vector<ExtenderNode>> nodes{};
  std::optional<std::vector<std::string>> node_names{};
  NodeReasons failed{};                   // preempting pods there might help
  NodeReasons failed_and_unresolvable{};  // it would not
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
  std::optional<MetaVictimsByNode> meta_victims{};  // to a caller with a cache of pods
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

// Victims come back by UID whichever way they went.
std::string write_preemption_result(const MetaVictimsByNode& victims);
Result<MetaVictimsByNode> read_preemption_result(std::string_view text);

std::string write_binding_args(const ExtenderBindingArgs& args);
Result<ExtenderBindingArgs> read_binding_args(std::string_view text);

// The reason why it was not bound, or nothing.
std::string write_binding_result(std::string_view error);
Result<std::string> read_binding_result(std::string_view text);

}  // namespace rescheduler::kube
