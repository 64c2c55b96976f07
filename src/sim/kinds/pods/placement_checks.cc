// Placement rules of a pod: affinity, tolerations, topology spread.
#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/value/integer.h"
#include "sim/kinds/pods/pod_rules.h"

namespace rescheduler::sim {
namespace {

using google::protobuf::RepeatedPtrField;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

enum class Values { Checked, AnyText };

void check_expression(const api::NodeSelectorRequirement& expression, Values values, const At& at, Faults& faults) {
  const std::string& op = expression.operator_();
  if (op == "In" || op == "NotIn") {
    if (expression.values().empty()) {
      faults.required(at.child("values").str(), "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!expression.values().empty()) {
      faults.forbidden(at.child("values").str(), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (expression.values_size() != 1) {
      faults.required(at.child("values").str(), "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    faults.invalid(at.child("operator").str(), kube::json_string(op), "not a valid selector operator");
  }
  check_label_key(expression.key(), at.child("key"), faults);
  if (values == Values::AnyText) return;
  const At list = at.child("values");
  for (int i = 0; i < expression.values_size(); ++i) check_label_value(expression.values(i), list[i], faults);
}

void check_field(const api::NodeSelectorRequirement& requirement, const At& at, Faults& faults) {
  const std::string& op = requirement.operator_();
  if (op != "In" && op != "NotIn") {
    faults.invalid(at.child("operator").str(), kube::json_string(op), "not a valid selector operator");
  } else if (requirement.values_size() != 1) {
    faults.required(at.child("values").str(),
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (requirement.key() != "metadata.name") {
    faults.invalid(at.child("key").str(), kube::json_string(requirement.key()), "not a valid field selector key");
    return;
  }
  const At values = at.child("values");
  for (int i = 0; i < requirement.values_size(); ++i) check_dns_subdomain(requirement.values(i), values[i], faults);
}

void check_term(const api::NodeSelectorTerm& term, Values values, const At& at, Faults& faults) {
  const At expressions = at.child("matchExpressions");
  for (int i = 0; i < term.match_expressions_size(); ++i) {
    check_expression(term.match_expressions(i), values, expressions[i], faults);
  }
  const At fields = at.child("matchFields");
  for (int i = 0; i < term.match_fields_size(); ++i) check_field(term.match_fields(i), fields[i], faults);
}

void check_weight(std::int32_t weight, const At& at, Faults& faults) {
  if (weight >= 1 && weight <= 100) return;
  faults.invalid(at.child("weight").str(), fmt::format("{}", weight), "must be in the range 1-100");
}

void check_node_affinity(const api::NodeAffinity& affinity, const At& at, Faults& faults) {
  if (affinity.has_required_during_scheduling_ignored_during_execution()) {
    check_node_selector(affinity.required_during_scheduling_ignored_during_execution(), at.child(kRequired), faults);
  }
  const At preferred = at.child(kPreferred);
  const auto& terms = affinity.preferred_during_scheduling_ignored_during_execution();
  for (int i = 0; i < terms.size(); ++i) {
    const At here = preferred[i];
    check_weight(terms[i].weight(), here, faults);
    check_term(terms[i].preference(), Values::AnyText, here.child("preference"), faults);
  }
}

template <class Keys>
bool has_key(const Keys& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

// The server has added an expression for each of matchLabelKeys. A second expression with the same key comes from the
// user.
template <class Term>
void check_match_label_keys(const Term& term, const At& at, Faults& faults) {
  const At keys = at.child("matchLabelKeys");
  for (int i = 0; i < term.match_label_keys_size(); ++i) {
    const std::string& key = term.match_label_keys(i);
    if (!term.has_label_selector()) {
      faults.forbidden(keys.str(), "must not be specified when labelSelector is not set");
      return;
    }
    check_label_key(key, keys[i], faults);
    int uses = term.label_selector().match_labels().contains(key) ? 1 : 0;
    for (const auto& expression : term.label_selector().match_expressions()) uses += expression.key() == key ? 1 : 0;
    if (uses > 1) {
      faults.invalid(at[i].str(), kube::json_string(key), "exists in both matchLabelKeys and labelSelector");
    }
  }
}

void check_pod_term(const api::PodAffinityTerm& term, const At& at, Faults& faults) {
  check_selector(term.label_selector(), at.child("labelSelector"), faults);
  check_selector(term.namespace_selector(), at.child("namespaceSelector"), faults);
  for (const std::string& ns : term.namespaces()) check_dns_label(ns, at.child("namespace"), faults);
  check_match_label_keys(term, at, faults);
  for (int i = 0; i < term.mismatch_label_keys_size(); ++i) {
    if (has_key(term.match_label_keys(), term.mismatch_label_keys(i))) {
      faults.invalid(at.child("matchLabelKeys")[i].str(), kube::json_string(term.mismatch_label_keys(i)),
                     "exists in both matchLabelKeys and mismatchLabelKeys");
    }
  }
  if (term.topology_key().empty()) faults.required(at.child("topologyKey").str(), "can not be empty");
  check_label_key(term.topology_key(), at.child("topologyKey"), faults);
}

template <class Affinity>
void check_pod_affinity(const Affinity& affinity, const At& at, Faults& faults) {
  const At required = at.child(kRequired);
  const auto& terms = affinity.required_during_scheduling_ignored_during_execution();
  for (int i = 0; i < terms.size(); ++i) check_pod_term(terms[i], required[i], faults);
  const At preferred = at.child(kPreferred);
  const auto& weighted = affinity.preferred_during_scheduling_ignored_during_execution();
  for (int i = 0; i < weighted.size(); ++i) {
    const At here = preferred[i];
    check_weight(weighted[i].weight(), here, faults);
    check_pod_term(weighted[i].pod_affinity_term(), here.child("podAffinityTerm"), faults);
  }
}

void check_toleration(const api::Toleration& toleration, const At& at, Faults& faults) {
  if (!toleration.key().empty()) check_label_key(toleration.key(), at.child("key"), faults);
  const std::string& op = toleration.operator_();
  if (toleration.key().empty() && op != "Exists") {
    faults.invalid(at.child("operator").str(), kube::json_string(op),
                   "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
  }
  if (toleration.has_toleration_seconds() && toleration.effect() != "NoExecute") {
    faults.invalid(at.child("effect").str(), kube::json_string(toleration.effect()),
                   "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (op.empty() || op == "Equal") {
    check_label_value(toleration.value(), at.child("operator"), faults);
  } else if (op == "Exists") {
    if (!toleration.value().empty()) {
      faults.invalid(at.child("operator").str(), kube::json_string(toleration.value()),
                     "value must be empty when `operator` is 'Exists'");
    }
  } else {
    faults.not_supported(at.child("operator").str(), op, {"Equal", "Exists"});
  }
  if (!toleration.effect().empty() && toleration.effect() != "NoExecute") {
    check_one_of(toleration.effect(), {"NoSchedule", "PreferNoSchedule", "NoExecute"}, at.child("effect"), faults);
  }
}

void check_constraint(const api::TopologySpreadConstraint& constraint, const At& at, Faults& faults) {
  check_positive(constraint.max_skew(), at.child("maxSkew"), faults);
  if (constraint.topology_key().empty()) faults.required(at.child("topologyKey").str(), "can not be empty");
  const std::string& action = constraint.when_unsatisfiable();
  if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
    faults.not_supported(at.child("whenUnsatisfiable").str(), action, {"DoNotSchedule", "ScheduleAnyway"});
  }
  if (constraint.has_min_domains()) {
    const At domains = at.child("minDomains");
    check_positive(constraint.min_domains(), domains, faults);
    if (action != "DoNotSchedule") {
      faults.invalid(domains.str(), fmt::format("{}", constraint.min_domains()),
                     fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", action));
    }
  }
  const auto check_policy = [&](bool given, const std::string& policy, std::string_view name) {
    if (!given || policy == "Honor" || policy == "Ignore") return;
    faults.not_supported(at.child(name).str(), policy, {"Honor", "Ignore"});
  };
  check_policy(constraint.has_node_affinity_policy(), constraint.node_affinity_policy(), "nodeAffinityPolicy");
  check_policy(constraint.has_node_taints_policy(), constraint.node_taints_policy(), "nodeTaintsPolicy");
  check_match_label_keys(constraint, at, faults);
  check_selector(constraint.label_selector(), at.child("labelSelector"), faults);
}

}  // namespace

void check_node_selector(const api::NodeSelector& selector, const At& at, Faults& faults) {
  const At terms = at.child("nodeSelectorTerms");
  if (selector.node_selector_terms().empty()) {
    faults.required(terms.str(), "must have at least one node selector term");
  }
  for (int i = 0; i < selector.node_selector_terms_size(); ++i) {
    check_term(selector.node_selector_terms(i), Values::Checked, terms[i], faults);
  }
}

void check_affinity(const api::Affinity& affinity, const At& at, Faults& faults) {
  if (affinity.has_node_affinity()) check_node_affinity(affinity.node_affinity(), at.child("nodeAffinity"), faults);
  if (affinity.has_pod_affinity()) check_pod_affinity(affinity.pod_affinity(), at.child("podAffinity"), faults);
  if (affinity.has_pod_anti_affinity()) {
    check_pod_affinity(affinity.pod_anti_affinity(), at.child("podAntiAffinity"), faults);
  }
}

void check_tolerations(const RepeatedPtrField<api::Toleration>& tolerations, const At& at, Faults& faults) {
  for (int i = 0; i < tolerations.size(); ++i) check_toleration(tolerations[i], at[i], faults);
}

void check_spread(const RepeatedPtrField<api::TopologySpreadConstraint>& constraints, const At& at, Faults& faults) {
  for (int i = 0; i < constraints.size(); ++i) {
    const auto& constraint = constraints[i];
    const At here = at[i];
    check_constraint(constraint, here, faults);
    for (int j = i + 1; j < constraints.size(); ++j) {
      if (constraints[j].topology_key() != constraint.topology_key()
          || constraints[j].when_unsatisfiable() != constraint.when_unsatisfiable()) {
        continue;
      }
      faults.duplicate(here.child("{topologyKey, whenUnsatisfiable}").str(),
                       fmt::format("{{{}, {}}}", constraint.topology_key(), constraint.when_unsatisfiable()));
      break;
    }
  }
}

}  // namespace rescheduler::sim
