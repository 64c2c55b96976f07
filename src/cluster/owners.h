// Services and workloads with their selectors. The default spreading applies to the pods of one service or one
// ReplicaSet even if their spec has no spread constraints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/copy_on_write.h"
#include "cluster/labels.h"
#include "kube/value/label_selector.h"

namespace rescheduler::api {
class LabelSelector;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

struct Interner;

class Owners {
 public:
  explicit Owners(Interner& interner) : interner_(interner) {}
  Owners(const Owners& other, Interner& interner)
      : interner_(interner), services_(other.services_), workloads_(other.workloads_) {}

  void upsert_service(std::string_view ns, std::string_view name, const WireLabels& selector);
  void remove_service(std::string_view ns, std::string_view name);
  // `kind`: ReplicaSet, StatefulSet or ReplicationController.
  void upsert_workload(std::string_view kind,
                       std::string_view ns,
                       std::string_view name,
                       const api::LabelSelector& selector);
  void upsert_replication_controller(std::string_view ns, std::string_view name, const WireLabels& selector);
  void remove_workload(std::string_view kind, std::string_view ns, std::string_view name);

  // The combined selector of the pod's services and its owner; nothing if neither has a selector.
  std::optional<SelectorId> siblings_of(const api::Pod& pod) const;

 private:
  struct Service {
    std::string name;
    std::vector<std::pair<std::string, std::string>> selector;
  };
  Interner& interner_;
  Cow<boost::unordered_flat_map<std::string, std::vector<Service>>> services_;  // by namespace
  Cow<boost::unordered_flat_map<std::string, kube::LabelSelector>> workloads_;  // by kind/namespace/name
};

}  // namespace rescheduler::cluster
