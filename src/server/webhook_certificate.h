// The serving certificate of the recovery webhook, and its CA bundle for the API server. Pure functions, except for the
// creation of keys.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace rescheduler::api {
class Secret;
}  // namespace rescheduler::api

namespace rescheduler::server {

struct WebhookCertificate {
  std::string certificate_pem{};
  std::string key_pem{};
  std::string ca_bundle{};  // the latest CA first, then the previous one
  WallTime renew_after{};
};

// `before`, unless null, is the current certificate: its CA stays in the bundle.
Result<WebhookCertificate> make_webhook_certificate(const std::vector<std::string>& names,
                                                    std::chrono::hours valid_for,
                                                    WallTime renew_after,
                                                    const WebhookCertificate* before);

void put_certificate(const WebhookCertificate& certificate, api::Secret& secret);
Result<WebhookCertificate> certificate_in(const api::Secret& secret);

}  // namespace rescheduler::server
