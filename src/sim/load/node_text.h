// The counters of a node and of its containers in the Prometheus text format, with the names of node_exporter and
// cAdvisor.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rescheduler::sim {

struct NodeCounters;
class LoadModel;

// Every CPU has a series for idle, iowait, system and user, the modes that change here. So counting CPUs and summing
// over modes are both right. node_exporter's other four modes would be zero.
std::string node_metrics_text(const NodeCounters& counters);

// The answer of the HTTP frontend for two paths: /nodes/<node>/metrics, like node_exporter, and
// /api/v1/nodes/<node>/proxy/metrics, through the kubelet, which must be reporting. With /cadvisor at the end: the
// containers of the node. Empty: another path, an unknown node, or a node that does not answer.
std::optional<std::string> metrics_for_path(LoadModel& load, std::string_view path);

}  // namespace rescheduler::sim
