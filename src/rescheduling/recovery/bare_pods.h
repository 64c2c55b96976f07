// Pods of nobody: nobody makes them anew, so we do, under the same name. The whole pod, with its books brought up to
// date, is saved in a ConfigMap before it is touched; whoever leads next finishes what he finds there.
//
//   save --> evict --> (gone) --> create --> drop what was saved
//
// What is saved is named after the pod's uid: saving twice is impossible, and so is counting twice.
#pragma once

#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/proto/core_pod.pb.h"
#include "rescheduling/recovery/retry_ledger.h"

namespace rescheduler::rescheduling::recovery {

// As it is to be made anew: without a node, a status and what the server adds.
api::Pod manifest_of(const api::Pod& pod, const RetryLedger& ledger);

class BarePods {
 public:
  // What is saved is kept in this namespace, wherever the pods are: so nowhere else is a ConfigMap to be granted.
  BarePods(kube::Api& api, std::string home) : client_(api), home_(std::move(home)) {}

  net::Task<Result<void>> save(std::string ns, std::string name, std::string uid, RetryLedger ledger);
  // One step further with everything that is saved; sentences about what was made anew, or could not be.
  net::Task<std::vector<std::string>> go_on();

 private:
  struct Saved {
    std::string config_map{};
    std::string uid{};
    api::Pod pod{};
  };
  net::Task<Result<std::vector<Saved>>> saved();
  net::Task<Result<std::string>> finish(Saved one);
  net::Task<Result<std::string>> drop(Saved one, std::string said);

  kube::Client client_;
  std::string home_;
  bool looked_ = false;  // for what processes before us left
  bool any_ = false;     // there may be something
};

// Evicts the pod that has this uid, or asks whether that would be allowed.
net::Task<Result<void>> evict(kube::Client client, std::string ns, std::string name, std::string uid, bool dry_run);
// Deletes it without asking a budget and without waiting for its kubelet: for a node that is out of service.
net::Task<Result<void>> delete_at_once(kube::Client client, std::string ns, std::string name, std::string uid);

}  // namespace rescheduler::rescheduling::recovery
