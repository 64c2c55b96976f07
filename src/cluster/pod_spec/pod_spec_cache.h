// Compiles pod specs. Equal specs share one CompiledPodSpec.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/copy_on_write.h"
#include "cluster/interner.h"
#include "cluster/namespaces.h"
#include "cluster/pod_spec/compiled_pod_spec.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

class PodSpecCache {
 public:
  PodSpecCache(Interner& interner, Namespaces& namespaces) : interner_(interner), namespaces_(namespaces) {}
  PodSpecCache(const PodSpecCache& other, Interner& interner, Namespaces& namespaces)
      : interner_(interner),
        namespaces_(namespaces),
        requirements_(other.requirements_),
        pod_specs_(other.pod_specs_) {}

  CompiledPodSpecPtr of(const api::Pod& pod, RequestsOf which);
  std::size_t size() const { return pod_specs_->size(); }

 private:
  std::shared_ptr<const NodeRequirements> share(NodeRequirements requirements, std::string key);
  void sweep();  // removes the entries of specs that are no longer used

  Interner& interner_;
  Namespaces& namespaces_;
  Cow<boost::unordered_flat_map<std::string, std::weak_ptr<const NodeRequirements>>> requirements_;
  Cow<boost::unordered_flat_map<std::string, std::weak_ptr<const CompiledPodSpec>>> pod_specs_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace rescheduler::cluster
