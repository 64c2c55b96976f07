// StatefulSets, DaemonSets and ControllerRevisions.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "kube/proto/apps.pb.h"
#include "kube/value/repeated.h"
#include "sim/kinds/resources.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"
#include "sim/kinds/workload_rules.h"

namespace rescheduler::sim {
namespace {

// --- StatefulSet ---

void default_stateful_set(api::StatefulSet& set) {
  auto& spec = *set.mutable_spec();
  if (spec.pod_management_policy().empty()) spec.set_pod_management_policy("OrderedReady");
  auto& strategy = *spec.mutable_update_strategy();
  if (strategy.type().empty()) {
    strategy.set_type("RollingUpdate");
    strategy.mutable_rolling_update();
  }
  if (strategy.type() == "RollingUpdate" && strategy.has_rolling_update()
      && !strategy.rolling_update().has_partition()) {
    strategy.mutable_rolling_update()->set_partition(0);
  }
  auto& retention = *spec.mutable_persistent_volume_claim_retention_policy();
  if (retention.when_deleted().empty()) retention.set_when_deleted("Retain");
  if (retention.when_scaled().empty()) retention.set_when_scaled("Retain");
  if (!spec.has_replicas()) spec.set_replicas(1);
  if (!spec.has_revision_history_limit()) spec.set_revision_history_limit(10);
  for (auto& claim : *spec.mutable_volume_claim_templates()) {
    if (!claim.spec().has_volume_mode()) claim.mutable_spec()->set_volume_mode("Filesystem");
    if (claim.status().phase().empty()) claim.mutable_status()->set_phase("Pending");
    canonicalize(*claim.mutable_spec()->mutable_resources()->mutable_requests());
  }
  spec.mutable_template_()->mutable_metadata();
  default_pod_spec(*spec.mutable_template_()->mutable_spec());
}

void check_update_strategy(const api::StatefulSetUpdateStrategy& strategy, const At& at, Faults& faults) {
  const At rolling = at.child("rollingUpdate");
  if (strategy.type().empty()) {
    faults.required(at.str());
  } else if (strategy.type() == "OnDelete") {
    if (strategy.has_rolling_update()) {
      faults.invalid(rolling.str(), json_of(static_cast<const Message&>(strategy.rolling_update())),
                     "only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (strategy.type() == "RollingUpdate") {
    const auto& update = strategy.rolling_update();
    check_not_negative(update.partition(), rolling.child("partition"), faults);
    if (!update.has_max_unavailable()) return;
    const At most = rolling.child("maxUnavailable");
    check_count_or_percent(update.max_unavailable(), most, faults);
    if (count_or_percent(update.max_unavailable()) == 0) {
      faults.invalid(most.str(), json_of(update.max_unavailable()), "cannot be 0");
    }
    check_at_most_100_percent(update.max_unavailable(), most, faults);
  } else {
    faults.invalid(at.str(), json_of(static_cast<const Message&>(strategy)), "must be 'RollingUpdate' or 'OnDelete'");
  }
}

// The template as its pods have it: with the volumes from claim templates.
api::PodTemplateSpec with_claimed_volumes(const api::StatefulSetSpec& spec) {
  api::PodTemplateSpec full = spec.template_();
  full.mutable_spec()->clear_hostname();
  full.mutable_spec()->clear_subdomain();
  auto& volumes = *full.mutable_spec()->mutable_volumes();
  for (const auto& claim : spec.volume_claim_templates()) {
    const std::string& name = claim.metadata().name();
    kube::erase_if(volumes, [&](const api::Volume& volume) { return volume.name() == name; });
    auto& volume = *volumes.Add();
    volume.set_name(name);
    volume.mutable_volume_source()->mutable_persistent_volume_claim()->set_claim_name(name);
  }
  return full;
}

void check_stateful_set(const api::StatefulSet& set, Faults& faults) {
  const auto& spec = set.spec();
  const At at("spec");
  const std::string& policy = spec.pod_management_policy();
  if (policy.empty()) {
    faults.required("spec.podManagementPolicy");
  } else if (policy != "OrderedReady" && policy != "Parallel") {
    faults.invalid("spec.podManagementPolicy", kube::json_string(policy), "must be 'OrderedReady' or 'Parallel'");
  }
  check_update_strategy(spec.update_strategy(), at.child("updateStrategy"), faults);
  const auto& retention = spec.persistent_volume_claim_retention_policy();
  const At kept = at.child("persistentVolumeClaimRetentionPolicy");
  check_one_of(retention.when_deleted(), {"Retain", "Delete"}, kept.child("whenDeleted"), faults);
  check_one_of(retention.when_scaled(), {"Retain", "Delete"}, kept.child("whenScaled"), faults);
  check_not_negative(spec.replicas(), at.child("replicas"), faults);
  check_not_negative(spec.min_ready_seconds(), at.child("minReadySeconds"), faults);
  if (spec.has_ordinals()) check_not_negative(spec.ordinals().start(), at.child("ordinals.start"), faults);
  if (!spec.service_name().empty()) check_dns_label(spec.service_name(), at.child("serviceName"), faults);
  check_selector_and_template(spec.has_selector(), spec.selector(), with_claimed_volumes(spec),
                              {"statefulset", "StatefulSet"}, faults);
}

void check_stateful_set_update(const api::StatefulSet& before, const api::StatefulSet& after, Faults& faults) {
  api::StatefulSetSpec munged = after.spec();
  const auto& old = before.spec();
  const auto restore = [&](const char* name) {
    const auto* field = old.GetDescriptor()->FindFieldByName(name);
    api::StatefulSetSpec copy = old;
    munged.GetReflection()->SwapFields(&munged, &copy, {field});
  };
  for (const char* name : {"replicas", "template", "update_strategy", "min_ready_seconds", "ordinals",
                           "revision_history_limit", "persistent_volume_claim_retention_policy"}) {
    restore(name);
  }
  if (same(munged, old)) return;
  faults.forbidden("spec",
                   "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
                   "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
                   "'minReadySeconds' are forbidden");
}

// --- DaemonSet ---

void set_number(api::IntOrString& value, std::int32_t number) {
  value.set_type(0);
  value.set_int_val(number);
}

void default_daemon_set(api::DaemonSet& set) {
  auto& spec = *set.mutable_spec();
  auto& strategy = *spec.mutable_update_strategy();
  if (strategy.type().empty()) strategy.set_type("RollingUpdate");
  if (strategy.type() == "RollingUpdate") {
    auto& rolling = *strategy.mutable_rolling_update();
    if (!rolling.has_max_unavailable()) set_number(*rolling.mutable_max_unavailable(), 1);
    if (!rolling.has_max_surge()) set_number(*rolling.mutable_max_surge(), 0);
  }
  if (!spec.has_revision_history_limit()) spec.set_revision_history_limit(10);
  spec.mutable_template_()->mutable_metadata();
  default_pod_spec(*spec.mutable_template_()->mutable_spec());
}

void check_daemon_strategy(const api::DaemonSetUpdateStrategy& strategy, const At& at, Faults& faults) {
  if (strategy.type() == "OnDelete") return;
  if (strategy.type() != "RollingUpdate") {
    faults.add("FieldValueNotSupported",
               fmt::format("Unsupported value: {}: supported values: \"RollingUpdate\", \"OnDelete\"",
                           json_of(static_cast<const Message&>(strategy))),
               at.str());
    return;
  }
  const auto& rolling = strategy.rolling_update();
  const At here = at.child("rollingUpdate");
  const At unavailable = here.child("maxUnavailable");
  const At surge = here.child("maxSurge");
  check_count_or_percent(rolling.max_unavailable(), unavailable, faults);
  check_count_or_percent(rolling.max_surge(), surge, faults);
  check_at_most_100_percent(rolling.max_unavailable(), unavailable, faults);
  check_at_most_100_percent(rolling.max_surge(), surge, faults);
  const bool has_unavailable = count_or_percent(rolling.max_unavailable()) != 0;
  const bool has_surge = count_or_percent(rolling.max_surge()) != 0;
  if (has_unavailable && has_surge) {
    faults.invalid(surge.str(), json_of(rolling.max_surge()), "may not be set when maxUnavailable is non-zero");
  } else if (!has_unavailable && !has_surge) {
    faults.required(unavailable.str(), "cannot be 0 when maxSurge is 0");
  }
}

void check_daemon_set(const api::DaemonSet& set, Faults& faults) {
  const auto& spec = set.spec();
  const At at("spec");
  check_selector_and_template(spec.has_selector(), spec.selector(), spec.template_(), {"daemonset", "DaemonSet"},
                              faults);
  check_not_negative(spec.min_ready_seconds(), at.child("minReadySeconds"), faults);
  check_daemon_strategy(spec.update_strategy(), at.child("updateStrategy"), faults);
  check_not_negative(spec.revision_history_limit(), at.child("revisionHistoryLimit"), faults);
}

// Counts the versions of the template in an annotation, because apps/v1 has no field for this count any more.
void count_template(const api::DaemonSet& before, api::DaemonSet& after) {
  constexpr std::string_view kGeneration = "deprecated.daemonset.template.generation";
  std::int64_t generation = 0;
  if (const auto found = before.metadata().annotations().find(kGeneration);
      found != before.metadata().annotations().end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), generation);
  }
  generation = std::max<std::int64_t>(generation, 1);
  if (!same(before.spec().template_(), after.spec().template_())) ++generation;
  (*after.mutable_metadata()->mutable_annotations())[std::string(kGeneration)] = std::to_string(generation);
}

}  // namespace

KindRules stateful_set_rules() {
  KindRules rules;
  add_status_rules<api::StatefulSet>(rules);
  add_generation<api::StatefulSet>(rules);
  rules.defaults = on<api::StatefulSet>(default_stateful_set);
  rules.validate = on<api::StatefulSet>(check_stateful_set);
  rules.validate_update = on_both<api::StatefulSet>(check_stateful_set_update);
  rules.name_fault = dns_label_name;
  return rules;
}

KindRules daemon_set_rules() {
  KindRules rules;
  add_status_rules<api::DaemonSet>(rules);
  add_generation<api::DaemonSet>(rules);
  rules.on_create = [reset = rules.on_create](Message& set, const RuleContext& context, Faults& faults) {
    reset(set, context, faults);
    count_template(static_cast<const api::DaemonSet&>(set), static_cast<api::DaemonSet&>(set));
  };
  const auto counted = [](auto restore) {
    return [restore = std::move(restore)](const Message& before, Message& after) {
      restore(before, after);
      count_template(static_cast<const api::DaemonSet&>(before), static_cast<api::DaemonSet&>(after));
    };
  };
  rules.on_update = counted(std::move(rules.on_update));
  rules.on_status_update = counted(std::move(rules.on_status_update));
  rules.defaults = on<api::DaemonSet>(default_daemon_set);
  rules.validate = on<api::DaemonSet>(check_daemon_set);
  rules.validate_update =
      on_both<api::DaemonSet>([](const api::DaemonSet& before, const api::DaemonSet& after, Faults& faults) {
        check_immutable(before.spec().selector(), after.spec().selector(), At("spec.selector"), faults);
      });
  return rules;
}

KindRules controller_revision_rules() {
  using Revision = api::ControllerRevision;
  KindRules rules;
  rules.validate = on<Revision>([](const Revision& revision, Faults& faults) {
    check_not_negative(revision.revision(), At("revision"), faults);
    if (revision.data().raw().empty()) faults.required("data", "data is mandatory");
  });
  rules.validate_update = on_both<Revision>([](const Revision& before, const Revision& after, Faults& faults) {
    check_immutable(before.data(), after.data(), At("data"), faults);
  });
  return rules;
}

}  // namespace rescheduler::sim
