#include "scheduler/load_sources.h"

#include <fmt/format.h>

#include "kube/config/file.h"
#include "usage/metrics_server_source.h"
#include "usage/prometheus_search.h"
#include "usage/prometheus_source.h"
#include "usage/recorded_source.h"

namespace rescheduler::scheduler {
namespace {

using cluster::LoadSource;
using cluster::LoadSourceKind;
using SourcePtr = std::unique_ptr<usage::Source>;

// The default queries for CPU and memory unless the source has its own; further resources have their own query.
std::vector<usage::PrometheusQuery> queries_of(const LoadSource& source, const cluster::LoadSettings& settings) {
  std::vector<usage::PrometheusQuery> queries = usage::default_queries(source.instance_label);
  for (const cluster::LoadResource& one : settings.resources) {
    queries.push_back({.resource = one.name, .expression = one.query, .unit = one.unit});
  }
  for (usage::PrometheusQuery& query : queries) {
    const auto own = source.queries.find(query.resource);
    if (own == source.queries.end()) continue;
    query.expression = own->second;
    query.freshness_query.clear();  // the default freshness query fits only the default series
  }
  return queries;
}

// The first Prometheus source is "prometheus", the second "prometheus-2", so that events and metrics distinguish them.
std::string name_of(const LoadSource& source, const cluster::LoadSettings& settings) {
  int number = 1;
  for (const LoadSource& other : settings.sources) {
    if (&other == &source) break;
    if (other.kind == source.kind) ++number;
  }
  return number == 1 ? "prometheus" : fmt::format("prometheus-{}", number);
}

Result<SourcePtr> make_prometheus(const LoadSource& source,
                                  const cluster::LoadSettings& settings,
                                  kube::Api& api,
                                  const kube::LoopServices& services) {
  usage::PrometheusSettings made;
  made.name = name_of(source, settings);
  made.url = source.address;
  made.queries = queries_of(source, settings);
  made.instance_label = source.instance_label;
  made.find = {source.match_node_by, source.node_label};
  made.ca_file = source.ca_file;
  made.insecure_skip_verify = source.insecure_skip_verify;
  made.timeout = source.timeout;
  if (!source.bearer_token_file.empty()) {
    made.credentials = kube::TokenFile{source.bearer_token_file};
  } else if (!source.username.empty()) {
    auto password = kube::read_whole_file(source.password_file, kube::kMostCredentialFileBytes);
    if (!password) return fail(std::move(password.error()).within("load source prometheus"));
    while (password->ends_with('\n') || password->ends_with('\r')) password->pop_back();
    made.credentials = kube::BasicAuth{source.username, kube::Secret(std::move(*password))};
  }
  if (source.address.empty()) {
    return usage::make_found_prometheus_source(api, services, std::move(made), source.namespaces);
  }
  return usage::make_prometheus_source(services, std::move(made));
}

Result<SourcePtr> make_source(const LoadSource& source,
                              const cluster::LoadSettings& settings,
                              kube::Api& api,
                              const kube::LoopServices& services) {
  switch (source.kind) {
    case LoadSourceKind::Prometheus: return make_prometheus(source, settings, api, services);
    case LoadSourceKind::MetricsServer: return usage::make_metrics_server_source(api, {.timeout = source.timeout});
    case LoadSourceKind::File: break;
  }
  std::vector<std::string> names;
  for (const usage::ResourceSettings& one : load_tracker_settings(settings).resources) names.push_back(one.name);
  return usage::make_recorded_source(source.path, names, usage::RecordedTime::FromFirstReading);
}

}  // namespace

usage::LoadTrackerSettings load_tracker_settings(const cluster::LoadSettings& settings) {
  usage::LoadTrackerSettings tracker;
  for (const cluster::LoadResource& one : settings.resources) tracker.resources.push_back({.name = one.name});
  tracker.smoothing = settings.smoothing;
  tracker.rules.freshness = settings.freshness;
  return tracker;
}

Result<std::vector<SourcePtr>> make_sources(const cluster::LoadSettings& settings,
                                            kube::Api& api,
                                            const kube::LoopServices& services) {
  std::vector<SourcePtr> sources;
  for (const LoadSource& one : settings.sources) {
    auto source = make_source(one, settings, api, services);
    if (!source) return fail(std::move(source.error()));
    sources.push_back(std::move(*source));
  }
  return sources;
}

}  // namespace rescheduler::scheduler
