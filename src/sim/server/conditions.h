// Times, conditions and selectors of the wire types, for all code that writes a status.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "cluster/objects/nodes.h"
#include "cluster/objects/pods.h"
#include "kube/value/label_selector.h"

namespace google::protobuf {
template <class T>
class RepeatedPtrField;
}  // namespace google::protobuf
namespace rescheduler::api {
class Condition;
class LabelSelector;
class ObjectMeta;
class OwnerReference;
class Pod;
class PodCondition;
class PodStatus;
class Time;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// metav1.Time has whole seconds: the value that is read must equal the value that was written.
api::Time stamp(WallTime time);

struct ConditionText {
  std::string_view type;
  std::string_view status;  // "True", "False", "Unknown"
  std::string_view reason{};
  std::string_view message{};
};

// The transition time changes only when the status changes. Returns true if anything except times changed.
bool set_condition(api::PodStatus& status, const ConditionText& text, WallTime now);
bool set_condition(google::protobuf::RepeatedPtrField<api::Condition>& conditions,
                   const ConditionText& text,
                   std::int64_t observed_generation,
                   WallTime now);
const api::PodCondition* find_condition(const api::PodStatus& status, std::string_view type);  // null: none

using cluster::controller_of;
using cluster::is_finished;
using cluster::is_ready;

// An invalid selector selects nothing.
kube::LabelSelector selector_from(const api::LabelSelector& selector);

}  // namespace rescheduler::sim
