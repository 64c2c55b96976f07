// Injected faults, as tests and scenarios put them up; annotations (names.h) say the same for people with kubectl.
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
  Dead,    // everything on it stops
};
// Of the annotation's value; anything unknown is None.
NodeFault node_fault_of(std::string_view text);

struct PodFaults {
  bool crash = false;  // its containers exit soon after every start
  bool oom = false;    // they are killed for want of memory soon after every start
  bool image_pull_fails = false;
  bool unready = false;  // its readiness probes fail; there is no annotation for it

  bool operator==(const PodFaults&) const = default;
};

class FaultBoard {
 public:
  // Overrides the node's annotation; nullopt gives it back its say.
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
