// The two halves of a pod's form, each with the key that identifies it.
#pragma once

#include "cluster/interner.h"
#include "cluster/pod_spec/compiled_pod_spec.h"
#include "cluster/pod_spec/pod_signature.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

NodeRequirements compile_requirements(const api::Pod& pod, RequestsOf which, Interner& interner, PodSignature& key);
// All but the needs: what a pod has to do with other pods, with volumes and with the queue.
CompiledPodSpec compile_relations(const api::Pod& pod, Interner& interner, Namespaces& namespaces, PodSignature& key);

}  // namespace rescheduler::cluster
