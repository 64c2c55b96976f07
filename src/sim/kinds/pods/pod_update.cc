// The few fields of an existing pod that can change.
#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "sim/kinds/pods/pod_rules.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kMayChange =
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
    "previously negative)";
constexpr std::int64_t kMostSeconds = 2'147'483'647;

using Containers = google::protobuf::RepeatedPtrField<api::Container>;

bool check_container_count(const Containers& before, const Containers& after, const At& at, Faults& faults) {
  if (before.size() == after.size()) return true;
  faults.forbidden(at.str(), "pod updates may not add or remove containers");
  return false;
}

bool check_deadline(const api::PodSpec& before, const api::PodSpec& after, const At& at, Faults& faults) {
  if (!after.has_active_deadline_seconds()) {
    if (before.has_active_deadline_seconds()) {
      faults.invalid(at.str(), "null", "must not update from a positive integer to nil value");
    }
    return true;
  }
  const std::int64_t deadline = after.active_deadline_seconds();
  if (deadline < 0 || deadline > kMostSeconds) {
    faults.invalid(at.str(), fmt::format("{}", deadline),
                   fmt::format("must be between 0 and {}, inclusive", kMostSeconds));
    return false;
  }
  if (before.has_active_deadline_seconds() && before.active_deadline_seconds() < deadline) {
    faults.invalid(at.str(), fmt::format("{}", deadline), "must be less than or equal to previous value");
    return false;
  }
  return true;
}

// Compares all fields except tolerationSeconds.
bool same_toleration(const api::Toleration& a, const api::Toleration& b) {
  return a.key() == b.key() && a.operator_() == b.operator_() && a.value() == b.value() && a.effect() == b.effect();
}

void check_toleration_additions(const api::PodSpec& before, const api::PodSpec& after, const At& at, Faults& faults) {
  for (const auto& old : before.tolerations()) {
    const bool kept =
        std::ranges::any_of(after.tolerations(), [&](const api::Toleration& now) { return same_toleration(old, now); });
    if (kept) continue;
    faults.forbidden(at.str(), "existing toleration can not be modified except its tolerationSeconds");
    return;
  }
}

void check_gate_removals(const api::PodSpec& before, const api::PodSpec& after, const At& at, Faults& faults) {
  for (int i = 0; i < after.scheduling_gates_size(); ++i) {
    const std::string& name = after.scheduling_gates(i).name();
    const bool old = std::ranges::any_of(before.scheduling_gates(),
                                         [&](const api::PodSchedulingGate& gate) { return gate.name() == name; });
    if (old) continue;
    faults.forbidden(at[i].child("name").str(),
                     fmt::format("only deletion is allowed, but found new scheduling gate '{}'", name));
  }
}

// --- while the pod has scheduling gates, its node affinity can be narrowed ---

bool begins_with(const google::protobuf::RepeatedPtrField<api::NodeSelectorRequirement>& longer,
                 const google::protobuf::RepeatedPtrField<api::NodeSelectorRequirement>& shorter) {
  if (longer.size() < shorter.size()) return false;
  for (int i = 0; i < shorter.size(); ++i) {
    if (!same(longer[i], shorter[i])) return false;
  }
  return true;
}

bool only_adds(const api::NodeSelectorTerm& before, const api::NodeSelectorTerm& after) {
  // An empty term selects nothing; an addition would widen the selection.
  if (before.match_expressions().empty() && before.match_fields().empty()) {
    return after.match_expressions().empty() && after.match_fields().empty();
  }
  return begins_with(after.match_expressions(), before.match_expressions())
         && begins_with(after.match_fields(), before.match_fields());
}

std::string terms_as_json(const google::protobuf::RepeatedPtrField<api::NodeSelectorTerm>& terms) {
  std::string out = "[";
  for (const auto& term : terms) {
    if (out.size() > 1) out += ',';
    out += json_of(term);
  }
  return out + "]";
}

