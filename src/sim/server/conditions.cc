#include "sim/server/conditions.h"

#include <chrono>
#include <utility>

#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {

api::Time stamp(WallTime time) {
  api::Time stamped;
  stamped.set_seconds(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
  return stamped;
}

namespace {

template <class Conditions>
auto find_in(Conditions& conditions, std::string_view type) -> decltype(&*conditions.begin()) {
  for (auto& condition : conditions) {
    if (condition.type() == type) return &condition;
  }
  return nullptr;
}

// Empty texts stay unset, as in the API.
template <class Condition>
void write(Condition& condition, const ConditionText& text) {
  condition.set_type(std::string(text.type));
  condition.set_status(std::string(text.status));
  if (text.reason.empty()) {
    condition.clear_reason();
  } else {
    condition.set_reason(std::string(text.reason));
  }
  if (text.message.empty()) {
    condition.clear_message();
  } else {
    condition.set_message(std::string(text.message));
  }
}

template <class Condition>
bool says(const Condition& condition, const ConditionText& text) {
  return condition.status() == text.status && condition.reason() == text.reason && condition.message() == text.message;
}

}  // namespace

bool set_condition(api::PodStatus& status, const ConditionText& text, WallTime now) {
  api::PodCondition* condition = find_in(*status.mutable_conditions(), text.type);
  if (condition && says(*condition, text)) return false;
  const bool moved = !condition || condition->status() != text.status;
  if (!condition) condition = status.add_conditions();
  if (moved) *condition->mutable_last_transition_time() = stamp(now);
  write(*condition, text);
  return true;
}

bool set_condition(google::protobuf::RepeatedPtrField<api::Condition>& conditions,
                   const ConditionText& text,
                   std::int64_t observed_generation,
                   WallTime now) {
  api::Condition* condition = find_in(conditions, text.type);
  if (condition && says(*condition, text) && condition->observed_generation() == observed_generation) return false;
  const bool moved = !condition || condition->status() != text.status;
  if (!condition) condition = conditions.Add();
  if (moved) *condition->mutable_last_transition_time() = stamp(now);
  write(*condition, text);
  condition->set_message(std::string(text.message));  // required in metav1.Condition, also if empty
  condition->set_observed_generation(observed_generation);
  return true;
}

const api::PodCondition* find_condition(const api::PodStatus& status, std::string_view type) {
  return find_in(status.conditions(), type);
}

kube::LabelSelector selector_from(const api::LabelSelector& selector) {
  kube::LabelSelectorSpec spec;
  for (const auto& [key, value] : selector.match_labels()) spec.match_labels.emplace_back(key, value);
  for (const api::LabelSelectorRequirement& expression : selector.match_expressions()) {
    spec.match_expressions.push_back(
        {expression.key(), expression.operator_(), {expression.values().begin(), expression.values().end()}});
  }
  auto compiled = kube::LabelSelector::from(std::move(spec));
  return compiled ? *std::move(compiled) : kube::LabelSelector::nothing();
}

}  // namespace rescheduler::sim
