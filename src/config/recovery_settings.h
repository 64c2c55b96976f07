// How pods that fail where they are get another node, as a configuration says it (`recovery` of the plugin
// Podrescheduling). Only workloads that ask for it (annotation scheduling-retries) are touched.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/rescheduling_settings.h"

namespace rescheduler::config {

// A pod that restarts so often within the window, and is being held back for it.
struct RestartRule {
  bool enabled = true;
  std::uint32_t restarts = 3;
  std::chrono::nanoseconds window = std::chrono::minutes{10};
  friend bool operator==(const RestartRule&, const RestartRule&) = default;
};

// A pod that has been like that for so long without a break.
struct DurationRule {
  bool enabled = true;
  std::chrono::nanoseconds after{};
  friend bool operator==(const DurationRule&, const DurationRule&) = default;
};

// A pod that failed for good, for one of these reasons.
struct FailedRule {
  DurationRule rule{.after = std::chrono::seconds{5}};
  std::vector<std::string> reasons{"Evicted",      "OutOfcpu",   "OutOfmemory",          "OutOfpods",
                                   "NodeAffinity", "NodeLost",   "Preempting",           "UnexpectedAdmissionError",
                                   "NodeShutdown", "Terminated", "TopologyAffinityError"};
  friend bool operator==(const FailedRule&, const FailedRule&) = default;
};

struct RecoveryRules {
  RestartRule crash_loop{};
  RestartRule init_failure{};
  DurationRule image_pull{.after = std::chrono::minutes{2}};       // a registry's hiccup is over by then
  DurationRule container_error{.after = std::chrono::minutes{1}};  // CreateContainerError and its like
  DurationRule stuck_creating{.after = std::chrono::minutes{5}};   // volumes take their time to be attached
  FailedRule failed{};
  DurationRule node_lost{.after = std::chrono::seconds{30}};  // not ready on a node that is not ready
  DurationRule unknown{.after = std::chrono::seconds{30}};
  friend bool operator==(const RecoveryRules&, const RecoveryRules&) = default;
};

struct QuarantineSettings {
  StrategyMode mode = StrategyMode::Act;
  std::uint32_t owners = 3;  // so many different ones failing on a node make it the node's fault
  std::chrono::nanoseconds window = std::chrono::minutes{10};     // within so long
  std::chrono::nanoseconds expiry = std::chrono::minutes{30};     // nothing new goes there
  std::chrono::nanoseconds probation = std::chrono::minutes{30};  // after that: only what finds no better node
  std::uint32_t per_zone = 1;                                     // nodes at once; more is no node's fault
  friend bool operator==(const QuarantineSettings&, const QuarantineSettings&) = default;
};

struct VisitedSettings {
  std::chrono::nanoseconds expiry = std::chrono::hours{24};
  std::uint32_t most = 16;  // nodes of one lineage; the oldest go
  friend bool operator==(const VisitedSettings&, const VisitedSettings&) = default;
};

struct WebhookSettings {
  bool enabled = true;
  std::string name = "rescheduler-recovery";    // of the MutatingWebhookConfiguration, which is kept up to date
  std::string service = "rescheduler-webhook";  // in front of the port; in our own namespace
  std::uint16_t service_port = 443;
  std::string url{};               // instead of the service: how the API server reaches the port
  std::uint16_t port = 8443;       // 0: any free one
  std::string certificate_file{};  // with the key's and the authority's; none: made and renewed by ourselves
  std::string key_file{};
  std::string ca_file{};
  bool node_affinity = false;                                  // keep pods of other schedulers off the nodes too
  std::chrono::nanoseconds timeout = std::chrono::seconds{2};  // the API server's patience
  friend bool operator==(const WebhookSettings&, const WebhookSettings&) = default;
};

struct RecoverySettings {
  StrategyMode mode = StrategyMode::Act;
  RecoveryRules rules{};
  std::chrono::nanoseconds healthy_window = std::chrono::minutes{10};  // well for so long: counting begins anew
  std::uint32_t application_after = 5;                                 // nodes an owner failed on: it is not the nodes
  std::uint32_t most_retries = 100;                                    // whatever a workload asks for
  VisitedSettings visited{};
  QuarantineSettings quarantine{};
  std::vector<std::string> excluded_namespaces{"kube-system", "kube-public", "kube-node-lease"};
  WebhookSettings webhook{};
  friend bool operator==(const RecoverySettings&, const RecoverySettings&) = default;
};

}  // namespace rescheduler::config
