#include "sim/scenario/openb.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "kube/config/file.h"
#include "kube/value/name.h"
#include "kube/value/quantity.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kNodeHeader = "sn,cpu_milli,memory_mib,gpu,model";
constexpr std::string_view kPodHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time";
constexpr std::size_t kMostFileBytes = std::size_t{64} << 20;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Reads one line of a file field by field; keeps the first fault.
class Line {
 public:
  explicit Line(std::string_view text) : fields_(split(text, ',')) {}
  std::size_t size() const { return fields_.size(); }
  std::string text(std::size_t index) const { return std::string(fields_[index]); }
  std::string name(std::size_t index) {
    if (const auto good = kube::check_dns_subdomain(fields_[index]); !good && fault_.empty()) {
      fault_ = fmt::format("field {}: {}", index + 1, good.error().message);
    }
    return text(index);
  }
  std::int64_t number(std::size_t index) {
    const std::string_view field = fields_[index];
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool good = problem == std::errc{} && end == field.data() + field.size() && value >= 0
                      && value <= 1'000'000'000'000;  // far above any machine; the product of two values still fits
    if (good) return value;
    if (fault_.empty()) fault_ = fmt::format("field {} is not a count", index + 1);
    return 0;
  }
  const std::string& fault() const { return fault_; }

 private:
  std::vector<std::string_view> fields_;
  std::string fault_;
};

template <class Row, class Read>
Result<std::vector<Row>> read_rows(std::string_view csv,
                                   std::string_view file_name,
                                   int limit,
                                   std::string_view header,
                                   Read read) {
  std::vector<Row> rows;
  const std::size_t columns = split(header, ',').size();
  std::size_t number = 0;
  for (std::string_view text : split(csv, '\n')) {
    ++number;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (number == 1) {
      if (text != header) return fail(Errc::Invalid, "{}: line 1: expected the columns {}", file_name, header);
      continue;
    }
    if (text.empty()) continue;
    if (limit > 0 && rows.size() >= static_cast<std::size_t>(limit)) break;
    Line line(text);
    if (line.size() != columns) {
      return fail(Errc::Invalid, "{}: line {}: expected {} fields, found {}", file_name, number, columns, line.size());
    }
    rows.push_back(read(line));
    if (!line.fault().empty()) return fail(Errc::Invalid, "{}: line {}: {}", file_name, number, line.fault());
  }
  return rows;
}

NodeGroup group_of(const OpenbNode& node) {
  NodeGroup group;
  group.name = fmt::format("openb-{}c-{}m-{}g{}", node.cpu_milli, node.memory_mib, node.gpus, node.model);
  group.prefix = group.name;
  group.cpu = fmt::format("{}m", node.cpu_milli);
  group.memory = fmt::format("{}Mi", node.memory_mib);
  group.pods = 256;  // large machines: Kubernetes' default of 110 would be the tightest limit
  if (node.gpus > 0) {
    group.resources[std::string(kGpuResource)] = fmt::format("{}", node.gpus);
    group.resources[std::string(kGpuMilliResource)] = fmt::format("{}", node.gpus * 1000);
  }
  if (!node.model.empty()) group.labels[std::string(kGpuModelLabel)] = node.model;
  return group;
}

Workload workload_of(const OpenbPod& pod, const OpenbSource& source) {
  Workload workload;
  workload.ns = kOpenbNamespace;
  workload.name = pod.name;
  workload.kind = WorkloadKind::Pod;
  workload.requests["cpu"] = fmt::format("{}m", pod.cpu_milli);
  workload.requests["memory"] = fmt::format("{}Mi", pod.memory_mib);
  if (pod.gpus > 0) {
    workload.requests[std::string(kGpuMilliResource)] = fmt::format("{}", pod.gpus * pod.gpu_milli);
    if (pod.gpu_milli == 1000) workload.requests[std::string(kGpuResource)] = fmt::format("{}", pod.gpus);
    workload.annotations[std::string(kGpuCountAnnotation)] = fmt::format("{}", pod.gpus);
    workload.annotations[std::string(kGpuMilliAnnotation)] = fmt::format("{}", pod.gpu_milli);
  }
  // Extended resources cannot be overcommitted: the limit equals the request.
  for (const auto& [name, amount] : workload.requests) {
    if (name != "cpu" && name != "memory") workload.limits[name] = amount;
  }
  if (!pod.gpu_models.empty()) workload.node_affinity[std::string(kGpuModelLabel)] = pod.gpu_models;
  if (!pod.qos.empty()) workload.labels["qos"] = pod.qos;
  workload.cpu_load = fmt::format("{:.0f}%", source.cpu_use * 100);
  workload.memory_load = fmt::format("{:.0f}%", source.memory_use * 100);
  return workload;
}

