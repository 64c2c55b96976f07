// Settings of failure recovery (`recovery` of the plugin Podrescheduling): how failing pods get another node. Only
// workloads with the annotation scheduling-retries take part.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/rescheduling_settings.h"

namespace rescheduler::config {

// The pod is failing when its containers were restarted `restarts` times within `window`, and one of them is in
// CrashLoopBackOff.
struct RestartRule {
  bool enabled = true;
  std::uint32_t restarts = 3;
  std::chrono::nanoseconds window = std::chrono::minutes{10};
  friend bool operator==(const RestartRule&, const RestartRule&) = default;
};

// The pod is failing when the condition of the rule holds for `after` without interruption.
struct DurationRule {
  bool enabled = true;
  std::chrono::nanoseconds after{};
  friend bool operator==(const DurationRule&, const DurationRule&) = default;
};

// The pod is failing when it is in phase Failed for one of these reasons.
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
  DurationRule image_pull{.after = std::chrono::minutes{2}};       // longer than a short outage of a registry
  DurationRule container_error{.after = std::chrono::minutes{1}};  // CreateContainerError and similar reasons
  DurationRule stuck_creating{.after = std::chrono::minutes{5}};   // attaching volumes can take minutes
  FailedRule failed{};
  DurationRule node_lost{.after = std::chrono::seconds{30}};  // the pod and its node are not ready
  DurationRule unknown{.after = std::chrono::seconds{30}};
  friend bool operator==(const RecoveryRules&, const RecoveryRules&) = default;
};

struct QuarantineSettings {
  StrategyMode mode = StrategyMode::Observe;
  std::uint32_t owners = 3;  // number of owners whose pods fail on a node that is then quarantined
  std::chrono::nanoseconds window = std::chrono::minutes{10};     // in which the failures are counted
  std::chrono::nanoseconds expiry = std::chrono::minutes{30};     // duration of the quarantine: no new pods
  std::chrono::nanoseconds probation = std::chrono::minutes{30};  // afterwards: PreferNoSchedule
  std::uint32_t per_zone = 1;  // quarantined nodes at a time; if more nodes fail, the nodes are not the cause
  friend bool operator==(const QuarantineSettings&, const QuarantineSettings&) = default;
};

struct VisitedSettings {
  std::chrono::nanoseconds expiry = std::chrono::hours{24};
  std::uint32_t most = 16;  // nodes of one slot; the oldest ones are removed
  friend bool operator==(const VisitedSettings&, const VisitedSettings&) = default;
};

struct WebhookSettings {
  bool enabled = true;
  std::string name = "rescheduler-recovery";  // of the MutatingWebhookConfiguration, which the leader keeps up to date
  std::string service = "rescheduler-webhook";  // in the namespace of the lease
  std::uint16_t service_port = 443;
  std::string url{};               // address for the API server, instead of the service
  std::uint16_t port = 8443;       // 0: any free port
  std::string certificate_file{};  // with key_file and ca_file; empty: the leader creates and renews it
  std::string key_file{};
  std::string ca_file{};
  bool node_affinity = false;  // also keep pods of other schedulers off the visited nodes
  std::chrono::nanoseconds timeout = std::chrono::seconds{2};  // of a call by the API server
  friend bool operator==(const WebhookSettings&, const WebhookSettings&) = default;
};

struct RecoverySettings {
  StrategyMode mode = StrategyMode::Act;
  RecoveryRules rules{};
  std::chrono::nanoseconds healthy_window =
      std::chrono::minutes{10};         // of health, after which the retry count is reset
  std::uint32_t application_after = 5;  // failed nodes until an application fault
  std::uint32_t most_retries = 100;     // upper limit for scheduling-retries
  VisitedSettings visited{};
  QuarantineSettings quarantine{};
  std::vector<std::string> excluded_namespaces{"kube-system", "kube-public", "kube-node-lease"};
  WebhookSettings webhook{};
  friend bool operator==(const RecoverySettings&, const RecoverySettings&) = default;
};

}  // namespace rescheduler::config
