// Nodes and pods of a production GPU cluster, from the CSV files of Alibaba's cluster-trace-gpu-v2023 ("openb").
//
// Nodes keep their names. Their GPUs appear as two resources, because the trace shares GPUs and Kubernetes counts whole
// ones:
//   nvidia.com/gpu             whole GPUs; requested by pods that want whole ones
//   alibabacloud.com/gpu-milli thousandths of all GPUs of a node; requested by every pod that wants a GPU
// So no node is overcommitted. The resources do not express that the share of a pod must fit one single GPU. A
// scheduler that packs GPUs reads alibabacloud.com/gpu-count and alibabacloud.com/gpu-milli from the pod's annotations.
// A node's GPU type is its label alibabacloud.com/gpu-card-model; pods that accept only some types have node affinity
// to it.
//
// Pods are bare pods in the namespace "openb". They are created in the order of their creation in the trace, at equal
// intervals. The trace has requests, not usage: load is a share of the request. Deletion times are ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kube/config/environment.h"
#include "sim/scenario/scenario.h"

namespace rescheduler::sim {

inline constexpr std::string_view kOpenbNamespace = "openb";
inline constexpr std::string_view kGpuResource = "nvidia.com/gpu";
inline constexpr std::string_view kGpuMilliResource = "alibabacloud.com/gpu-milli";
inline constexpr std::string_view kGpuCountAnnotation = "alibabacloud.com/gpu-count";
inline constexpr std::string_view kGpuMilliAnnotation = "alibabacloud.com/gpu-milli";
inline constexpr std::string_view kGpuModelLabel = "alibabacloud.com/gpu-card-model";

struct OpenbNode {
  std::string name;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpus = 0;
  std::string model{};
};

struct OpenbPod {
  std::string name;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpus = 0;
  std::int64_t gpu_milli = 0;             // of each GPU
  std::vector<std::string> gpu_models{};  // empty: any
  std::string qos{};
  std::int64_t created = 0;  // seconds
};

// Parse the files' texts. An invalid line is an error that names the line. `limit` 0: all.
Result<std::vector<OpenbNode>> read_openb_nodes(std::string_view csv, std::string_view file_name, int limit);
Result<std::vector<OpenbPod>> read_openb_pods(std::string_view csv, std::string_view file_name, int limit);

// Adds nodes and pods to a scenario: node groups by shape, and one workload per pod.
void add_openb(Scenario& scenario, const std::vector<OpenbNode>& nodes, const std::vector<OpenbPod>& pods);

// Reads the files of scenario.openb and adds their content. The default directory is openb in $RESCHEDULER_DATA
// (default: ../shared/data).
Result<Scenario> with_openb(Scenario scenario, const kube::Environment& environment);

}  // namespace rescheduler::sim
