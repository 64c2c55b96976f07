// What was found out about a cluster: plain values, so that every check is a function of them.
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

// Something that could not be looked at: nothing is said about it, which is not the same as that it is well.
struct Unread {
  std::string what;  // "the lease kube-system/rescheduler-scheduler"
  std::string why;   // one sentence
};

struct ConfigFacts {
  std::string where;                    // "ConfigMap kube-system/rescheduler-config", or a file's name
  std::vector<std::string> problems{};  // "line 7: PATH: what"
  bool leader_elect = true;
  std::vector<std::string> scheduler_names{};
};

struct LeaseFacts {
  std::string ns;
  std::string name;
  std::string holder{};  // empty: given back
  WallTime renewed{};
  std::chrono::seconds duration{15};
};

struct InstallationFacts {
  int replicas = 0;
  int ready = 0;
};

struct LoadSourceFacts {
  std::string name;                              // "prometheus", "metrics-server"
  std::optional<std::string> trouble{};          // it does not answer
  std::size_t fresh = 0;                         // nodes with a sample that may be believed
  std::size_t stale = 0;                         // nodes with none but old ones
  std::optional<std::chrono::seconds> oldest{};  // the age of the oldest newest sample
};

struct LoadFacts {
  std::size_t nodes = 0;
  std::chrono::nanoseconds freshness{};
  std::vector<LoadSourceFacts> sources{};  // in the order in which they are believed
};

struct CertificateFacts {
  std::string subject;
  WallTime not_after{};
};

struct WebhookFacts {
  std::string name;                             // of the MutatingWebhookConfiguration
  std::string service{};                        // NAMESPACE/NAME; empty: it is reached by a URL
  bool configured = false;                      // the configuration is there
  std::vector<CertificateFacts> authorities{};  // in its caBundle
  std::optional<std::string> bundle_trouble{};  // the caBundle cannot be read
  bool service_there = true;
  std::size_t endpoints = 0;                    // ready pods behind the Service
  std::optional<std::string> answer_trouble{};  // it does not answer
};

struct BudgetFacts {
  std::string ns;
  std::string name;
  std::string rule;  // "minAvailable 100%"
  std::int64_t expected = 0;
  std::int64_t desired = 0;
  std::int64_t healthy = 0;
  std::int64_t allowed = 0;
  std::vector<std::string> pods{};  // that it covers, by name
};

// A resource we ask for, as the API has it.
struct WantedResource {
  std::string group;
  std::string version;
  std::string plural;
};

struct Facts {
  WallTime now{};
  std::string ns = "kube-system";  // where it is, or shall be, installed
  std::string name = "rescheduler-scheduler";

  kube::ServerVersion version{};
  kube::ServerResources resources{};
  std::vector<WantedResource> wanted_resources{};

  std::string subject{};  // whose permissions: "this kubeconfig's user", "ServiceAccount kube-system/..."
  std::size_t wanted_permissions = 0;
  std::vector<kube::Permission> missing{};

  std::optional<InstallationFacts> installation{};  // none: it is not installed
  std::optional<ConfigFacts> config{};
  std::optional<LeaseFacts> lease{};
  std::vector<LeaseFacts> other_leases{};     // of the same name in other namespaces
  std::optional<LeaseFacts> default_lease{};  // kube-scheduler's own
  std::optional<LoadFacts> load{};            // none: no profile places by load
  std::optional<WebhookFacts> webhook{};      // none: failure recovery is off, or has none
  std::vector<BudgetFacts> budgets{};
  std::vector<Unread> unread{};
};

}  // namespace rescheduler::cli::doctor
