#include "config/read.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/core.h>

#include "config/document.h"
#include "config/fields.h"
#include "config/read_extenders.h"
#include "config/read_profiles.h"
#include "kube/value/duration.h"

namespace rescheduler::config {
namespace {

using kube::YamlKind;
using kube::YamlNode;
using kube::YamlProblems;
using kube::YamlReader;
using std::chrono::nanoseconds;

constexpr int kLongestBackoff = 24 * 3600;  // seconds; whoever wants a pod to wait longer has a gate for it

// Zero is "not said", as for kube-scheduler.
void read_time(YamlReader& from, std::string_view field, nanoseconds& into) {
  nanoseconds value{};
  const bool given = read_duration(from, field, value);
  from.describe(field, "", kube::format_duration(into), "above 0s");
  if (!given || value.count() == 0) return;
  if (value.count() < 0) return from.problem(field, "must be greater than zero");
  into = value;
}

void read_unless_empty(YamlReader& from, std::string_view field, std::string& into) {
  std::string value;
  from.read(field, value);
  from.describe(field, "", into, "");
  if (!value.empty()) into = std::move(value);
}

LeaderElection read_leader_election(YamlReader from) {
  LeaderElection election;
  from.read("leaderElect", election.leader_elect);
  read_time(from, "leaseDuration", election.lease_duration);
  read_time(from, "renewDeadline", election.renew_deadline);
  read_time(from, "retryPeriod", election.retry_period);
  read_unless_empty(from, "resourceLock", election.resource_lock);
  read_unless_empty(from, "resourceName", election.resource_name);
  read_unless_empty(from, "resourceNamespace", election.resource_namespace);
  from.refuse_unknown_fields();
  if (const auto fault = fault_of(election)) from.problem(fault->field, fault->what);
  return election;
}

ClientConnection read_client_connection(YamlReader from) {
  ClientConnection connection;
  from.read("kubeconfig", connection.kubeconfig);
  from.read("acceptContentTypes", connection.accept_content_types);
  if (!connection.accept_content_types.empty()) {
    from.note("acceptContentTypes", "has no effect here: protobuf is asked for wherever the server knows it");
  }
  read_unless_empty(from, "contentType", connection.content_type);
  if (connection.content_type != "application/vnd.kubernetes.protobuf"
      && connection.content_type != "application/json") {
    from.problem("contentType", "must be application/vnd.kubernetes.protobuf or application/json");
  }
  if (connection.content_type == "application/json") {
    from.note("contentType", "has no effect here: protobuf is spoken wherever the server knows it");
  }
  double qps = 0;
  from.read("qps", qps);
  from.describe("qps", "", fmt::format("{}", connection.qps), "");
  if (qps != 0) connection.qps = qps;
  int burst = 0;
  read_int(from, "burst", burst);
  from.describe("burst", "", fmt::format("{}", connection.burst), "");
  if (burst != 0) connection.burst = burst;
  from.refuse_unknown_fields();
  return connection;
}

// "10.0.0.1:10251", "[::]:0" or just "0.0.0.0".
bool is_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return text.find('/') == std::string_view::npos;
  const std::string_view port = text.substr(colon + 1);
  int number = -1;
  const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), number);
  return problem == std::errc{} && end == port.data() + port.size() && number >= 0 && number <= 65535;
}

void read_old_addresses(YamlReader& top) {
  for (const char* field : {"healthzBindAddress", "metricsBindAddress"}) {
    std::string address;
    top.read(field, address);
    if (address.empty()) continue;
    if (!is_address(address)) top.problem(field, "must be an address such as 0.0.0.0:10251");
    top.note(field, "has no effect here: health and metrics answer on the secure port");
  }
}

void read_debugging(YamlReader& top, Configuration& into) {
  for (const char* field : {"enableProfiling", "enableContentionProfiling"}) {
    if (top.has(field)) top.note(field, "has no effect here: there is no profiler of Go's to serve");
  }
  top.read("enableProfiling", into.enable_profiling);
  into.enable_contention_profiling = into.enable_profiling;
  top.read("enableContentionProfiling", into.enable_contention_profiling);
}

void read_backoffs(YamlReader& top, Configuration& into) {
  int initial = 1;
  int most = 10;
  read_int(top, "podInitialBackoffSeconds", initial, 1, kLongestBackoff);
  read_int(top, "podMaxBackoffSeconds", most, 1, kLongestBackoff);
  if (most < initial) {
    const char* said = top.has("podMaxBackoffSeconds") ? "podMaxBackoffSeconds" : "podInitialBackoffSeconds";
    top.problem(said,
                fmt::format("the longest back-off ({}s) must not be shorter than the first ({}s)", most, initial));
  }
  into.pod_initial_backoff = std::chrono::seconds{initial};
  into.pod_max_backoff = std::chrono::seconds{most};
}

void read_profiles(std::vector<YamlReader> places,
                   const PluginCatalog& catalog,
                   YamlProblems& problems,
                   Configuration& into) {
  static const YamlNode nothing;
  if (places.empty()) places.emplace_back(nothing, problems, "profiles");
  for (const YamlReader& place : places) into.profiles.push_back(read_profile(place, catalog));
  check_profiles(places, into.profiles);
  resolve_settings(into);
}

void check_version(YamlReader& top) {
  std::string version;
  std::string kind;
  top.read("apiVersion", version);
  top.read("kind", kind);
  if (version != kConfigurationV1 && version != kConfigurationV1Beta3) {
    top.problem("apiVersion", fmt::format("must be {} or {}", kConfigurationV1, kConfigurationV1Beta3));
  }
  if (version == kConfigurationV1Beta3) {
    top.note("apiVersion", fmt::format("is no longer read by kube-scheduler; write {}", kConfigurationV1));
    read_old_addresses(top);
  }
  if (kind != "KubeSchedulerConfiguration") top.problem("kind", "must be KubeSchedulerConfiguration");
}