void check_node_affinity_narrows(const api::PodSpec& before, const api::PodSpec& after, const At& at, Faults& faults) {
  const auto& old_affinity = before.affinity().node_affinity();
  const auto& old_terms = old_affinity.required_during_scheduling_ignored_during_execution().node_selector_terms();
  if (old_terms.empty()) return;
  const auto& new_terms =
      after.affinity().node_affinity().required_during_scheduling_ignored_during_execution().node_selector_terms();
  const At required = at.child("requiredDuringSchedulingIgnoredDuringExecution");
  const At terms = required.child("nodeSelectorTerms");
  if (old_terms.size() != new_terms.size()) {
    faults.invalid(terms.str(), terms_as_json(new_terms),
                   "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    return;
  }
  for (int i = 0; i < old_terms.size(); ++i) {
    if (only_adds(old_terms[i], new_terms[i])) continue;
    faults.invalid(terms[i].str(), json_of(new_terms[i]), "only additions are allowed (no mutations or deletions)");
  }
}

void check_node_selector_narrows(const api::PodSpec& before, const api::PodSpec& after, const At& at, Faults& faults) {
  for (const auto& [key, value] : before.node_selector()) {
    const auto found = after.node_selector().find(key);
    if (found != after.node_selector().end() && found->second == value) continue;
    faults.invalid(at.str(), json_of(after.node_selector()),
                   "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    return;
  }
}

void restore_node_affinity(const api::PodSpec& before, api::PodSpec& after) {
  if (before.affinity().has_node_affinity()) {
    *after.mutable_affinity()->mutable_node_affinity() = before.affinity().node_affinity();
    return;
  }
  if (after.has_affinity()) after.mutable_affinity()->clear_node_affinity();
  const bool nothing_left = !after.affinity().has_pod_affinity() && !after.affinity().has_pod_anti_affinity();
  if (!before.has_affinity() && nothing_left) after.clear_affinity();
}

// The new spec with all changeable fields set to their old values.
api::PodSpec without_allowed_changes(const api::PodSpec& before, const api::PodSpec& after) {
  api::PodSpec munged = after;
  for (int i = 0; i < munged.containers_size(); ++i) {
    munged.mutable_containers(i)->set_image(before.containers(i).image());
  }
  for (int i = 0; i < munged.init_containers_size(); ++i) {
    munged.mutable_init_containers(i)->set_image(before.init_containers(i).image());
  }
  munged.clear_active_deadline_seconds();
  if (before.has_active_deadline_seconds()) munged.set_active_deadline_seconds(before.active_deadline_seconds());
  *munged.mutable_scheduling_gates() = before.scheduling_gates();
  *munged.mutable_tolerations() = before.tolerations();
  if (before.termination_grace_period_seconds() < 0 && munged.termination_grace_period_seconds() == 1) {
    munged.set_termination_grace_period_seconds(before.termination_grace_period_seconds());
  }
  return munged;
}

std::string changed_fields(const api::PodSpec& before, const api::PodSpec& after) {
  std::vector<std::string> changed;
  const auto* reflection = before.GetReflection();
  api::PodSpec left = before;
  api::PodSpec right = after;
  for (int i = 0; i < before.GetDescriptor()->field_count(); ++i) {
    const auto* field = before.GetDescriptor()->field(i);
    api::PodSpec only_before;
    api::PodSpec only_after;
    reflection->SwapFields(&only_before, &left, {field});
    reflection->SwapFields(&only_after, &right, {field});
    if (!same(only_before, only_after)) changed.emplace_back(field->json_name());
  }
  return fmt::format("{}", fmt::join(changed, ", "));
}

void check_container_restarts(const api::Pod& before, const api::Pod& after, Faults& faults) {
  if (before.spec().restart_policy() == "Always") return;
  const At statuses = At("status.containerStatuses");
  for (int i = 0; i < before.status().container_statuses_size(); ++i) {
    const auto& old = before.status().container_statuses(i);
    if (!old.state().has_terminated()) continue;
    if (old.state().terminated().exit_code() != 0 && before.spec().restart_policy() == "OnFailure") continue;
    for (const auto& now : after.status().container_statuses()) {
      if (now.name() != old.name() || now.state().has_terminated()) continue;
      faults.forbidden(statuses[i].child("state").str(), "may not be transitioned to non-terminated state");
    }
  }
}

}  // namespace

void check_pod_update(const api::Pod& before, const api::Pod& after, Faults& faults) {
  const At at("spec");
  const auto& old = before.spec();
  const auto& now = after.spec();
  if (same(old, now)) return;
  if (!check_container_count(old.containers(), now.containers(), at.child("containers"), faults)) return;
  if (!check_container_count(old.init_containers(), now.init_containers(), at.child("initContainers"), faults)) return;
  if (!check_deadline(old, now, at.child("activeDeadlineSeconds"), faults)) return;
  check_toleration_additions(old, now, at.child("tolerations"), faults);
  check_gate_removals(old, now, at.child("schedulingGates"), faults);

  api::PodSpec munged = without_allowed_changes(old, now);
  if (!old.scheduling_gates().empty()) {
    if (!same_map(old.node_selector(), munged.node_selector())) {
      check_node_selector_narrows(old, munged, at.child("nodeSelector"), faults);
      *munged.mutable_node_selector() = old.node_selector();
    }
    if (!same(old.affinity().node_affinity(), munged.affinity().node_affinity())) {
      check_node_affinity_narrows(old, munged, at.child("affinity.nodeAffinity"), faults);
      restore_node_affinity(old, munged);
    }
  }
  if (same(old, munged)) return;
  faults.forbidden("spec", fmt::format("pod updates may not change fields other than {}\nchanged: {}", kMayChange,
                                       changed_fields(old, munged)));
}

void check_pod_status_update(const api::Pod& before, const api::Pod& after, Faults& faults) {
  const At at("status");
  const std::string& nominated = after.status().nominated_node_name();
  if (nominated != before.status().nominated_node_name() && !nominated.empty()) {
    check_dns_subdomain(nominated, at.child("nominatedNodeName"), faults);
    if (!before.spec().node_name().empty()) {
      faults.forbidden(at.child("nominatedNodeName").str(), "may not be set on pods that are already bound to a node");
    }
  }
  check_immutable(before.status().qos_class(), after.status().qos_class(), at.child("qosClass"), faults);
  check_container_restarts(before, after, faults);
}

}  // namespace rescheduler::sim
