// Failure recovery with its webhook.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/configuration.h"
#include "config/recovery_settings.h"
#include "rescheduling/recovery/live_recovery.h"
#include "server/recovery_webhook.h"

namespace rescheduler::cli {

// Used only on the thread of the event loop.
class FailureRecovery final : public kube::Component {
 public:
  // Settings that the webhook shares with recovery are taken from `settings`.
  FailureRecovery(rescheduling::recovery::RecoveryApis apis,
                  const rescheduling::recovery::LiveRecoverySettings& settings,
                  server::RecoveryWebhookSettings webhook,
                  kube::LoopServices services);
  ~FailureRecovery() override;
  // Also serves the webhook. If its port cannot be opened, recovery works without the webhook.
  void follow() override;
  net::Task<Result<void>> wait_synced() override { return live_->wait_synced(); }
  void lead() override;
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;
  const rescheduling::recovery::LiveRecovery& live() const { return *live_; }
  std::string status_text() const;  // of the leader

 private:
  net::Task<void> begin();

  kube::Api* api_;
  server::RecoveryWebhookSettings hook_;
  kube::LoopServices services_;
  std::unique_ptr<rescheduling::recovery::LiveRecovery> live_;
  std::unique_ptr<server::RecoveryWebhook> webhook_;
  std::string not_served_;  // why there is no webhook
  net::Job beginning_;
};

}  // namespace rescheduler::cli
