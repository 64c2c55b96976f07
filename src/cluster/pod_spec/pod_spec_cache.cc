#include "cluster/pod_spec/pod_spec_cache.h"

#include <algorithm>
#include <atomic>

#include "cluster/pod_spec/compile_parts.h"
#include "cluster/pod_spec/pod_signature.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cluster {
namespace {

// Unique in the process: results that are cached by id never match a spec of another cluster or of another copy.
std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

CompiledPodSpecPtr PodSpecCache::of(const api::Pod& pod, RequestsOf which) {
  PodSignature requirements_key;
  NodeRequirements requirements = compile_requirements(pod, which, interner_, requirements_key);
  PodSignature key;
  CompiledPodSpec compiled_spec = compile_relations(pod, interner_, namespaces_, key);
  key.add(requirements_key.text());

  const auto known = pod_specs_->find(key.text());
  if (known != pod_specs_->end()) {
    if (auto spec_in_use = known->second.lock()) return spec_in_use;
  }
  compiled_spec.id = next_id();
  compiled_spec.requirements = share(std::move(requirements), requirements_key.take());
  auto shared = std::make_shared<const CompiledPodSpec>(std::move(compiled_spec));
  pod_specs_.write().insert_or_assign(key.take(), shared);
  if (pod_specs_->size() + requirements_->size() >= sweep_at_) sweep();
  return shared;
}

std::shared_ptr<const NodeRequirements> PodSpecCache::share(NodeRequirements requirements, std::string key) {
  auto& known = requirements_.write()[std::move(key)];
  if (auto in_use = known.lock()) return in_use;
  requirements.id = next_id();
  auto shared = std::make_shared<const NodeRequirements>(std::move(requirements));
  known = shared;
  return shared;
}

void PodSpecCache::sweep() {
  boost::unordered::erase_if(pod_specs_.write(), [](const auto& entry) { return entry.second.expired(); });
  boost::unordered::erase_if(requirements_.write(), [](const auto& entry) { return entry.second.expired(); });
  // Twice the entries in use: the cost of a sweep is proportional to the entries added since the last sweep.
  sweep_at_ = std::max<std::size_t>(1024, 2 * (pod_specs_->size() + requirements_->size()));
}

}  // namespace rescheduler::cluster
