// Failure recovery and its webhook, put together.
#pragma once

#include <memory>
#include <optional>

#include "config/configuration.h"
#include "config/recovery_settings.h"
#include "rescheduling/recovery/live_recovery.h"
#include "server/recovery_webhook.h"

namespace rescheduler::cli {

// On the loop's thread, as what it is made of.
class FailureRecovery final : public kube::Component {
 public:
  // What the settings of the webhook have in common with the others is taken from those.
  FailureRecovery(rescheduling::recovery::RecoveryApis apis,
                  const rescheduling::recovery::LiveRecoverySettings& settings,
                  server::RecoveryWebhookSettings webhook,
                  kube::LoopServices services);
  ~FailureRecovery() override;
  // Serves the webhook too. A port that cannot be had costs the webhook, not the rest.
  void follow() override;
  net::Task<Result<void>> wait_synced() override { return live_->wait_synced(); }
  void lead() override;
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;
  const rescheduling::recovery::LiveRecovery& live() const { return *live_; }

 private:
  net::Task<void> begin();

  kube::Api* api_;
  server::RecoveryWebhookSettings hook_;
  kube::LoopServices services_;
  std::unique_ptr<rescheduling::recovery::LiveRecovery> live_;
  std::unique_ptr<server::RecoveryWebhook> webhook_;
  net::Job beginning_;
};

}  // namespace rescheduler::cli
