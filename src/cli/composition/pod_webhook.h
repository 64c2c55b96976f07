// The admission webhook for replacements of failed and of moved pods, as a component.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kube/leader/component.h"
#include "server/recovery_webhook.h"

namespace rescheduler::cli {

// Used only on the thread of the event loop.
class PodWebhook final : public kube::Component {
 public:
  PodWebhook(kube::Api& api,
             server::PodHints hints,
             server::RecoveryWebhookSettings settings,
             kube::LoopServices services);
  // Serves the webhook. If its port cannot be opened, pods are created without it.
  void follow() override;
  // On the leader: returns when the webhook is registered. If it cannot be, that is logged and tried again later.
  net::Task<void> registered();
  // Why the API server does not call the webhook; empty: it is registered. Known only on the leader.
  std::string trouble() const;
  std::string status_text() const;  // of the leader
  std::optional<std::string> problem() const;
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

 private:
  kube::Api& api_;
  server::PodHints hints_;
  server::RecoveryWebhookSettings settings_;
  kube::LoopServices services_;
  std::unique_ptr<server::RecoveryWebhook> webhook_;
  std::optional<std::string> not_served_;  // why `webhook_` is null after follow()
};

}  // namespace rescheduler::cli
