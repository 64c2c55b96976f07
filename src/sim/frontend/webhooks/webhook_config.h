// The content of MutatingWebhookConfigurations and ValidatingWebhookConfigurations: which webhook reviews which writes.
// Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/value/label_selector.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class CustomObject;

struct WebhookRule {
  std::vector<std::string> operations{};
  std::vector<std::string> groups{};
  std::vector<std::string> versions{};
  std::vector<std::string> resources{};  // "pods", "pods/status", "*", "*/*"
  std::string scope = "*";               // "*", Namespaced, Cluster
};

struct Webhook {
  std::string name{};
  bool mutating = true;
  bool fails_closed = true;  // failurePolicy
  std::chrono::seconds timeout{10};
  std::string url{};                         // or a service:
  std::string service_ns{}, service_name{};  // empty: none
  std::string service_path{};
  std::int64_t service_port = 443;
  std::string ca_pem{};
  std::vector<WebhookRule> rules{};
  kube::LabelSelector namespaces = kube::LabelSelector::everything();
  kube::LabelSelector objects = kube::LabelSelector::everything();
  std::vector<std::string> review_versions{};
  std::string side_effects{};
  bool reinvoked_if_needed = false;
  // Set if the configuration uses a feature that the embedded cluster does not support (matchConditions). A call then
  // fails with this message.
  std::string unsupported{};
};

// The webhooks of one configuration, in its order. Unreadable parts count as absent.
std::vector<Webhook> webhooks_in(const CustomObject& configuration, bool mutating);

// Whether the webhook must review this write. Namespaces are read from the server's store.
bool matches(const Webhook& webhook, const PendingWrite& pending_write, const Server& server);

}  // namespace rescheduler::sim
