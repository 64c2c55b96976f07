// The values of a KubeSchedulerConfiguration, including all defaults. read.h reads them, effective.h prints them, and
// docs/configuration.md explains each field.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/rescheduler_settings.h"
#include "kube/config/secret.h"
#include "placement/profile.h"

namespace rescheduler::config {

// The names of kube-scheduler are default-scheduler (profile) and kube-scheduler (lease). These names differ, so that
// both programs can run in one cluster without conflicts over pods or over the lease.
inline constexpr const char* kDefaultSchedulerName = "rescheduler-scheduler";
inline constexpr const char* kDefaultLeaseName = "rescheduler-scheduler";

struct LeaderElection {
  bool leader_elect = true;
  std::chrono::nanoseconds lease_duration = std::chrono::seconds{15};
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds{10};
  std::chrono::nanoseconds retry_period = std::chrono::seconds{2};
  std::string resource_lock = "leases";  // the only allowed value
  std::string resource_namespace = "kube-system";
  std::string resource_name = kDefaultLeaseName;
  friend bool operator==(const LeaderElection&, const LeaderElection&) = default;
};

struct ClientConnection {
  std::string kubeconfig{};  // empty: the search order of other clients, see kube/config
  std::string accept_content_types{};
  std::string content_type = "application/vnd.kubernetes.protobuf";
  double qps = 50;  // negative: no limit
  int burst = 100;
  friend bool operator==(const ClientConnection&, const ClientConnection&) = default;
};

struct ManagedResource {
  std::string name;
  bool ignored_by_scheduler = false;  // NodeResourcesFit does not check the resource
  friend bool operator==(const ManagedResource&, const ManagedResource&) = default;
};

// The *_data fields are PEM and have priority over the files.
struct ExtenderTls {
  bool insecure = false;
  std::string server_name{};
  std::string cert_file{};
  std::string key_file{};
  std::string ca_file{};
  std::string cert_data{};
  kube::Secret key_data{};
  std::string ca_data{};
  friend bool operator==(const ExtenderTls&, const ExtenderTls&) = default;
};

// An HTTP service that takes part in scheduling. It is not called for an empty verb.
struct Extender {
  std::string url_prefix;
  std::string filter_verb{};
  std::string preempt_verb{};
  std::string prioritize_verb{};
  std::string bind_verb{};
  std::int64_t weight = 0;  // of the scores; must be positive with a prioritize_verb
  bool enable_https = false;
  std::optional<ExtenderTls> tls{};
  std::chrono::nanoseconds http_timeout = std::chrono::seconds{5};
  bool node_cache_capable = false;
  std::vector<ManagedResource> managed_resources{};  // empty: called for all pods
  bool ignorable = false;
  friend bool operator==(const Extender&, const Extender&) = default;
};

// A profile with the settings of the plugins that have more than placement settings. Empty: the profile has none.
struct Profile : placement::Profile {
  std::optional<ReschedulerSettings> rescheduler{};
  std::optional<PodreschedulingSettings> podrescheduling{};
};
// Also sets the placement part in `args`, where the plugins read it.
void set_settings(Profile& profile, ReschedulerSettings settings);
void set_settings(Profile& profile, PodreschedulingSettings settings);
// Enables the plugin Rescheduler at all its extension points, so that the profile places pods by load.
void place_by_load(Profile& profile, ReschedulerSettings settings);

struct Configuration {
  int parallelism = 16;
  LeaderElection leader_election{};
  ClientConnection client_connection{};
  bool enable_profiling = true;
  bool enable_contention_profiling = true;
  // 100, the default here: all nodes. 0, the default of kube-scheduler: its percentage for a cluster of that size.
  int percentage_of_nodes_to_score = 100;
  std::chrono::seconds pod_initial_backoff{1};
  std::chrono::seconds pod_max_backoff{10};
  std::vector<Profile> profiles{};  // at least one profile after reading
  std::vector<Extender> extenders{};
  bool delay_cache_until_active = false;

  // Settings that exist once for the program. resolve_settings() takes them from the profiles.
  std::optional<cluster::LoadSettings> load{};  // empty: no profile places by load
  std::optional<Profile> rescheduled{};         // plans use its filters and settings; empty: no plans
  ReschedulerSettings rescheduler{};            // for the log and the dashboard
  MigrationSettings migration{};
  std::optional<RecoverySettings> recovery{};  // empty: no failure recovery
  WebhookSettings webhook{};

  // The webhook steers replacements of failed pods and of moved pods.
  bool serves_webhook() const { return webhook.enabled && (recovery || rescheduled); }
  std::vector<placement::Profile> placing() const { return {profiles.begin(), profiles.end()}; }
};

// The profile that each setting is taken from:
//   load         the first that uses the plugin Rescheduler at filter, score, reserve or preBind
//   rescheduled  the first that uses Rescheduler at any extension point; empty if it disables the controller
//   rescheduler  the first with settings of Rescheduler, whether the plugin is enabled or not
//   migration    the last with settings of Rescheduler
//   recovery     the first that uses Podrescheduling at filter; empty if it disables recovery
//   webhook      that of recovery, else the first with settings of Podrescheduling
// Must be called again after a change of the profiles.
void resolve_settings(Configuration& configuration);

}  // namespace rescheduler::config
