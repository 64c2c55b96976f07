// A node's counters in the text format Prometheus scrapes, under node_exporter's names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rescheduler::sim {

struct NodeCounters;
class LoadModel;

// Every CPU has a series for idle, iowait, system and user, the modes that move here, so that counting CPUs and summing
// over modes both give what they should; node_exporter's other four would be zero.
std::string node_metrics_text(const NodeCounters& counters);

// What an HTTP door answers on a path: /nodes/<node>/metrics, as if node_exporter listened there, and
// /api/v1/nodes/<node>/proxy/metrics, through the kubelet, which must be reporting. Nothing: not such a path, or no
// such node, or it does not answer.
std::optional<std::string> metrics_for_path(LoadModel& load, std::string_view path);

}  // namespace rescheduler::sim
