// The two parts of a compiled pod spec, each with the key that identifies it.
#pragma once

#include "cluster/interner.h"
#include "cluster/pod_spec/compiled_pod_spec.h"
#include "cluster/pod_spec/pod_signature.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

NodeRequirements compile_requirements(const api::Pod& pod, RequestsOf which, Interner& interner, PodSignature& key);
// Everything except the node requirements: relations to other pods, volumes, and the fields for the queue.
CompiledPodSpec compile_relations(const api::Pod& pod, Interner& interner, Namespaces& namespaces, PodSignature& key);

}  // namespace rescheduler::cluster
