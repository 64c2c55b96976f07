#include "cli/daemon/failure_recovery.h"

#include "base/log.h"
#include "cli/messages.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cli {

std::unique_ptr<FailureRecovery> FailureRecovery::start(rescheduling::recovery::RecoveryApis apis,
                                                        FailureRecoverySettings settings,
                                                        kube::LoopServices services) {
  std::unique_ptr<FailureRecovery> made(new FailureRecovery(services));
  rescheduling::recovery::LiveRecoverySettings live;
  live.recovery = settings.recovery;
  live.host = settings.host;
  live.home = settings.own_namespace;
  live.fence = settings.fence;
  live.on_news = std::move(settings.on_news);
  made->live_ = rescheduling::recovery::LiveRecovery::make(apis, std::move(live), services);
  made->live_->follow();
  if (!settings.recovery.webhook.enabled) return made;
  server::RecoveryWebhookSettings hook;
  hook.webhook = settings.recovery.webhook;
  hook.address = settings.address;
  hook.own_namespace = settings.own_namespace;
  hook.excluded_namespaces = settings.recovery.excluded_namespaces;
  hook.own_schedulers = settings.own_schedulers;
  hook.fence = settings.fence;
  hook.target = std::move(settings.target);
  const server::PodHints hints = [live = made->live_.get()](const api::Pod& pod) { return live->hint_for(pod); };
  auto webhook = server::RecoveryWebhook::start(*apis.api, hints, std::move(hook), services);
  if (webhook) {
    made->webhook_ = std::move(*webhook);
  } else {
    log_error(messages::kNoWebhook, {{"err", webhook.error().message}});
  }
  return made;
}

FailureRecovery::~FailureRecovery() { beginning_.cancel(); }

net::Task<void> FailureRecovery::begin() {
  const auto synced = co_await live_->wait_synced();
  if (!synced) co_return;
  if (webhook_) {
    // First, so that already the first replacement is told.
    auto ready = co_await webhook_->bring_up_to_date(false);
    if (!ready) log_warning(messages::kWebhookTrouble, {{"err", ready.error().message}});
  }
  live_->lead();
}

void FailureRecovery::lead() { beginning_ = net::spawn(services_.executor, "begin to recover", begin()); }

net::Task<bool> FailureRecovery::stop(std::chrono::nanoseconds grace) {
  beginning_.cancel();
  if (webhook_) co_await webhook_->stop(grace);
  const bool ended = co_await live_->stop(grace);
  co_return ended;
}

}  // namespace rescheduler::cli
