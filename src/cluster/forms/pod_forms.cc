#include "cluster/forms/pod_forms.h"

#include <algorithm>

#include "cluster/forms/form_key.h"
#include "cluster/forms/form_parts.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cluster {

PodFormPtr PodForms::of(const api::Pod& pod, RequestsOf which) {
  FormKey needs_key;
  NodeNeeds needs = compile_needs(pod, which, words_, needs_key);
  FormKey key;
  PodForm form = compile_relations(pod, words_, namespaces_, key);
  key.add(needs_key.text());

  const auto known = forms_.find(key.text());
  if (known != forms_.end()) {
    if (auto form_in_use = known->second.lock()) return form_in_use;
  }
  form.id = ++last_id_;
  form.needs = share(std::move(needs), needs_key.take());
  auto shared = std::make_shared<const PodForm>(std::move(form));
  forms_.insert_or_assign(key.take(), shared);
  if (forms_.size() + needs_.size() >= sweep_at_) sweep();
  return shared;
}

std::shared_ptr<const NodeNeeds> PodForms::share(NodeNeeds needs, std::string key) {
  auto& known = needs_[std::move(key)];
  if (auto in_use = known.lock()) return in_use;
  needs.id = ++last_id_;
  auto shared = std::make_shared<const NodeNeeds>(std::move(needs));
  known = shared;
  return shared;
}

void PodForms::sweep() {
  boost::unordered::erase_if(forms_, [](const auto& entry) { return entry.second.expired(); });
  boost::unordered::erase_if(needs_, [](const auto& entry) { return entry.second.expired(); });
  // Twice what is in use: a sweep costs no more than what was added since the last.
  sweep_at_ = std::max<std::size_t>(1024, 2 * (forms_.size() + needs_.size()));
}

}  // namespace rescheduler::cluster
