#include "cli/plan/plan_usage.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kube/config/file.h"
#include "scheduler/load_sources.h"
#include "usage/prometheus_source.h"
#include "usage/recorded_source.h"

namespace rescheduler::cli {
namespace {

using cluster::LoadBasis;

constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
constexpr std::string_view kPrometheus = "prometheus=";

std::vector<std::string> resources_of(const cluster::LoadSettings& settings) {
  std::vector<std::string> names{"cpu", "memory"};
  for (const auto& one : settings.resources) names.push_back(one.name);
  return names;
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
  usage::SampleRules rules;
  rules.freshness = settings.freshness;
  const usage::Reading sifted = usage::sift(std::move(reading), rules, now);
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

Result<void> put_first(const Sources& sources,
                       const cluster::LoadSettings& settings,
                       const LiveSources& live,
                       WallTime now,
                       SnapshotInput& into,
                       std::vector<std::string>& notes) {
  const auto nodes = std::make_shared<const std::vector<usage::NodeIdentity>>(into.nodes);
  std::string why = "no load source is configured";
  for (const auto& source : sources) {
    auto reading = live.loop->await_result(source->read(nodes, now));
    if (!reading) {
      why = reading.error().message;
      continue;
    }
    put_samples(std::move(*reading), std::string(source->name()), settings, now, into, notes);
    return {};
  }
  return fail(Errc::Unavailable, "{}", why);
}

Result<Sources> prometheus_at(const std::string& url, const LiveSources& live) {
  usage::PrometheusSettings settings;
  settings.url = url;
  settings.queries = usage::default_queries(settings.instance_label);
  auto source = usage::make_prometheus_source(*live.services, std::move(settings));
  if (!source) return fail(std::move(source.error()));
  Sources sources;
  sources.push_back(std::move(*source));
  return sources;
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
  const bool has_metrics = !into.measured.samples.empty();
  if (live.api == nullptr && (usage.empty() || usage == "metrics-server")) {
    if (has_metrics) {
      put_samples(dumped(into, now), "metrics-server", settings, now, into, notes);
      return {};
    }
    if (!usage.empty())
      return fail(Errc::Invalid, "there are no NodeMetrics in the dump: add nodes.metrics.k8s.io to it");
    notes.emplace_back("judged by requests: the dump has no NodeMetrics, and --usage names no other source");
    by_requests(into);
    return {};
  }
  if (live.api != nullptr) {
    // Measured usage of pods is better than a part of the node's load. Without it, the parts are used.
    auto pods = live.loop->await_result(read_pod_metrics(*live.api, into));
    if (!pods) notes.push_back(fmt::format("the usage of single pods is not known: {}", pods.error().message));
  }
  if (usage.starts_with(kPrometheus)) {
    const auto sources = prometheus_at(usage.substr(kPrometheus.size()), live);
    if (!sources) return fail(sources.error());
    return put_first(*sources, settings, live, now, into, notes);
  }
  if (!usage.empty() && usage != "metrics-server") return put_file(usage, settings, now, into, notes);
  cluster::LoadSettings wanted = settings;
  if (!usage.empty()) wanted.sources = {{.kind = cluster::LoadSourceKind::MetricsServer}};
  const auto sources = scheduler::make_sources(wanted, *live.api, *live.services);
  if (!sources) return fail(sources.error());
  auto put = put_first(*sources, wanted, live, now, into, notes);
  if (put || !usage.empty()) return put;
  notes.push_back(fmt::format("judged by requests: {}", put.error().message));
  by_requests(into);
  return {};
}

}  // namespace rescheduler::cli
