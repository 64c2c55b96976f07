#include "usage/load_feed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/log.h"
#include "usage/messages.h"

namespace rescheduler::usage {
namespace {

constexpr std::chrono::nanoseconds kUntilNodesCome = std::chrono::seconds{1};
constexpr std::array kUnmeasured{"requests", "turns"};

std::vector<std::string> names_of(const std::vector<std::unique_ptr<Source>>& sources) {
  std::vector<std::string> names;
  for (const auto& one : sources) names.emplace_back(one->name());
  return names;
}

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

void count_drops(MetricRegistry& metrics, const DropCounts& dropped) {
  for (std::size_t i = 0; i < kDrops; ++i) {
    const auto why = static_cast<Drop>(i);
    metrics
        .counter("rescheduler_load_samples_dropped_total", "Load samples that were not used, by reason.",
                 {{"reason", std::string(to_string(why))}})
        .add(static_cast<double>(dropped[why]));
  }
}

}  // namespace

std::string remedy_of(std::string_view source, bool installed) {
  if (source == "metrics-server") return "kubectl top nodes";
  if (!source.starts_with("prometheus")) return {};
  return installed ? "kubectl get pods -A | grep prometheus" : "tools/monitoring/deploy-enhanced-monitoring.sh";
}

std::string LoadFeedStatus::text(WallTime now) const {
  std::string text = in_charge;
  const auto source = std::ranges::find(sources, in_charge, &SourceStatus::name);
  if (source != sources.end()) {
    text += fmt::format(": {} of {} nodes", nodes_measured, nodes);
    if (source->newest_sample)
      text += fmt::format(", newest sample {:.0f} s old", seconds(now - *source->newest_sample));
    if (dropped.total() > 0) text += fmt::format(", dropped {}", dropped.text());
    if (!pods_by.empty() && pods_by != in_charge) text += fmt::format(", usage of pods from {}", pods_by);
  }
  // The errors of the better sources, and of the current source if only its last read failed.
  const auto end = source == sources.end() ? source : source + 1;
  for (auto one = sources.begin(); one != end; ++one) {
    if (!one->last_error.empty()) text += fmt::format("; {}", one->last_error);
  }
  // The best source is worth most.
  if (sources.empty() || source == sources.begin() || sources.front().last_error.empty()) return text;
  const std::string command = remedy_of(sources.front().name, sources.front().installed);
  if (!command.empty()) text += fmt::format("; for a better source: {}", command);
  return text;
}

LoadFeed::LoadFeed(kube::LoopServices services,
                   LoadFeedSettings settings,
                   std::vector<std::unique_ptr<Source>> sources,
                   LoadFeedCallbacks callbacks)
    : services_(std::move(services)),
      settings_(settings),
      sources_(std::move(sources)),
      callbacks_(std::move(callbacks)),
      fallback_(names_of(sources_), settings.fallback) {
  RESCHEDULER_CHECK(callbacks_.nodes && callbacks_.taken && callbacks_.fell_back && callbacks_.changed,
                    "a feed needs all its callbacks");
  for (const auto& one : sources_) {
    status_.sources.push_back({.name = std::string(one->name())});
    failures(status_.sources.back().name).add(0.0);  // so that the metric exists from the start
  }
  count_drops(*services_.metrics, {});
  show();
}

net::Task<void> LoadFeed::run() {
  for (;;) {
    auto done = co_await round();
    if (!done) co_return;
    // The informers sync soon: the wait is shorter than the interval between two reads.
    const auto pause = status_.nodes == 0 ? std::min(settings_.interval, kUntilNodesCome) : settings_.interval;
    auto slept = co_await services_.timers->sleep_for(pause);
    if (!slept) co_return;
  }
}

net::Task<Result<void>> LoadFeed::round() {
  const NodeList nodes = callbacks_.nodes();
  status_.nodes = nodes ? nodes->size() : 0;
  if (status_.nodes == 0) co_return Result<void>{};
  notify_changed(fallback_.requests_judgeable(requests_judgeable(*nodes)));
  fallback_.begin_round(services_.clock->steady_now());
  while (const auto next = fallback_.next()) {
    auto done = co_await read(*next, nodes);
    if (!done) co_return done;
  }
  if (!fallback_.source()) callbacks_.fell_back(fallback_.basis(), fallback_.name());
  show();
  co_return Result<void>{};
}

net::Task<Result<void>> LoadFeed::read(std::size_t source, NodeList nodes) {
  auto reading = co_await sources_[source]->read(nodes, services_.clock->wall_now());
  if (!reading && reading.error().code == Errc::Cancelled) co_return fail(std::move(reading.error()));
  if (reading) {
    answered(source, std::move(*reading), nodes);
  } else {
    failed(source, std::move(reading.error()));
  }
  co_return Result<void>{};
}

net::Task<Result<std::vector<PodUse>>> LoadFeed::read_pods() {
  const auto current = fallback_.source();
  const auto candidates = std::span(sources_).subspan(current ? *current : sources_.size());
  auto reading = co_await usage::read_pods(candidates, settings_.rules, services_.clock->wall_now());
  status_.pods_by = reading ? reading->source : "";
  if (!reading) co_return fail(std::move(reading.error()));
  co_return std::move(reading->pods);
}

void LoadFeed::answered(std::size_t source, Reading raw, const NodeList& nodes) {
  Reading reading = sift(std::move(raw), settings_.rules, services_.clock->wall_now());
  count_drops(*services_.metrics, reading.dropped);
  if (reading.samples.empty()) {
    status_.dropped = reading.dropped;
    const std::string dropped = reading.dropped.text();
    failed(source,
           Error{Errc::Unavailable, fmt::format("{}: the answer has no usable samples ({})", sources_[source]->name(),
                                                dropped.empty() ? "the answer is empty" : dropped)});
    return;
  }
  SourceStatus& source_status = status_.sources[source];
  source_status.last_error.clear();
  source_status.installed = true;
  source_status.last_answer = services_.clock->wall_now();
  source_status.newest_sample = reading.newest();
  notify_changed(fallback_.answered(source));
  if (fallback_.source() != source) return;  // a better source answered, but it is not current yet
  status_.dropped = reading.dropped;
  status_.nodes = nodes->size();
  status_.nodes_measured =
      static_cast<std::size_t>(std::ranges::count(reading.samples, cluster::kCpuLoad, &Sample::resource));
  callbacks_.taken(std::move(reading), fallback_.name());
}

Counter& LoadFeed::failures(const std::string& source) {
  return services_.metrics->counter("rescheduler_load_source_failures_total", "Readings of a load source that failed.",
                                    {{"source", source}});
}

void LoadFeed::failed(std::size_t source, Error error) {
  SourceStatus& status = status_.sources[source];
  status.installed = error.code != Errc::NotFound;
  status.last_error = error.message;
  if (status.installed) failures(status.name).add();
  notify_changed(fallback_.failed(source, {std::move(error.message), has_fresh_data(source), status.installed}));
}

bool LoadFeed::has_fresh_data(std::size_t source) const {
  const auto newest = status_.sources[source].newest_sample;
  return newest && *newest >= services_.clock->wall_now() - settings_.rules.freshness;
}

void LoadFeed::notify_changed(const std::optional<Fallback::Change>& change) {
  if (!change) return;
  if (change->basis != cluster::LoadBasis::Usage) {
    status_.nodes_measured = 0;
    // At the start of a cluster no source has data yet. This is not a loss, so no warning.
    const auto level = change->from.empty() ? LogLevel::Info : LogLevel::Warning;
    const LogField fields[] = {{"judgedBy", change->to}, {"reason", change->why}};
    log_message(level, messages::kNotMeasured, fields);
  } else {
    const LogField fields[] = {{"source", change->to}, {"reason", change->why}};
    log_message(change->loss ? LogLevel::Warning : LogLevel::Info, messages::kMeasuredBy, fields);
  }
  callbacks_.changed(*change);
}

void LoadFeed::show() {
  status_.in_charge = fallback_.name();
  status_.basis = fallback_.basis();
  const auto shown = [this](const std::string& name) {
    services_.metrics
        ->gauge("rescheduler_load_source", "1 for the source that node load is judged by, 0 for the other sources.",
                {{"source", name}})
        .set(name == status_.in_charge ? 1.0 : 0.0);
  };
  for (const SourceStatus& one : status_.sources) shown(one.name);
  for (const char* name : kUnmeasured) shown(name);
  const auto source = fallback_.source();
  const auto newest = source ? status_.sources[*source].newest_sample : std::nullopt;
  services_.metrics
      ->gauge("rescheduler_load_sample_age_seconds",
              "Age of the newest sample of the load source in use; NaN if no source measures the load.")
      .set(newest ? seconds(services_.clock->wall_now() - *newest) : std::nan(""));
}

}  // namespace rescheduler::usage
