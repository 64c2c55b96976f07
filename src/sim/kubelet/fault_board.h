// Injected faults, set by tests and scenarios. For users with kubectl, annotations (names.h) do the same.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rescheduler::sim {

enum class NodeFault : std::uint8_t {
  None,
  Slow,    // starting takes ten times as long
  Frozen,  // the kubelet neither reports nor acts; containers and load go on
  Dead,    // all containers on the node stop
};
// From the value of the annotation; an unknown value is None.
NodeFault node_fault_of(std::string_view text);

struct PodFaults {
  bool crash = false;  // containers exit soon after every start
  bool oom = false;    // containers are OOM-killed soon after every start
  bool image_pull_fails = false;
  bool unready = false;  // readiness probes fail; there is no annotation for this fault

  bool operator==(const PodFaults&) const = default;
};

class FaultBoard {
 public:
  // Overrides the node's annotation; nullopt removes the override.
  void set_node(std::string_view node, std::optional<NodeFault> fault);
  std::optional<NodeFault> node(std::string_view node) const;

  // In addition to the pod's annotations.
  void set_pod(std::string_view ns, std::string_view name, PodFaults faults);
  PodFaults pod(std::string_view key) const;  // "ns/name"

  // One listener each: the kubelets.
  void on_node(std::function<void(std::string_view)> listener) { on_node_ = std::move(listener); }
  void on_pod(std::function<void(std::string_view)> listener) { on_pod_ = std::move(listener); }

 private:
  std::map<std::string, NodeFault, std::less<>> nodes_;
  std::map<std::string, PodFaults, std::less<>> pods_;
  std::function<void(std::string_view)> on_node_;
  std::function<void(std::string_view)> on_pod_;
};

}  // namespace rescheduler::sim