void read_top(YamlReader top, const PluginCatalog& catalog, YamlProblems& problems, Configuration& into) {
  check_version(top);
  if (top.has("parallelism")) top.note("parallelism", "has no effect here: one thread decides where pods go");
  read_int(top, "parallelism", into.parallelism, 1);
  into.leader_election = read_leader_election(top.child("leaderElection"));
  into.client_connection = read_client_connection(top.child("clientConnection"));
  read_debugging(top, into);
  read_int(top, "percentageOfNodesToScore", into.percentage_of_nodes_to_score, 0, 100);
  read_backoffs(top, into);
  read_profiles(top.items("profiles"), catalog, problems, into);
  into.extenders = read_extenders(top);
  top.read("delayCacheUntilActive", into.delay_cache_until_active);
  top.refuse_unknown_fields();
}

// What guides print when they show settings only.
bool is_profile_alone(const YamlNode& document) {
  if (document.find("apiVersion") != nullptr || document.find("kind") != nullptr) return false;
  for (const char* field : {"schedulerName", "plugins", "pluginConfig"}) {
    if (document.find(field) != nullptr) return true;
  }
  return false;
}

void read_document(const YamlNode& document,
                   const PluginCatalog& catalog,
                   YamlProblems& problems,
                   Configuration& into) {
  const YamlReader top(document, problems);
  if (!is_profile_alone(document)) return read_top(top, catalog, problems, into);
  top.note("is a profile without the file around it; kube-scheduler wants apiVersion, kind and profiles");
  read_profiles({top}, catalog, problems, into);
}

std::vector<kube::YamlRemark> in_order(std::vector<kube::YamlRemark> remarks) {
  std::ranges::sort(remarks, [](const auto& a, const auto& b) {
    return std::tie(a.line, a.column, a.text) < std::tie(b.line, b.column, b.text);
  });
  return remarks;
}

}  // namespace

std::optional<ElectionFault> fault_of(const LeaderElection& election) {
  if (!election.leader_elect) return std::nullopt;
  if (election.resource_lock != "leases") return ElectionFault{"resourceLock", "must be leases"};
  if (election.resource_name.empty()) return ElectionFault{"resourceName", "is required"};
  if (election.resource_namespace.empty()) return ElectionFault{"resourceNamespace", "is required"};
  if (election.lease_duration < std::chrono::seconds{1}
      || election.lease_duration % std::chrono::seconds{1} != nanoseconds{0}) {
    return ElectionFault{"leaseDuration", "must be whole seconds, at least one"};
  }
  if (election.lease_duration <= election.renew_deadline) {
    return ElectionFault{"leaseDuration", "must be greater than renewDeadline"};
  }
  // Somebody who tries now and then, at times 1.2 periods apart, must get a try in before the deadline.
  if (election.retry_period.count() <= 0
      || election.renew_deadline <= election.retry_period + election.retry_period / 5) {
    return ElectionFault{"renewDeadline", "must be greater than 1.2 times retryPeriod"};
  }
  return std::nullopt;
}

std::string sentence(const kube::YamlRemark& remark) { return fmt::format("line {}: {}", remark.line, remark.text); }

namespace {

// Problems and notes go into `problems`, but those of a file that is no YAML at all: they are the answer.
std::optional<kube::YamlRemark> read_text(std::string_view text,
                                          std::string_view file_name,
                                          const PluginCatalog& catalog,
                                          YamlProblems& problems,
                                          Configuration& into) {
  auto document = kube::parse_yaml(text, file_name);
  if (document && is_config_map(*document)) {
    const auto inner = embedded_configuration(*document, text, problems);
    if (inner) document = kube::parse_yaml(*inner, file_name);
  }
  if (!document) return remark_of(document.error(), file_name);
  if (problems.empty()) read_document(*document, catalog, problems, into);
  return std::nullopt;
}

}  // namespace

std::vector<kube::AskedField> questions_about(std::string_view text,
                                              const PluginCatalog& catalog,
                                              std::string_view file_name) {
  YamlProblems problems{std::string(file_name)};
  problems.record_questions();
  Configuration ignored;
  (void)read_text(text, file_name, catalog, problems, ignored);
  return problems.asked();
}

ConfigurationReading read_configuration(std::string_view text,
                                        std::string_view file_name,
                                        const PluginCatalog& catalog) {
  ConfigurationReading reading;
  YamlProblems problems{std::string(file_name)};
  if (auto unreadable = read_text(text, file_name, catalog, problems, reading.configuration)) {
    reading.problems = {std::move(*unreadable)};
    return reading;
  }
  reading.problems = in_order(problems.remarks());
  reading.notes = in_order(problems.notes());
  return reading;
}

Configuration default_configuration(const PluginCatalog& catalog) {
  Configuration configuration;
  YamlProblems none("");
  read_profiles({}, catalog, none, configuration);
  return configuration;
}

Result<ConfigurationReading> load_configuration(std::string_view text,
                                                std::string_view file_name,
                                                const PluginCatalog& catalog) {
  ConfigurationReading reading = read_configuration(text, file_name, catalog);
  if (reading.problems.empty()) return reading;
  std::string all;
  for (const kube::YamlRemark& problem : reading.problems) all += (all.empty() ? "" : "; ") + sentence(problem);
  return fail(Errc::Invalid, "{}: {}", file_name, all);
}

}  // namespace rescheduler::config
