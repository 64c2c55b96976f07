// The admission webhook for new pods. It excludes visited nodes for replacements of failed pods, and prefers the target
// node and any other node to the source node for replacements of moved pods. HTTPS on a separate port, because the API
// server has no token for the daemon's port. The webhook never denies a pod. If it lacks information it changes
// nothing, and while it is unavailable pods are created without it (failurePolicy: Ignore).
//
// All replicas serve. The leader maintains the certificate (created here, stored in a Secret, renewed in time) and the
// MutatingWebhookConfiguration. A new CA is published before its certificate is used: the caBundle has both CAs for a
// while, so that no request fails. The leader calls the registered address until it answers once, and reports an
// address that does not answer.
//
// Members belong to the loop's thread, except port() and the destructor.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/recovery_settings.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/leader_fence.h"
#include "migration/settings.h"
#include "net/http/http.h"
#include "rescheduling/recovery/live_recovery.h"

namespace rescheduler::server {

// The intent of a move for a new pod of another scheduler; nullopt: none.
using PodIntents = std::function<std::optional<migration::PlacementIntent>(const api::Pod&)>;
// Empty: failure recovery is off.
using PodHints = std::function<net::Task<std::optional<rescheduling::recovery::NewPodHint>>(const api::Pod&)>;

struct RecoveryWebhookSettings {
  config::WebhookSettings webhook{};
  std::string address = "0.0.0.0";
  std::string own_namespace = "kube-system";
  std::vector<std::string> excluded_namespaces{};
  std::vector<std::string> own_schedulers{};  // pods of these schedulers need no node affinity
  std::shared_ptr<const kube::LeaderFence> fence{};
  std::chrono::nanoseconds poll_interval = std::chrono::seconds{10};
  std::chrono::hours valid_for{24 * 365};        // of the certificate
  std::chrono::hours renew_after{24 * 365 / 2};  // long before the certificate expires
  // Time for every API server to receive a new CA. An API server that does not know the CA yet fails a request.
  std::chrono::nanoseconds settle = std::chrono::seconds{10};
  std::vector<std::string> only_namespaces{};  // empty: all except the excluded ones
  PodIntents intents{};                        // for replacements of moved pods
};

class RecoveryWebhook {
 public:
  static Result<std::unique_ptr<RecoveryWebhook>> start(kube::Api& api,
                                                        PodHints hints,
                                                        RecoveryWebhookSettings settings,
                                                        kube::LoopServices services);
  ~RecoveryWebhook();
  RecoveryWebhook(const RecoveryWebhook&) = delete;
  RecoveryWebhook& operator=(const RecoveryWebhook&) = delete;

  std::uint16_t port() const;
  // Why the webhook is not registered with the API server; empty: it is. Known only on the leader.
  std::string trouble() const;
  // For operators: why the webhook is not registered, or that its registered address does not answer; empty: neither.
  std::optional<std::string> problem() const;
  // Updates certificate and configuration, with a new certificate if `renew`; also runs periodically.
  net::Task<Result<void>> bring_up_to_date(bool renew);
  // Of the leader: whether the webhook is registered, and whether its registered address answers.
  std::string status_text() const;
  net::Task<void> stop(std::chrono::nanoseconds grace);

  // For tests: the response to a request.
  net::Task<net::HttpResponse> answer(const net::HttpRequest& request);

 private:
  struct State;
  explicit RecoveryWebhook(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::server
