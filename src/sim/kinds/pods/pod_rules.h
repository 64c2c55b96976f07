// The rules that pods and all pod templates share.
#pragma once

#include <google/protobuf/repeated_field.h>

#include "sim/kinds/checks.h"

namespace rescheduler::api {
class Affinity;
class Node;
class NodeSelector;
class Pod;
class PodSpec;
class PodTemplateSpec;
class Toleration;
class TopologySpreadConstraint;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// --- defaults ---
void default_pod_spec(api::PodSpec& spec);  // for pods and templates
void default_pod(api::Pod& pod);

// --- creation ---
void admit_pod(api::Pod& pod, const RuleContext& context, Faults& faults);
// Copies the node's region and zone to the pod when the pod gets a node, as Kubernetes does since 1.35.
void copy_topology(const api::Node& node, api::Pod& pod);
// Tolerations (300 s) for not-ready and unreachable, unless set.
void add_default_tolerations(api::PodSpec& spec);
void prepare_new_pod(api::Pod& pod, WallTime now);
std::string_view qos_class_of(const api::PodSpec& spec);

// --- checks ---
enum class PodOf { Pod, Template };
void check_pod_spec(const api::PodSpec& spec, PodOf of, const At& at, Faults& faults);
void check_pod_template(const api::PodTemplateSpec& pod_template, const At& at, Faults& faults);
void check_pod_annotations(const StringMap& annotations, bool assigned, const At& at, Faults& faults);
void check_containers(const api::PodSpec& spec, PodOf of, const At& at, Faults& faults);
void check_volumes(const api::PodSpec& spec, const At& at, Faults& faults);
// Placement rules.
void check_affinity(const api::Affinity& affinity, const At& at, Faults& faults);
void check_node_selector(const api::NodeSelector& selector, const At& at, Faults& faults);
void check_tolerations(const google::protobuf::RepeatedPtrField<api::Toleration>& tolerations,
                       const At& at,
                       Faults& faults);
void check_spread(const google::protobuf::RepeatedPtrField<api::TopologySpreadConstraint>& constraints,
                  const At& at,
                  Faults& faults);

// --- updates ---
void check_pod_update(const api::Pod& before, const api::Pod& after, Faults& faults);
void check_pod_status_update(const api::Pod& before, const api::Pod& after, Faults& faults);

}  // namespace rescheduler::sim
