// Deployments, replica sets and replication controllers.
#include "sim/kinds/workload_rules.h"

#include <fmt/format.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"

namespace rescheduler::sim {

void check_always_restarting(const api::PodTemplateSpec& pod_template,
                             std::string_view kind,
                             const At& at,
                             Faults& faults) {
  if (pod_template.spec().restart_policy() != "Always") {
    faults.not_supported(at.child("spec.restartPolicy").str(), pod_template.spec().restart_policy(), {"Always"});
  }
  if (pod_template.spec().has_active_deadline_seconds()) {
    faults.forbidden(at.child("spec.activeDeadlineSeconds").str(),
                     fmt::format("activeDeadlineSeconds in {} is not Supported", kind));
  }
}

void check_selector_and_template(bool has_selector,
                                 const api::LabelSelector& selector,
                                 const api::PodTemplateSpec& pod_template,
                                 const WorkloadNames& names,
                                 Faults& faults) {
  const At at("spec");
  const At here = at.child("template");
  const bool empty = selector.match_labels().empty() && selector.match_expressions().empty();
  if (!has_selector) {
    faults.required("spec.selector");
  } else {
    check_selector(selector, at.child("selector"), faults);
    if (empty) {
      faults.invalid("spec.selector", "{}", fmt::format("empty selector is invalid for {}", names.owner));
    }
  }
  // A missing selector selects nothing, so the template's labels are invalid too, as in the real server.
  if (!has_selector || (!empty && !selects(selector, pod_template.metadata().labels()))) {
    faults.invalid("spec.template.metadata.labels", json_of(pod_template.metadata().labels()),
                   "`selector` does not match template `labels`");
  }
  check_pod_template(pod_template, here, faults);
  check_always_restarting(pod_template, names.kind, here, faults);
}

namespace {

void set_text(api::IntOrString& value, std::string_view text) {
  value.set_type(1);
  value.set_str_val(std::string(text));
}

// --- Deployment ---

void default_deployment(api::Deployment& deployment) {
  auto& spec = *deployment.mutable_spec();
  if (!spec.has_replicas()) spec.set_replicas(1);
  auto& strategy = *spec.mutable_strategy();
  if (strategy.type().empty()) strategy.set_type("RollingUpdate");
  if (strategy.type() == "RollingUpdate") {
    auto& rolling = *strategy.mutable_rolling_update();
    if (!rolling.has_max_unavailable()) set_text(*rolling.mutable_max_unavailable(), "25%");
    if (!rolling.has_max_surge()) set_text(*rolling.mutable_max_surge(), "25%");
  }
  if (!spec.has_revision_history_limit()) spec.set_revision_history_limit(10);
  if (!spec.has_progress_deadline_seconds()) spec.set_progress_deadline_seconds(600);
  spec.mutable_template_()->mutable_metadata();
  default_pod_spec(*spec.mutable_template_()->mutable_spec());
}

void check_strategy(const api::DeploymentStrategy& strategy, const At& at, Faults& faults) {
  if (strategy.type() == "Recreate") {
    if (strategy.has_rolling_update()) {
      faults.forbidden(at.child("rollingUpdate").str(), "may not be specified when strategy `type` is 'Recreate'");
    }
    return;
  }
  if (strategy.type() != "RollingUpdate") {
    faults.add("FieldValueNotSupported",
               fmt::format("Unsupported value: {}: supported values: \"Recreate\", \"RollingUpdate\"",
                           json_of(static_cast<const Message&>(strategy))),
               at.str());
    return;
  }
  const auto& rolling = strategy.rolling_update();
  const At here = at.child("rollingUpdate");
  check_count_or_percent(rolling.max_unavailable(), here.child("maxUnavailable"), faults);
  check_count_or_percent(rolling.max_surge(), here.child("maxSurge"), faults);
  if (count_or_percent(rolling.max_unavailable()) == 0 && count_or_percent(rolling.max_surge()) == 0) {
    faults.invalid(here.child("maxUnavailable").str(), json_of(rolling.max_unavailable()),
                   "may not be 0 when `maxSurge` is 0");
  }
  check_at_most_100_percent(rolling.max_unavailable(), here.child("maxUnavailable"), faults);
}

void check_deployment(const api::Deployment& deployment, Faults& faults) {
  const auto& spec = deployment.spec();
  const At at("spec");
  check_not_negative(spec.replicas(), at.child("replicas"), faults);
  check_selector_and_template(spec.has_selector(), spec.selector(), spec.template_(), {"deployment", "ReplicaSet"},
                              faults);
  check_strategy(spec.strategy(), at.child("strategy"), faults);
  check_not_negative(spec.min_ready_seconds(), at.child("minReadySeconds"), faults);
  check_not_negative(spec.revision_history_limit(), at.child("revisionHistoryLimit"), faults);
  if (!spec.has_progress_deadline_seconds()) return;
  check_not_negative(spec.progress_deadline_seconds(), at.child("progressDeadlineSeconds"), faults);
  if (spec.progress_deadline_seconds() <= spec.min_ready_seconds()) {
    faults.invalid("spec.progressDeadlineSeconds", fmt::format("{}", spec.progress_deadline_seconds()),
                   "must be greater than minReadySeconds");
  }
}

template <class Workload>
void check_selector_kept(const Workload& before, const Workload& after, Faults& faults) {
  check_immutable(before.spec().selector(), after.spec().selector(), At("spec.selector"), faults);
}

// --- ReplicaSet ---

void default_replica_set(api::ReplicaSet& set) {
  auto& spec = *set.mutable_spec();
  if (!spec.has_replicas()) spec.set_replicas(1);
  spec.mutable_template_()->mutable_metadata();
  default_pod_spec(*spec.mutable_template_()->mutable_spec());
}

void check_replica_set(const api::ReplicaSet& set, Faults& faults) {
  const auto& spec = set.spec();
  const At at("spec");
  check_not_negative(spec.replicas(), at.child("replicas"), faults);
  check_not_negative(spec.min_ready_seconds(), at.child("minReadySeconds"), faults);
  check_selector_and_template(spec.has_selector(), spec.selector(), spec.template_(), {"deployment", "ReplicaSet"},
                              faults);
}

const std::string* replicas_field(std::int32_t replicas, std::string_view field, std::string& scratch) {
  if (field != "status.replicas") return nullptr;
  scratch = fmt::format("{}", replicas);
  return &scratch;
}

// --- ReplicationController ---

void default_controller(api::ReplicationController& controller) {
  auto& spec = *controller.mutable_spec();
  if (!spec.has_replicas()) spec.set_replicas(1);
  if (!spec.has_template_()) return;
  const auto& labels = spec.template_().metadata().labels();
  if (spec.selector().empty()) *spec.mutable_selector() = labels;
  if (controller.metadata().labels().empty()) *controller.mutable_metadata()->mutable_labels() = labels;
  default_pod_spec(*spec.mutable_template_()->mutable_spec());
}

void check_controller(const api::ReplicationController& controller, Faults& faults) {
  const auto& spec = controller.spec();
  const At at("spec");
  check_not_negative(spec.min_ready_seconds(), at.child("minReadySeconds"), faults);
  if (spec.selector().empty()) faults.required("spec.selector");
  check_not_negative(spec.replicas(), at.child("replicas"), faults);
  if (!spec.has_template_()) return faults.required("spec.template");
  const auto& labels = spec.template_().metadata().labels();
  const bool matches = std::ranges::all_of(spec.selector(), [&](const auto& wanted) {
    const auto found = labels.find(wanted.first);
    return found != labels.end() && found->second == wanted.second;
  });
  if (!matches) {
    faults.invalid("spec.template.metadata.labels", json_of(labels), "`selector` does not match template `labels`");
  }
  const At here = at.child("template");
  check_pod_template(spec.template_(), here, faults);
  check_always_restarting(spec.template_(), "ReplicationController", here, faults);
}

bool annotations_differ(const api::ObjectMeta& a, const api::ObjectMeta& b) {
  const auto& left = a.annotations();
  const auto& right = b.annotations();
  if (left.size() != right.size()) return true;
  for (const auto& [key, value] : left) {
    const auto found = right.find(key);
    if (found == right.end() || found->second != value) return true;
  }
  return false;
}

}  // namespace

KindRules deployment_rules() {
  KindRules rules;
  add_status_rules<api::Deployment>(rules);
  // Annotations count too: the controller must copy them to its ReplicaSets.
  rules.spec_differs = on_both<api::Deployment>([](const api::Deployment& before, const api::Deployment& after) {
    return !same(before.spec(), after.spec()) || annotations_differ(before.metadata(), after.metadata());
  });
  rules.defaults = on<api::Deployment>(default_deployment);
  rules.validate = on<api::Deployment>(check_deployment);
  rules.validate_update = on_both<api::Deployment>(check_selector_kept<api::Deployment>);
  rules.on_status_update = on_both<api::Deployment>([](const api::Deployment& before, api::Deployment& after) {
    *after.mutable_spec() = before.spec();
    *after.mutable_metadata()->mutable_labels() = before.metadata().labels();
  });
  return rules;
}

KindRules replica_set_rules() {
  KindRules rules;
  add_status_rules<api::ReplicaSet>(rules);
  add_generation<api::ReplicaSet>(rules);
  rules.defaults = on<api::ReplicaSet>(default_replica_set);
  rules.validate = on<api::ReplicaSet>(check_replica_set);
  rules.validate_update = on_both<api::ReplicaSet>(check_selector_kept<api::ReplicaSet>);
  rules.field = on<api::ReplicaSet>([](const api::ReplicaSet& set, std::string_view field, std::string& scratch) {
    return replicas_field(set.status().replicas(), field, scratch);
  });
  rules.selectable_fields = {"status.replicas"};
  return rules;
}

KindRules replication_controller_rules() {
  using Controller = api::ReplicationController;
  KindRules rules;
  add_status_rules<Controller>(rules);
  add_generation<Controller>(rules);
  rules.defaults = on<Controller>(default_controller);
  rules.validate = on<Controller>(check_controller);
  rules.field = on<Controller>([](const Controller& controller, std::string_view field, std::string& scratch) {
    return replicas_field(controller.status().replicas(), field, scratch);
  });
  rules.selectable_fields = {"status.replicas"};
  return rules;
}

}  // namespace rescheduler::sim
