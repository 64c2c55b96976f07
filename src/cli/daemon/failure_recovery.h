// Failure recovery as the daemon and the demo have it: the controller and its webhook, put together.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/recovery_settings.h"
#include "rescheduler/recovery/live_recovery.h"
#include "server/recovery_webhook.h"

namespace rescheduler::cli {

struct FailureRecoverySettings {
  config::RecoverySettings recovery{};
  std::string host{};
  std::string own_namespace = "kube-system";
  std::vector<std::string> own_schedulers{};
  std::string address = "0.0.0.0";  // of the webhook's port
  std::shared_ptr<const kube::LeaderFence> fence{};
  std::function<void(const rescheduling::recovery::RecoveryNews&)> on_news{};
  server::PodTarget target{};  // of what replaces a pod that is being moved
};

// On the loop's thread, as what it is made of.
class FailureRecovery {
 public:
  // Follows the cluster and serves the webhook at once. A port that cannot be had costs the webhook, not the rest.
  static std::unique_ptr<FailureRecovery> start(rescheduling::recovery::RecoveryApis apis,
                                                FailureRecoverySettings settings,
                                                kube::LoopServices services);
  ~FailureRecovery();
  void lead();  // as soon as the cluster has been seen whole
  net::Task<bool> stop(std::chrono::nanoseconds grace);
  const rescheduling::recovery::LiveRecovery& live() const { return *live_; }

 private:
  explicit FailureRecovery(kube::LoopServices services) : services_(services) {}
  net::Task<void> begin();

  kube::LoopServices services_;
  std::unique_ptr<rescheduling::recovery::LiveRecovery> live_;
  std::unique_ptr<server::RecoveryWebhook> webhook_;
  net::Job beginning_;
};

}  // namespace rescheduler::cli
