#include "cli/composition/failure_recovery.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/messages.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cli {

FailureRecovery::FailureRecovery(rescheduling::recovery::RecoveryApis apis,
                                 const rescheduling::recovery::LiveRecoverySettings& settings,
                                 server::RecoveryWebhookSettings webhook,
                                 kube::LoopServices services)
    : api_(apis.api),
      hook_(std::move(webhook)),
      services_(services),
      live_(rescheduling::recovery::LiveRecovery::make(apis, settings, services)) {
  hook_.webhook = settings.recovery.webhook;
  hook_.own_namespace = settings.home;
  hook_.excluded_namespaces = settings.recovery.excluded_namespaces;
  hook_.fence = settings.fence;
}

FailureRecovery::~FailureRecovery() { beginning_.cancel(); }

void FailureRecovery::follow() {
  live_->follow();
  if (!hook_.webhook.enabled) return;
  const server::PodHints hints = [live = live_.get()](const api::Pod& pod) { return live->hint_for(pod); };
  auto webhook = server::RecoveryWebhook::start(*api_, hints, hook_, services_);
  if (webhook) {
    webhook_ = std::move(*webhook);
  } else {
    log_error(messages::kNoWebhook, {{"err", webhook.error().message}});
    not_served_ = webhook.error().message;
  }
}

std::string FailureRecovery::status_text() const {
  const std::string hook = webhook_                ? webhook_->status_text()
                           : hook_.webhook.enabled ? fmt::format("not served: {}", not_served_)
                                                   : "off";
  return fmt::format("{}; webhook {}", live_->status_text(), hook);
}

net::Task<void> FailureRecovery::begin() {
  if (webhook_) {
    // Before live_->lead(), so that the webhook already handles the first replacement pod.
    auto ready = co_await webhook_->bring_up_to_date(false);
    if (!ready && ready.error().code == Errc::Cancelled) co_return;
  }
  live_->lead();
}

void FailureRecovery::lead() { beginning_ = net::spawn(services_.executor, "begin to recover", begin()); }

net::Task<bool> FailureRecovery::stop(std::chrono::nanoseconds grace) {
  constexpr std::chrono::seconds kServingGrace{2};
  const std::vector<net::Job> jobs = {beginning_};
  (void)co_await net::end_all(jobs);
  const std::chrono::nanoseconds soon = std::min<std::chrono::nanoseconds>(grace, kServingGrace);
  if (webhook_) co_await webhook_->stop(soon);
  const bool ended = co_await live_->stop(soon);
  co_return ended;
}

}  // namespace rescheduler::cli
