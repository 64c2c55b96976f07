#include "cli/composition/pod_webhook.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/messages.h"

namespace rescheduler::cli {

PodWebhook::PodWebhook(kube::Api& api,
                       server::PodHints hints,
                       server::RecoveryWebhookSettings settings,
                       kube::LoopServices services)
    : api_(api), hints_(std::move(hints)), settings_(std::move(settings)), services_(services) {}

void PodWebhook::follow() {
  auto webhook = server::RecoveryWebhook::start(api_, hints_, settings_, services_);
  if (webhook) {
    webhook_ = std::move(*webhook);
  } else {
    not_served_ = webhook.error().message;
    log_error(messages::kNoWebhook, {{"err", *not_served_}});
  }
}

net::Task<void> PodWebhook::registered() {
  if (!webhook_) co_return;
  (void)co_await webhook_->bring_up_to_date(false);  // it logs an error
}

std::string PodWebhook::status_text() const {
  return webhook_ ? webhook_->status_text() : fmt::format("not served: {}", trouble());
}

std::optional<std::string> PodWebhook::problem() const {
  if (webhook_) return webhook_->problem();
  return not_served_ ? std::optional(status_text()) : std::nullopt;
}

std::string PodWebhook::trouble() const {
  return webhook_ ? webhook_->trouble() : not_served_.value_or("it is not served yet");
}

net::Task<bool> PodWebhook::stop(std::chrono::nanoseconds grace) {
  constexpr std::chrono::seconds kServingGrace{2};
  if (webhook_) co_await webhook_->stop(std::min<std::chrono::nanoseconds>(grace, kServingGrace));
  co_return true;
}

}  // namespace rescheduler::cli
