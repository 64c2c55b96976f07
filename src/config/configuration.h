// What the scheduler was told to do: a KubeSchedulerConfiguration with every default filled in. Plain values; how they
// are read is in read.h, how they are printed in effective.h. docs/configuration.md explains each field.
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

// Where kube-scheduler has default-scheduler for the profile and kube-scheduler for the lease. They differ so that both
// can run in one cluster without fighting over pods or over the lease.
inline constexpr const char* kDefaultSchedulerName = "rescheduler-scheduler";
inline constexpr const char* kDefaultLeaseName = "rescheduler-scheduler";

struct LeaderElection {
  bool leader_elect = true;
  std::chrono::nanoseconds lease_duration = std::chrono::seconds{15};
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds{10};
  std::chrono::nanoseconds retry_period = std::chrono::seconds{2};
  std::string resource_lock = "leases";  // nothing else is allowed
  std::string resource_namespace = "kube-system";
  std::string resource_name = kDefaultLeaseName;
  friend bool operator==(const LeaderElection&, const LeaderElection&) = default;
};

struct ClientConnection {
  std::string kubeconfig{};  // empty: as other clients look for it, see kube/config
  std::string accept_content_types{};
  std::string content_type = "application/vnd.kubernetes.protobuf";
  double qps = 50;  // negative: no limit
  int burst = 100;
  friend bool operator==(const ClientConnection&, const ClientConnection&) = default;
};

struct ManagedResource {
  std::string name;
  bool ignored_by_scheduler = false;  // NodeResourcesFit leaves it to the extender
  friend bool operator==(const ManagedResource&, const ManagedResource&) = default;
};

// Data, where given, is PEM and beats the file.
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

// An HTTP service with a say. An empty verb is a call it does not take.
struct Extender {
  std::string url_prefix;
  std::string filter_verb{};
  std::string preempt_verb{};
  std::string prioritize_verb{};
  std::string bind_verb{};
  std::int64_t weight = 0;  // of its scores; positive where there is a prioritize_verb
  bool enable_https = false;
  std::optional<ExtenderTls> tls{};
  std::chrono::nanoseconds http_timeout = std::chrono::seconds{5};
  bool node_cache_capable = false;
  std::vector<ManagedResource> managed_resources{};  // empty: every pod is its business
  bool ignorable = false;
  friend bool operator==(const Extender&, const Extender&) = default;
};

// A profile, and what it says to the parts of the program that place no pods. Nothing: it has no such settings.
struct Profile : placement::Profile {
  std::optional<ReschedulerSettings> rescheduler{};
  std::optional<PodreschedulingSettings> podrescheduling{};
};
// Puts the settings where the profile's plugins find theirs, too.
void set_settings(Profile& profile, ReschedulerSettings settings);
void set_settings(Profile& profile, PodreschedulingSettings settings);
// Has the profile place pods by load, at all points the plugin Rescheduler has a say at.
void place_by_load(Profile& profile, ReschedulerSettings settings);

struct Configuration {
  int parallelism = 16;
  LeaderElection leader_election{};
  ClientConnection client_connection{};
  bool enable_profiling = true;
  bool enable_contention_profiling = true;
  // 100: all nodes, our default. 0: as few as kube-scheduler would look at in a cluster of that size, its default.
  int percentage_of_nodes_to_score = 100;
  std::chrono::seconds pod_initial_backoff{1};
  std::chrono::seconds pod_max_backoff{10};
  std::vector<Profile> profiles{};  // at least one after reading
  std::vector<Extender> extenders{};
  bool delay_cache_until_active = false;

  // What the program has once, whatever the number of profiles: resolve_settings() takes it from them.
  std::optional<cluster::LoadSettings> load{};  // nothing: no profile places by load
  std::optional<Profile> rescheduled{};         // whose filters and settings plans go by; nothing: none are made
  ReschedulerSettings rescheduler{};            // what the log and the pages go by
  MigrationSettings migration{};
  std::optional<RecoverySettings> recovery{};  // nothing: failing pods are left alone

  std::vector<placement::Profile> placing() const { return {profiles.begin(), profiles.end()}; }
};

// Where profiles differ:
//   load         the first that uses the plugin Rescheduler to place pods
//   rescheduled  the first that uses it at any point, unless that one switches the controller off
//   rescheduler  the first that has settings for it, used or not
//   migration    the last that has
//   recovery     the first that uses Podrescheduling to filter nodes, unless that one switches recovery off
// To be called again by those who change profiles after reading.
void resolve_settings(Configuration& configuration);

}  // namespace rescheduler::config
