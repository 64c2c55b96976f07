#include "cli/plan/plan_usage.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "kube/config/file.h"
#include "scheduler/load_sources.h"
#include "usage/metrics_server_source.h"
#include "usage/pod_use.h"
#include "usage/prometheus_source.h"
#include "usage/recorded_source.h"

namespace rescheduler::cli {
namespace {

using cluster::LoadBasis;

constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
constexpr std::string_view kPrometheus = "prometheus";
constexpr std::string_view kPrometheusAt = "prometheus=";
constexpr std::string_view kMetricsServer = "metrics-server";

// Nothing: an address, a file, or no name of a source.
std::optional<cluster::LoadSourceKind> source_named(const std::string& usage) {
  if (usage == kPrometheus) return cluster::LoadSourceKind::Prometheus;
  if (usage == kMetricsServer) return cluster::LoadSourceKind::MetricsServer;
  return std::nullopt;
}

std::vector<std::string> resources_of(const cluster::LoadSettings& settings) {
  std::vector<std::string> names{"cpu", "memory"};
  for (const auto& one : settings.resources) names.push_back(one.name);
  return names;
}

usage::SampleRules rules_of(const cluster::LoadSettings& settings) {
  usage::SampleRules rules;
  rules.freshness = settings.freshness;
  return rules;
}

void by_requests(SnapshotInput& into) {
  cluster::LoadSummary load_summary;
  load_summary.basis = LoadBasis::Requests;
  load_summary.source = "requests";
  into.snapshot.cluster().set_load_summary(load_summary);
}

// Uses the newest valid sample of each node and resource.
void put_samples(usage::Reading reading,
                 const std::string& source,
                 const cluster::LoadSettings& settings,
                 WallTime now,
                 SnapshotInput& into,
                 std::vector<std::string>& notes) {
  const usage::Reading sifted = usage::sift(std::move(reading), rules_of(settings), now);
  if (sifted.dropped.total() != 0)
    notes.push_back(fmt::format("{}: samples not used: {}", source, sifted.dropped.text()));
  cluster::Cluster& cluster = into.snapshot.cluster();
  std::map<cluster::NodeIndex, cluster::NodeLoad> loads;
  for (const usage::Sample& sample : sifted.samples) {
    const auto node = cluster.find_node(sample.node);
    if (node && sample.resource < cluster::kMostLoads) loads[*node].used[sample.resource] = sample.value;
  }
  if (loads.empty()) {
    notes.push_back(fmt::format("{} has no fresh sample of any node: nodes are judged by requests", source));
    return by_requests(into);
  }
  cluster::LoadSummary load_summary;
  load_summary.basis = LoadBasis::Usage;
  load_summary.source = source;
  load_summary.resources = resources_of(settings);
  for (std::size_t i = 0; i < std::min(load_summary.resources.size(), cluster::kMostLoads); ++i) {
    double sum = 0;
    double known = 0;
    for (const auto& [node, load] : loads) {
      if (!load.knows(i)) continue;
      sum += load.used[i];
      known += 1;
    }
    if (known > 0) load_summary.mean[i] = sum / known;
  }
  for (const auto& [node, load] : loads) cluster.set_load(node, load);
  cluster.set_load_summary(load_summary);
  for (const auto& [name, used] : into.pods) {
    const auto uid = into.uids.find(name);
    if (uid != into.uids.end()) into.snapshot.set_pod_usage(uid->second, used);
  }
}

// NodeMetrics of the dump as shares of the capacity of their nodes. Their age does not matter, because they have the
// same time as the other objects.
usage::Reading dumped(const SnapshotInput& from, WallTime now) {
  usage::Reading reading = from.measured;
  for (usage::Sample& sample : reading.samples) {
    const auto node = std::ranges::find(from.nodes, sample.node, &usage::NodeIdentity::name);
    sample.at = now;
    if (node == from.nodes.end()) {
      sample.value = cluster::kUnknownLoad;
      continue;
    }
    const double whole = sample.resource == cluster::kCpuLoad ? node->cpu : node->memory;
    sample.value = whole > 0 ? sample.value / whole : cluster::kUnknownLoad;
  }
  return reading;
}

// A dump without a live cluster.
Result<void> put_dumped(const std::string& usage,
                        const cluster::LoadSettings& settings,
                        WallTime now,
                        SnapshotInput& into,
                        std::vector<std::string>& notes) {
  if (usage == kPrometheus) {
    return fail(Errc::Invalid, "a dump does not show the Service of Prometheus: use --usage prometheus=URL");
  }
  if (!into.measured.samples.empty()) {
    put_samples(dumped(into, now), std::string(kMetricsServer), settings, now, into, notes);
    return {};
  }
  if (!usage.empty())
    return fail(Errc::Invalid, "there are no NodeMetrics in the dump: add nodes.metrics.k8s.io to it");
  notes.emplace_back("judged by requests: the dump has no NodeMetrics, and --usage names no other source");
  by_requests(into);
  return {};
}

Result<void> put_file(const std::string& path,
                      const cluster::LoadSettings& settings,
                      WallTime now,
                      SnapshotInput& into,
                      std::vector<std::string>& notes) {
  const auto text = kube::read_whole_file(path, kMostBytes);
  if (!text) return fail(text.error());
  const bool is_list = text->find("NodeMetrics") != std::string::npos;
  if (is_list) {
    if (auto read = read_dump(*text, path, into); !read) return read;
    put_samples(dumped(into, now), path, settings, now, into, notes);
    return {};
  }
  auto samples = usage::parse_recorded(*text, resources_of(settings));
  if (!samples) return fail(std::move(samples.error()).within(path));
  std::map<std::pair<std::string, std::size_t>, usage::Sample> newest;
  for (usage::Sample& sample : *samples) {
    const auto key = std::pair(sample.node, sample.resource);
    newest.insert_or_assign(key, std::move(sample));
  }
  usage::Reading reading;
  for (auto& [key, sample] : newest) {
    sample.at = now;  // samples of a file count as current
    reading.samples.push_back(std::move(sample));
  }
  put_samples(std::move(reading), path, settings, now, into, notes);
  return {};
}

using Sources = std::vector<std::unique_ptr<usage::Source>>;

// Measured usage of pods is better than a part of the node's load. Without it, the parts are used.
void read_pods(std::span<const std::unique_ptr<usage::Source>> sources,
               const cluster::LoadSettings& settings,
               const LiveSources& live,
               WallTime now,
               SnapshotInput& into,
               std::vector<std::string>& notes) {
  if (live.api == nullptr) return;  // the dump has its own
  const auto reading = live.loop->await_result(usage::read_pods(sources, rules_of(settings), now));
  if (!reading) {
    notes.push_back(fmt::format("the usage of single pods is not known: {}", reading.error().message));
    return;
  }
  for (const usage::PodUse& pod : reading->pods) {
    into.pods[fmt::format("{}/{}", pod.ns, pod.name)] = {pod.cpu, pod.memory};
  }
}

// The first of the node sources that answers. The usage of pods comes from it or from a source after it.
struct SourceList {
  Sources all{};
  std::size_t of_nodes = 0;  // the others measure only pods
};

Result<void> put_first(const SourceList& list,
                       const cluster::LoadSettings& settings,
                       const LiveSources& live,
                       WallTime now,
                       SnapshotInput& into,
                       std::vector<std::string>& notes) {
  const auto nodes = std::make_shared<const std::vector<usage::NodeIdentity>>(into.nodes);
  std::string why = "no load source is configured";
  for (std::size_t i = 0; i < list.of_nodes; ++i) {
    auto reading = live.loop->await_result(list.all[i]->read(nodes, now));
    if (!reading) {
      why = reading.error().message;
      continue;
    }
    const bool last = i + 1 == list.of_nodes;
    if (!last && usage::sift(*reading, rules_of(settings), now).samples.empty()) {
      notes.push_back(fmt::format("{} has no fresh sample of any node", list.all[i]->name()));
      continue;
    }
    read_pods(std::span(list.all).subspan(i), settings, live, now, into, notes);
    put_samples(std::move(*reading), std::string(list.all[i]->name()), settings, now, into, notes);
    return {};
  }
  return fail(Errc::Unavailable, "{}", why);
}

// The sources of the configuration, or the one that --usage names.
Result<SourceList> sources_for(const std::string& usage, cluster::LoadSettings settings, const LiveSources& live) {
  SourceList list;
  if (usage.starts_with(kPrometheusAt)) {
    usage::PrometheusSettings at;
    at.url = usage.substr(kPrometheusAt.size());
    auto source = usage::make_prometheus_source(*live.services, std::move(at));
    if (!source) return fail(std::move(source.error()));
    list.all.push_back(std::move(*source));
  } else {
    if (const auto kind = source_named(usage)) {
      std::erase_if(settings.sources, [&](const cluster::LoadSource& one) { return one.kind != *kind; });
      if (settings.sources.empty()) settings.sources = {{.kind = *kind}};
    }
    auto sources = scheduler::make_sources(settings, *live.api, *live.services);
    if (!sources) return fail(std::move(sources.error()));
    list.all = std::move(*sources);
  }
  list.of_nodes = list.all.size();
  if (!usage.empty() && usage != kMetricsServer && live.api != nullptr) {
    list.all.push_back(usage::make_metrics_server_source(*live.api));
  }
  return list;
}

}  // namespace

Result<void> put_loads(const std::string& usage,
                       const cluster::LoadSettings& settings,
                       const LiveSources& live,
                       WallTime now,
                       SnapshotInput& into,
                       std::vector<std::string>& notes) {
  if (usage == "requests") {
    by_requests(into);
    return {};
  }
  if (live.api == nullptr && (usage.empty() || source_named(usage)))
    return put_dumped(usage, settings, now, into, notes);
  if (!usage.empty() && !usage.starts_with(kPrometheusAt) && !source_named(usage)) {
    if (live.api != nullptr) {
      Sources pods;
      pods.push_back(usage::make_metrics_server_source(*live.api));
      read_pods(pods, settings, live, now, into, notes);
    }
    return put_file(usage, settings, now, into, notes);
  }
  const auto list = sources_for(usage, settings, live);
  if (!list) return fail(list.error());
  auto put = put_first(*list, settings, live, now, into, notes);
  if (put || !usage.empty()) return put;
  notes.push_back(fmt::format("judged by requests: {}", put.error().message));
  by_requests(into);
  return {};
}

}  // namespace rescheduler::cli
