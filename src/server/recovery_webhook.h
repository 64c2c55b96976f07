// The admission webhook that tells replacements of failed pods which nodes to keep off, and those of moved ones where
// they are wanted. HTTPS on a port of its own,
// because the API server has no token for the daemon's. It never refuses a pod: what it cannot find out it does not
// say, and while it is away pods are created without it (failurePolicy: Ignore).
//
// All replicas serve; the leader sees to the certificate (made here, kept in a Secret, renewed in time) and to the
// MutatingWebhookConfiguration. A renewed certificate is announced before it is shown: the bundle has both authorities
// for a while, so that no request fails.
//
// Members belong to the loop's thread, but port() and dropping it.
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
#include "net/http/http.h"
#include "rescheduling/recovery/live_recovery.h"

namespace rescheduler::server {

// Where a new pod of somebody else's scheduler is wanted; empty: nowhere in particular.
using PodTarget = std::function<std::string(const api::Pod&)>;
using PodHints = std::function<net::Task<std::optional<rescheduling::recovery::NewPodHint>>(const api::Pod&)>;

struct RecoveryWebhookSettings {
  config::WebhookSettings webhook{};
  std::string address = "0.0.0.0";
  std::string own_namespace = "kube-system";
  std::vector<std::string> excluded_namespaces{};
  std::vector<std::string> own_schedulers{};  // their pods need no affinity
  std::shared_ptr<const kube::LeaderFence> fence{};
  std::chrono::nanoseconds look_every = std::chrono::seconds{10};
  std::chrono::hours valid_for{24 * 365};        // the certificate
  std::chrono::hours renew_after{24 * 365 / 2};  // long before it ends
  // Until every API server has heard of a new authority; a certificate that one does not know yet costs a request.
  std::chrono::nanoseconds settle = std::chrono::seconds{10};
  std::vector<std::string> only_namespaces{};  // empty: all but the excluded ones
  PodTarget target{};                          // of what replaces a pod that is being moved
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
  // Certificate and configuration are brought up to date, with a new certificate if wished; also done now and then.
  net::Task<Result<void>> bring_up_to_date(bool renew);
  net::Task<void> stop(std::chrono::nanoseconds grace);

  // For tests: what a request is answered.
  net::Task<net::HttpResponse> answer(const net::HttpRequest& request);

 private:
  struct State;
  explicit RecoveryWebhook(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::server