std::string trace_directory(const OpenbSource& source, const kube::Environment& environment) {
  if (!source.path.empty()) return source.path;
  return environment.find("RESCHEDULER_DATA").value_or("../shared/data") + "/openb";
}

}  // namespace

Result<std::vector<OpenbNode>> read_openb_nodes(std::string_view csv, std::string_view file_name, int limit) {
  return read_rows<OpenbNode>(csv, file_name, limit, kNodeHeader, [](Line& line) {
    return OpenbNode{line.name(0), line.number(1), line.number(2), line.number(3), line.text(4)};
  });
}

Result<std::vector<OpenbPod>> read_openb_pods(std::string_view csv, std::string_view file_name, int limit) {
  return read_rows<OpenbPod>(csv, file_name, limit, kPodHeader, [](Line& line) {
    OpenbPod pod{line.name(0), line.number(1), line.number(2), line.number(3), line.number(4)};
    const std::string models = line.text(5);
    if (!models.empty()) {
      for (const std::string_view model : split(models, '|')) pod.gpu_models.emplace_back(model);
    }
    pod.qos = line.text(6);
    pod.created = line.number(8);
    return pod;
  });
}

void add_openb(Scenario& scenario, const std::vector<OpenbNode>& nodes, const std::vector<OpenbPod>& pods) {
  const OpenbSource source = scenario.openb.value_or(OpenbSource{});
  for (const OpenbNode& node : nodes) {
    NodeGroup group = group_of(node);
    const auto found = std::ranges::find(scenario.node_groups, group.name, &NodeGroup::name);
    (found == scenario.node_groups.end() ? scenario.node_groups.emplace_back(std::move(group)) : *found)
        .names.push_back(node.name);
  }
  // The trace spans 149 days and most pods are at its end; only the order is used.
  std::vector<const OpenbPod*> sorted;
  for (const OpenbPod& pod : pods) sorted.push_back(&pod);
  std::ranges::sort(sorted, [](const OpenbPod* a, const OpenbPod* b) {
    return a->created != b->created ? a->created < b->created : a->name < b->name;
  });
  const auto step = source.arrive_within / std::max<std::int64_t>(1, static_cast<std::int64_t>(pods.size()) - 1);
  std::int64_t rank = 0;
  for (const OpenbPod* pod : sorted) {
    Workload workload = workload_of(*pod, source);
    workload.starts_at = step * rank++;
    scenario.workloads.push_back(std::move(workload));
  }
  if (!pods.empty() && std::ranges::find(scenario.namespaces, kOpenbNamespace) == scenario.namespaces.end()) {
    scenario.namespaces.emplace_back(kOpenbNamespace);
  }
}

Result<Scenario> with_openb(Scenario scenario, const kube::Environment& environment) {
  const OpenbSource source = scenario.openb.value_or(OpenbSource{});
  const std::string directory = trace_directory(source, environment);
  const auto read = [&](const std::string& file) -> Result<std::string> {
    auto text = kube::read_whole_file(directory + "/" + file, kMostFileBytes);
    if (text) return text;
    return fail(std::move(text.error())
                    .within("the openb trace (its directory is `openb.path`, or openb in $RESCHEDULER_DATA)"));
  };
  const std::string node_file = source.gpu_nodes_only ? "openb_node_list_gpu_node.csv" : "openb_node_list_all_node.csv";
  const std::string pod_file = "openb_pod_list_default.csv";
  auto node_text = read(node_file);
  if (!node_text) return fail(std::move(node_text.error()));
  auto pod_text = read(pod_file);
  if (!pod_text) return fail(std::move(pod_text.error()));
  const auto nodes = read_openb_nodes(*node_text, node_file, source.node_limit);
  if (!nodes) return fail(nodes.error());
  const auto pods = read_openb_pods(*pod_text, pod_file, source.pod_limit);
  if (!pods) return fail(pods.error());
  add_openb(scenario, *nodes, *pods);
  return scenario;
}

}  // namespace rescheduler::sim
