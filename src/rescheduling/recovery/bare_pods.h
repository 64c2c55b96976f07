// Recovery of bare pods. No controller recreates a bare pod, so rescheduler does, under the same name. First it saves
// the whole pod with its updated retry ledger in a ConfigMap. The next leader completes what it finds there.
//
//   save --> evict --> (deleted) --> create --> drop the ConfigMap
//
// The ConfigMap is named after the uid of the pod, so that no pod is saved or counted twice.
#pragma once

#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/proto/core_pod.pb.h"
#include "rescheduling/recovery/retry_ledger.h"

namespace rescheduler::rescheduling::recovery {

// The pod to create: without node, status and fields that the server sets.
api::Pod manifest_of(const api::Pod& pod, const RetryLedger& ledger);

class BarePods {
 public:
  // `home` is the namespace of the ConfigMaps for the pods of all namespaces, so that write access to ConfigMaps is
  // needed only there.
  BarePods(kube::Api& api, std::string home) : client_(api), home_(std::move(home)) {}

  net::Task<Result<void>> save(std::string ns, std::string name, std::string uid, RetryLedger ledger);
  // Performs the next step for every saved pod. Returns sentences about pods that were created or could not be.
  net::Task<std::vector<std::string>> go_on();

 private:
  struct Saved {
    std::string config_map{};
    std::string uid{};
    api::Pod pod{};
  };
  net::Task<Result<std::vector<Saved>>> saved();
  net::Task<Result<std::string>> finish(Saved one);
  net::Task<Result<std::string>> drop(Saved one, std::string report);

  kube::Client client_;
  std::string home_;
  bool listed_ = false;  // for ConfigMaps of earlier processes
  bool any_ = false;     // saved pods can exist
};

// Evicts the pod with this uid; with `dry_run`, only checks whether the API server allows the eviction.
net::Task<Result<void>> evict(kube::Client client, std::string ns, std::string name, std::string uid, bool dry_run);
// Deletes the pod without checking a PodDisruptionBudget and without waiting for the kubelet: for a node that is out of
// service.
net::Task<Result<void>> delete_at_once(kube::Client client, std::string ns, std::string name, std::string uid);

}  // namespace rescheduler::rescheduling::recovery
