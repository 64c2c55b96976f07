#include "kube/codec/json.h"
#include "kube/codec/json_scalars.h"
#include "kube/extender/wire.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::kube {
namespace {

// Go's informers remove kind and apiVersion from objects, so peers do not expect them in these messages.
JsonStyle bare() {
  JsonStyle style;
  style.with_type_meta = false;
  return style;
}

template <class Items, class Write>
std::string array_of(const Items& items, const Write& write) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += write(item);
  }
  return out += ']';
}

template <class Map, class Write>
std::string object_of(const Map& map, const Write& write) {
  std::string out = "{";
  for (const auto& [key, value] : map) {
    if (out.size() > 1) out += ',';
    out += json_string(key);
    out += ':';
    out += write(value);
  }
  return out += '}';
}

template <class T, class Write>
std::string or_null(const std::optional<T>& value, const Write& write) {
  return value ? write(*value) : "null";
}

template <class T>
std::string object_text(const std::shared_ptr<const T>& object) {
  return object ? to_json(*object, bare()) : "null";
}

std::string node_text(const ExtenderNode& node) { return node.json.empty() ? object_text(node.node) : node.json; }

std::string node_list(const std::vector<ExtenderNode>& nodes) {
  return fmt::format(R"({{"metadata":{{}},"items":{}}})", array_of(nodes, node_text));
}

std::string names(const std::vector<std::string>& all) { return array_of(all, json_string); }
std::string reasons(const NodeReasons& all) { return object_of(all, json_string); }

std::string victims_text(const Victims& victims) {
  return fmt::format(R"({{"Pods":{},"NumPDBViolations":{}}})", array_of(victims.pods, object_text<api::Pod>),
                     victims.pdb_violations);
}

std::string meta_victims_text(const MetaVictims& victims) {
  const auto pod = [](const std::string& uid) { return fmt::format(R"({{"UID":{}}})", json_string(uid)); };
  return fmt::format(R"({{"Pods":{},"NumPDBViolations":{}}})", array_of(victims.uids, pod), victims.pdb_violations);
}

std::string victims_by_node(const VictimsByNode& all) { return object_of(all, victims_text); }
std::string meta_victims_by_node(const MetaVictimsByNode& all) { return object_of(all, meta_victims_text); }

}  // namespace

std::string write_extender_args(const ExtenderArgs& args) {
  return fmt::format(R"({{"Pod":{},"Nodes":{},"NodeNames":{}}})", object_text(args.pod), or_null(args.nodes, node_list),
                     or_null(args.node_names, names));
}

std::string write_filter_result(const ExtenderFilterResult& result) {
  return fmt::format(R"({{"Nodes":{},"NodeNames":{},"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":{}}})",
                     or_null(result.nodes, node_list), or_null(result.node_names, names), reasons(result.failed),
                     reasons(result.failed_and_unresolvable), json_string(result.error));
}

std::string write_priorities(const std::vector<HostPriority>& priorities) {
  return array_of(priorities, [](const HostPriority& priority) {
    return fmt::format(R"({{"Host":{},"Score":{}}})", json_string(priority.host), priority.score);
  });
}

std::string write_preemption_args(const ExtenderPreemptionArgs& args) {
  return fmt::format(R"({{"Pod":{},"NodeNameToVictims":{},"NodeNameToMetaVictims":{}}})", object_text(args.pod),
                     or_null(args.victims, victims_by_node), or_null(args.meta_victims, meta_victims_by_node));
}

std::string write_preemption_result(const MetaVictimsByNode& victims) {
  return fmt::format(R"({{"NodeNameToMetaVictims":{}}})", meta_victims_by_node(victims));
}

std::string write_binding_args(const ExtenderBindingArgs& args) {
  return fmt::format(R"({{"PodName":{},"PodNamespace":{},"PodUID":{},"Node":{}}})", json_string(args.pod_name),
                     json_string(args.pod_namespace), json_string(args.pod_uid), json_string(args.node));
}

std::string write_binding_result(std::string_view error) {
  return fmt::format(R"({{"Error":{}}})", json_string(error));
}

}  // namespace rescheduler::kube
