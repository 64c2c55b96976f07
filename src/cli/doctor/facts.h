// The facts about a cluster as plain values, so that every check is a function of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kube/discovery/self_check.h"
#include "kube/discovery/server_info.h"

namespace rescheduler::cli::doctor {

// An object that could not be read. The checks make no statement about it.
struct Unread {
  std::string what;  // "the lease kube-system/rescheduler-scheduler"
  std::string why;   // one sentence
};

struct ConfigFacts {
  std::string where;                    // "ConfigMap kube-system/rescheduler-config", or a file name
  std::vector<std::string> problems{};  // "line 7: PATH: what"
  bool leader_elect = true;
  std::vector<std::string> scheduler_names{};
  bool there = true;  // false: the ConfigMap does not exist
};

struct LeaseFacts {
  std::string ns;
  std::string name;
  std::string holder{};  // empty: released
  WallTime renewed{};
  std::chrono::seconds duration{15};
};

struct InstallationFacts {
  int replicas = 0;
  int ready = 0;
  std::string refusal{};                 // why the API server refuses new pods of the Deployment; empty: it does not
  std::string missing_priority_class{};  // of the pods; empty: it exists
};

struct LoadSourceFacts {
  std::string name;                              // "prometheus", "metrics-server"
  std::optional<std::string> failure{};          // why it does not answer
  std::size_t fresh = 0;                         // nodes with a fresh sample
  std::size_t stale = 0;                         // nodes with only old samples
  std::optional<std::chrono::seconds> oldest{};  // age of the newest sample, of the node where it is oldest
  bool installed = true;                         // false: the failure is that the source is not in the cluster
};

struct LoadFacts {
  std::size_t nodes = 0;
  std::chrono::nanoseconds freshness{};
  std::vector<LoadSourceFacts> sources{};  // in order of precedence
};

struct CertificateFacts {
  std::string subject;
  WallTime not_after{};
};

struct WebhookFacts {
  std::string name;                             // of the MutatingWebhookConfiguration
  std::string service{};                        // NAMESPACE/NAME; empty: reached by a URL
  bool configured = false;                      // the MutatingWebhookConfiguration exists
  std::vector<CertificateFacts> authorities{};  // in its caBundle
  std::optional<std::string> bundle_failure{};  // why the caBundle cannot be read
  bool service_there = true;
  std::size_t endpoints = 0;                    // ready pods behind the Service
  std::optional<std::string> answer_trouble{};  // why the webhook does not answer
};

struct BudgetFacts {
  std::string ns;
  std::string name;
  std::string rule;  // "minAvailable 100%"
  std::int64_t expected = 0;
  std::int64_t desired = 0;
  std::int64_t healthy = 0;
  std::int64_t allowed = 0;
  std::vector<std::string> pods{};  // names of the pods that it selects
};

// A resource that rescheduler needs.
struct WantedResource {
  std::string group;
  std::string version;
  std::string plural;
};

struct Facts {
  WallTime now{};
  std::string ns = "kube-system";  // namespace of the installation
  std::string name = "rescheduler-scheduler";

  kube::ServerVersion version{};
  kube::ServerResources resources{};
  std::vector<WantedResource> wanted_resources{};

  std::string subject{};  // whose permissions: "this kubeconfig's user", "ServiceAccount kube-system/..."
  std::size_t wanted_permissions = 0;
  std::vector<kube::Permission> missing{};

  std::optional<InstallationFacts> installation{};  // empty: not installed
  std::optional<ConfigFacts> config{};
  std::optional<LeaseFacts> lease{};
  std::vector<LeaseFacts> other_leases{};     // of the same name in other namespaces
  std::optional<LeaseFacts> default_lease{};  // of kube-scheduler
  std::optional<LoadFacts> load{};            // empty: no profile schedules by load
  std::optional<WebhookFacts> webhook{};      // empty: no webhook is configured
  std::vector<BudgetFacts> budgets{};
  std::vector<Unread> unread{};
};

}  // namespace rescheduler::cli::doctor
