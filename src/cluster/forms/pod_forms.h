// Compiles pods to forms, each form once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/forms/pod_form.h"
#include "cluster/namespaces.h"
#include "cluster/words.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

class PodForms {
 public:
  PodForms(Words& words, Namespaces& namespaces) : words_(words), namespaces_(namespaces) {}

  PodFormPtr of(const api::Pod& pod, RequestsOf which);
  std::size_t size() const { return forms_.size(); }

 private:
  std::shared_ptr<const NodeNeeds> share(NodeNeeds needs, std::string key);
  void sweep();  // forms nobody uses any more

  Words& words_;
  Namespaces& namespaces_;
  boost::unordered_flat_map<std::string, std::weak_ptr<const NodeNeeds>> needs_;
  boost::unordered_flat_map<std::string, std::weak_ptr<const PodForm>> forms_;
  std::uint64_t last_id_ = 0;
  std::size_t sweep_at_ = 1024;
};

}  // namespace rescheduler::cluster
