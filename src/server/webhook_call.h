// Calls a webhook as the API server does, to find out whether its registered address works. failurePolicy Ignore hides
// an address that does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/client/loop_services.h"
#include "net/http/http.h"
#include "net/task.h"

namespace rescheduler::server {

inline constexpr std::string_view kWebhookPath = "/mutate-pods";

struct WebhookAddress {
  std::string url{};      // with the path
  std::string dialled{};  // address to connect to instead of the host of the URL; empty: that host
};

// The URL with the path of the webhook if it has none, and with `port` instead of port 0.
std::string webhook_url(const std::string& configured, std::uint16_t port);

// Sends an AdmissionReview that changes nothing, and trusts only the CA bundle.
net::Task<Result<void>> call_webhook(WebhookAddress address, std::string ca_bundle, kube::LoopServices services);
// Whether the request comes from call_webhook(): it is not counted as a review of a pod.
bool is_webhook_check(const net::HttpRequest& request);

}  // namespace rescheduler::server
