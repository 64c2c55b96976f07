#include "migration/measurement.h"

#include <cmath>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "kube/value/time.h"
#include "migration/migration_reporter.h"

namespace rescheduler::migration {
namespace {

namespace json = boost::json;

// After this multiple of `settle` the load says nothing about the move any more.
constexpr int kTooLate = 3;

json::value parsed(const std::string& text) {
  json::error_code problem;
  json::value value = json::parse(text, problem);
  return !problem && value.is_object() ? value : json::value();
}

json::object record_of(const api::Migration& migration) {
  json::value value = parsed(migration.status().measured());
  return value.is_object() ? std::move(value.get_object()) : json::object();
}

double rounded(double seconds) { return std::round(seconds * 1000) / 1000; }

json::object* object_at(json::object& in, std::string_view key) {
  json::value* found = in.if_contains(json::string_view(key.data(), key.size()));
  return found != nullptr ? found->if_object() : nullptr;
}

}  // namespace

std::string measured_before(const api::Migration& migration, const NodeMeter& meter) {
  if (!meter) return {};
  json::object load;
  for (const auto& [key, node] :
       {std::pair{"source", &source_of(migration)}, std::pair{"target", &migration.spec().target()}}) {
    const json::value before = parsed(meter(*node));
    if (before.is_object()) load[key] = json::object{{"node", *node}, {"before", before}};
  }
  if (load.empty()) return {};
  return json::serialize(json::object{{"load", std::move(load)}});
}

std::string measured_at_end(const api::Migration& migration) {
  const api::MigrationStatus& status = migration.status();
  const WallTime began = status.has_started() ? kube::wall_time(status.started()) : kube::wall_time(status.finished());
  json::object record = record_of(migration);
  record["seconds"] = rounded(std::chrono::duration<double>(kube::wall_time(status.finished()) - began).count());
  record["unavailableReplicaSeconds"] = rounded(unavailable_seconds(migration));
  return json::serialize(record);
}

void note_measured(const api::Migration& migration, const NodeMeter& meter, api::MigrationStatus& status) {
  api::Migration written = migration;
  *written.mutable_status() = status;
  if (status.has_finished()) {
    status.set_measured(measured_at_end(written));
  } else if (status.phase() == to_string(Phase::Preparing) && !status.has_measured()) {
    std::string before = measured_before(written, meter);
    if (!before.empty()) status.set_measured(std::move(before));
  }
}

std::optional<std::string> measured_after(const api::Migration& migration,
                                          const NodeMeter& meter,
                                          std::chrono::nanoseconds settle,
                                          WallTime now) {
  if (!meter || !has_ended(migration) || !migration.status().has_finished()) return std::nullopt;
  if (!has_moved(result_of(migration))) return std::nullopt;
  const auto since = now - kube::wall_time(migration.status().finished());
  if (since < settle || since > kTooLate * settle) return std::nullopt;
  json::object record = record_of(migration);
  json::object* load = object_at(record, "load");
  if (load == nullptr) return std::nullopt;
  bool changed = false;
  for (const auto* key : {"source", "target"}) {
    json::object* node = object_at(*load, key);
    if (node == nullptr || node->contains("after")) continue;
    const json::value* name = node->if_contains("node");
    if (name == nullptr || !name->is_string()) continue;
    const json::value after = parsed(meter(std::string(name->get_string())));
    if (!after.is_object()) continue;
    (*node)["after"] = after;
    changed = true;
  }
  if (!changed) return std::nullopt;
  return json::serialize(record);
}

}  // namespace rescheduler::migration
