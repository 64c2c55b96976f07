#include "sim/controllers/event_writer.h"

#include "kube/proto/core_common.pb.h"
#include "kube/proto/events.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/time.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

namespace {

WallTime last_seen(const api::Event& event) {
  const api::MicroTime& micro =
      event.series().has_last_observed_time() ? event.series().last_observed_time() : event.event_time();
  if (micro.has_seconds()) return kube::wall_time(micro);
  const api::Time& old =
      event.has_deprecated_last_timestamp() ? event.deprecated_last_timestamp() : event.metadata().creation_timestamp();
  return kube::wall_time(old);
}

// Kubernetes' controllers and kubelets write events of the core API: a source, two times and a count instead of
// eventTime, action and series.
api::Event core_event(const kube::EventWrite& write, const kube::EventReporter& reporter) {
  api::Event event = kube::to_event(*write.record, write.series, reporter);
  event.clear_event_time();
  event.clear_action();
  event.clear_series();
  event.clear_reporting_instance();
  event.mutable_deprecated_source()->set_component(reporter.controller);
  if (!reporter.instance.empty()) {
    event.set_reporting_instance(reporter.instance);
    event.mutable_deprecated_source()->set_host(reporter.instance);
  }
  *event.mutable_deprecated_first_timestamp() = stamp(write.series.first);
  *event.mutable_deprecated_last_timestamp() = stamp(write.series.last);
  event.set_deprecated_count(write.series.count);
  return event;
}

}  // namespace

EventWriter::EventWriter(Server& server, EventWriterSettings settings)
    : server_(server), settings_(settings), correlator_(settings.correlator) {
  const Kind& kind = server_.kinds().of<api::Event>();
  server_.store().for_each(kind, "", "", [this](const VersionPtr& version) {
    keep(*version);
    return true;
  });
  subscription_ = server_.store().subscribe(&kind, [this](const Change& change) {
    if (change.what == Change::What::Added) keep(*change.after);
  });
}

EventWriter::~EventWriter() {
  for (const Agenda::Ticket ticket : {flush_at_, refresh_at_, expire_at_}) server_.agenda().cancel(ticket);
}

void EventWriter::note(kube::EventRecord record, kube::EventReporter reporter) {
  if (!settings_.enabled) return;
  auto admission = correlator_.admit(std::move(record), server_.agenda().wall_now(), server_.agenda().steady_now());
  if (admission.write) queue(std::move(*admission.write), std::move(reporter));
  if (!refresh_at_ && correlator_.series() > 0) {
    refresh_at_ = server_.agenda().after(settings_.correlator.refresh, [this] { refresh(); });
  }
}

void EventWriter::queue(kube::EventWrite write, kube::EventReporter reporter) {
  pending_.push_back(Pending{std::move(write), std::move(reporter)});
  if (!flush_at_) flush_at_ = server_.agenda().after(Agenda::Duration{0}, [this] { flush(); });
}

void EventWriter::flush() {
  flush_at_ = {};
  const std::vector<Pending> writes = std::exchange(pending_, {});
  for (const Pending& pending : writes) {
    const bool succeeded = perform(pending);
    auto next = correlator_.finished(pending.write, succeeded, server_.agenda().steady_now());
    if (next) queue(std::move(*next), pending.reporter);
  }
}

bool EventWriter::perform(const Pending& pending) {
  const kube::EventWrite& write = pending.write;
  if (write.kind == kube::EventWrite::Kind::Create) {
    return server_.create(core_event(write, pending.reporter)).has_value();
  }
  return server_
      .modify<api::Event>(kube::event_namespace(*write.record), write.series.name,
                          [&](api::Event& event) {
                            event.set_deprecated_count(write.series.count);
                            *event.mutable_deprecated_last_timestamp() = stamp(write.series.last);
                          })
      .has_value();
}

// Writes the delayed counts.
void EventWriter::refresh() {
  refresh_at_ = {};
  for (kube::EventWrite& write : correlator_.due(server_.agenda().steady_now())) queue(std::move(write), {});
  if (correlator_.series() > 0) {
    refresh_at_ = server_.agenda().after(settings_.correlator.refresh, [this] { refresh(); });
  }
}

void EventWriter::keep(const Version& event) {
  const auto object = event.as<api::Event>();
  const WallTime until = server_.agenda().wall_now() + settings_.time_to_live;
  expiries_.emplace_hint(expiries_.end(), until, std::pair(object->metadata().namespace_(), object->metadata().name()));
  schedule_expiry();
}

void EventWriter::schedule_expiry() {
  if (expire_at_ || expiries_.empty()) return;
  expire_at_ = server_.agenda().after(expiries_.begin()->first - server_.agenda().wall_now(), [this] { expire(); });
}

void EventWriter::expire() {
  expire_at_ = {};
  const WallTime now = server_.agenda().wall_now();
  while (!expiries_.empty() && expiries_.begin()->first <= now) {
    const auto [ns, name] = expiries_.extract(expiries_.begin()).mapped();
    const auto event = server_.find<api::Event>(ns, name);
    if (!event) continue;
    const WallTime until = last_seen(*event) + settings_.time_to_live;
    if (until > now) {  // it occurred again
      expiries_.emplace(until, std::pair(ns, name));
      continue;
    }
    static_cast<void>(server_.remove(server_.kinds().of<api::Event>(), ns, name, api::DeleteOptions()));
  }
  schedule_expiry();
}

}  // namespace rescheduler::sim
