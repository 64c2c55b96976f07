#include "sim/load/node_text.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "sim/load/load_model.h"

namespace rescheduler::sim {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

using Out = std::back_insert_iterator<std::string>;

void head(Out out, std::string_view name, std::string_view type, std::string_view help) {
  fmt::format_to(out, "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

// The model has a resolution of milliseconds.
void value(Out out, std::int64_t billionths) {
  fmt::format_to(out, " {}.{:03}\n", billionths / kBillion, billionths % kBillion / 1'000'000);
}

void cpu_lines(Out out, const NodeCounters& counters) {
  head(out, "node_cpu_seconds_total", "counter", "Seconds the CPUs spent in each mode.");
  const std::array<std::pair<std::string_view, std::int64_t>, 4> modes{
      {{"idle", counters.idle}, {"iowait", counters.iowait}, {"system", counters.system}, {"user", counters.user}}};
  for (std::int64_t cpu = 0; cpu < counters.cpus; ++cpu) {
    for (const auto& [mode, total] : modes) {
      fmt::format_to(out, "node_cpu_seconds_total{{cpu=\"{}\",mode=\"{}\"}}", cpu, mode);
      value(out, (total + counters.cpus - 1 - cpu) / counters.cpus);  // these add up to the total
    }
  }
}

void gauge(Out out, std::string_view name, std::string_view help, std::int64_t amount) {
  head(out, name, "gauge", help);
  fmt::format_to(out, "{} {}\n", name, amount);
}

std::string container_labels(const LoadModel::ContainerCounters& one) {
  const auto slash = one.pod.find('/');
  return fmt::format(R"({{container="{}",namespace="{}",pod="{}"}})", one.name, one.pod.substr(0, slash),
                     one.pod.substr(slash + 1));
}

std::string container_metrics_text(LoadModel& load, std::string_view node) {
  std::string text;
  const Out out(text);
  const auto all = load.container_counters(node);
  head(out, "container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed in seconds.");
  for (const auto& one : all) {
    fmt::format_to(out, "container_cpu_usage_seconds_total{}", container_labels(one));
    value(out, one.cpu);
  }
  head(out, "container_memory_working_set_bytes", "gauge", "Current working set in bytes.");
  for (const auto& one : all) {
    fmt::format_to(out, "container_memory_working_set_bytes{} {}\n", container_labels(one), one.memory);
  }
  return text;
}

}  // namespace

std::string node_metrics_text(const NodeCounters& counters) {
  std::string text;
  text.reserve(2048 + static_cast<std::size_t>(counters.cpus) * 280);
  const Out out(text);
  head(out, "node_boot_time_seconds", "gauge", "Node boot time, in unixtime.");
  fmt::format_to(out, "node_boot_time_seconds {}\n", counters.boot / 1000);
  cpu_lines(out, counters);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kLoads{
      {{"node_load1", "1m load average."}, {"node_load5", "5m load average."}, {"node_load15", "15m load average."}}};
  for (std::size_t i = 0; i < kLoads.size(); ++i) {
    head(out, kLoads[i].first, "gauge", kLoads[i].second);
    fmt::format_to(out, "{} {:.2f}\n", kLoads[i].first, counters.load[i]);
  }
  const std::int64_t available = counters.memory_capacity - counters.memory;
  gauge(out, "node_memory_MemAvailable_bytes", "Memory information field MemAvailable_bytes.", available);
  // A kernel uses most of the free memory for its caches.
  gauge(out, "node_memory_MemFree_bytes", "Memory information field MemFree_bytes.", available / 4);
  gauge(out, "node_memory_MemTotal_bytes", "Memory information field MemTotal_bytes.", counters.memory_capacity);
  head(out, "node_pressure_cpu_waiting_seconds_total", "counter",
       "Total time in seconds that processes have waited for CPU time.");
  fmt::format_to(out, "node_pressure_cpu_waiting_seconds_total");
  value(out, counters.waiting);
  head(out, "node_time_seconds", "gauge", "System time in seconds since epoch (1970).");
  fmt::format_to(out, "node_time_seconds {}.{:03}\n", counters.now / 1000, counters.now % 1000);
  head(out, "node_uname_info", "gauge", "Labeled system information as provided by the uname system call.");
  fmt::format_to(out, "node_uname_info{{machine=\"x86_64\",nodename=\"{}\",sysname=\"Linux\"}} 1\n", counters.name);
  return text;
}

std::optional<std::string> metrics_for_path(LoadModel& load, std::string_view path) {
  constexpr std::string_view kPlain = "/nodes/", kPlainEnd = "/metrics";
  constexpr std::string_view kProxy = "/api/v1/nodes/", kProxyEnd = "/proxy/metrics";
  constexpr std::string_view kContainers = "/cadvisor";
  const bool containers = path.ends_with(kContainers);
  if (containers) path.remove_suffix(kContainers.size());
  std::string_view name = path;
  if (path.starts_with(kProxy) && path.ends_with(kProxyEnd) && path.size() > kProxy.size() + kProxyEnd.size()) {
    name = path.substr(kProxy.size(), path.size() - kProxy.size() - kProxyEnd.size());
    if (!load.reports(name)) return std::nullopt;
  } else if (path.starts_with(kPlain) && path.ends_with(kPlainEnd) && path.size() > kPlain.size() + kPlainEnd.size()) {
    name = path.substr(kPlain.size(), path.size() - kPlain.size() - kPlainEnd.size());
  } else {
    return std::nullopt;
  }
  const auto counters = load.node_counters(name);
  if (!counters) return std::nullopt;
  return containers ? container_metrics_text(load, name) : node_metrics_text(*counters);
}

}  // namespace rescheduler::sim
