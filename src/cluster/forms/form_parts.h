// The two halves of a pod's form, each with the key that identifies it.
#pragma once

#include "cluster/forms/form_key.h"
#include "cluster/forms/pod_form.h"
#include "cluster/words.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

NodeNeeds compile_needs(const api::Pod& pod, RequestsOf which, Words& words, FormKey& key);
// All but the needs: what a pod has to do with other pods, with volumes and with the queue.
PodForm compile_relations(const api::Pod& pod, Words& words, Namespaces& namespaces, FormKey& key);

}  // namespace rescheduler::cluster
