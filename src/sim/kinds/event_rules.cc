// Events, of both APIs.
#include <fmt/format.h>

#include "kube/proto/events.pb.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"

namespace rescheduler::sim {
namespace {

const std::string* reference_field(const api::ObjectReference& reference, std::string_view field) {
  if (field == "kind") return &reference.kind();
  if (field == "namespace") return &reference.namespace_();
  if (field == "name") return &reference.name();
  if (field == "uid") return &reference.uid();
  if (field == "apiVersion") return &reference.api_version();
  if (field == "resourceVersion") return &reference.resource_version();
  return field == "fieldPath" ? &reference.field_path() : nullptr;
}

const std::string* event_field(const api::Event& event, std::string_view field, std::string&) {
  for (const std::string_view prefix : {"involvedObject.", "regarding."}) {
    if (field.starts_with(prefix)) return reference_field(event.regarding(), field.substr(prefix.size()));
  }
  if (field == "reason") return &event.reason();
  if (field == "reportingComponent" || field == "reportingController") return &event.reporting_controller();
  if (field == "type") return &event.type();
  if (field != "source") return nullptr;
  const std::string& source = event.deprecated_source().component();
  return source.empty() ? &event.reporting_controller() : &source;
}

std::vector<std::string> event_fields(bool core) {
  std::vector<std::string> fields = {"reason", "type", core ? "reportingComponent" : "reportingController"};
  if (core) fields.emplace_back("source");
  for (const char* name : {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
    fields.push_back(fmt::format("{}.{}", core ? "involvedObject" : "regarding", name));
  }
  return fields;
}

void check_namespace(const api::Event& event, Faults& faults) {
  const std::string& ns = event.metadata().namespace_();
  const std::string& about = event.regarding().namespace_();
  if (about.empty() ? ns == "default" || ns == "kube-system" : about == ns) return;
  faults.invalid("involvedObject.namespace", kube::json_string(about), "does not match event.namespace");
}

// For events.k8s.io only. The core API checks less, for compatibility with old clients.
void check_strictly(const api::Event& event, Faults& faults) {
  check_namespace(event, faults);
  if (event.has_series()) {
    if (event.series().count() < 2) faults.invalid("series.count", "\"\"", "should be at least 2");
    if (!event.series().has_last_observed_time()) faults.required("series.lastObservedTime");
  }
  if (!event.has_event_time()) {
    // An event of the core API, updated through events.k8s.io.
    if (event.has_deprecated_first_timestamp()) return;
    faults.required("eventTime");
  }
  if (event.type() != "Normal" && event.type() != "Warning") {
    faults.invalid("type", "\"\"", fmt::format("has invalid value: {}", event.type()));
  }
  if (event.reporting_controller().empty()) faults.required("reportingController");
  if (event.reporting_instance().empty()) faults.required("reportingInstance");
  if (event.action().empty()) faults.required("action");
  if (event.reason().empty()) faults.required("reason");
}

// Zero nanoseconds can be set or absent.
bool same_moment(const api::MicroTime& a, const api::MicroTime& b) {
  return a.seconds() == b.seconds() && a.nanos() == b.nanos();
}

void check_kept(const api::Event& before, const api::Event& after, Faults& faults) {
  check_immutable(before.regarding(), after.regarding(), At("involvedObject"), faults);
  check_immutable(before.reason(), after.reason(), At("reason"), faults);
  check_immutable(before.note(), after.note(), At("message"), faults);
  check_immutable(before.type(), after.type(), At("type"), faults);
  if (!same_moment(before.event_time(), after.event_time())) {
    faults.invalid("eventTime", "", "field is immutable");
  }
  check_immutable(before.action(), after.action(), At("action"), faults);
}

}  // namespace

KindRules event_rules(bool core) {
  KindRules rules;
  rules.field = on<api::Event>(event_field);
  rules.selectable_fields = event_fields(core);
  if (core) {
    rules.validate = on<api::Event>(check_namespace);
    return rules;
  }
  rules.validate = on<api::Event>(check_strictly);
  rules.validate_update = on_both<api::Event>(check_kept);
  return rules;
}

}  // namespace rescheduler::sim
