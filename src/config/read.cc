#include "config/read.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/core.h>

#include "config/document.h"
#include "config/read_profiles.h"
#include "config/tables.h"

namespace rescheduler::config {
namespace {

using kube::YamlKind;
using kube::YamlNode;
using kube::YamlProblems;
using kube::YamlReader;
using std::chrono::nanoseconds;

// "10.0.0.1:10251", "[::]:0" or "0.0.0.0".
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
    top.note("apiVersion", fmt::format("is a version that kube-scheduler no longer reads; write {}", kConfigurationV1));
    read_old_addresses(top);
  }
  if (kind != "KubeSchedulerConfiguration") top.problem("kind", "must be KubeSchedulerConfiguration");
}

void read_top(YamlReader top, const PluginCatalog& catalog, YamlProblems& problems, Configuration& into) {
  check_version(top);
  read_fields(head_table(), top, &into);
  read_profiles(top.items("profiles"), catalog, problems, into);
  read_fields(tail_table(), top, &into);
  top.refuse_unknown_fields();
}

// Guides that show only settings print a profile without the surrounding file.
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
  top.note("is a profile, not a complete file; kube-scheduler also requires apiVersion, kind and profiles");
  read_profiles({top}, catalog, problems, into);
}

std::vector<kube::YamlRemark> sorted_by_position(std::vector<kube::YamlRemark> remarks) {
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
    return ElectionFault{"leaseDuration", "must be a whole number of seconds, at least 1s"};
  }
  if (election.lease_duration <= election.renew_deadline) {
    return ElectionFault{"leaseDuration", "must be greater than renewDeadline"};
  }
  // Retries are up to 1.2 periods apart because of jitter. At least one retry must fit in before the deadline.
  if (election.retry_period.count() <= 0
      || election.renew_deadline <= election.retry_period + election.retry_period / 5) {
    return ElectionFault{"renewDeadline", "must be greater than 1.2 times retryPeriod"};
  }
  return std::nullopt;
}

std::string sentence(const kube::YamlRemark& remark) { return fmt::format("line {}: {}", remark.line, remark.text); }

namespace {

// The configuration in a text, alone or in a ConfigMap. Errors of the ConfigMap are added to `problems`.
Result<YamlNode> document_in(std::string_view text, std::string_view file_name, YamlProblems& problems) {
  auto document = kube::parse_yaml(text, file_name);
  if (!document || !is_config_map(*document)) return document;
  const auto inner = embedded_configuration(*document, text, problems);
  return inner ? kube::parse_yaml(*inner, file_name) : std::move(document);
}

void add_values(const YamlNode& node, const std::string& path, std::vector<std::string>& into) {
  if (node.kind == YamlKind::Scalar) into.push_back(path);
  for (const kube::YamlEntry& entry : node.entries) {
    add_values(entry.value, path.empty() ? entry.key : fmt::format("{}.{}", path, entry.key), into);
  }
  const auto is_scalar = [](const YamlNode& item) { return item.kind == YamlKind::Scalar; };
  if (node.kind == YamlKind::Sequence && std::ranges::all_of(node.items, is_scalar)) return into.push_back(path);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    add_values(node.items[i], fmt::format("{}[{}]", path, i), into);
  }
}

}  // namespace

std::vector<std::string> values_in(std::string_view text, std::string_view file_name) {
  YamlProblems ignored{std::string(file_name)};
  std::vector<std::string> values;
  if (const auto document = document_in(text, file_name, ignored)) add_values(*document, {}, values);
  return values;
}

ConfigurationReading read_configuration(std::string_view text,
                                        std::string_view file_name,
                                        const PluginCatalog& catalog) {
  ConfigurationReading reading;
  YamlProblems problems{std::string(file_name)};
  const auto document = document_in(text, file_name, problems);
  if (!document) {
    reading.problems = {remark_of(document.error(), file_name)};
    return reading;
  }
  if (problems.empty()) read_document(*document, catalog, problems, reading.configuration);
  reading.problems = sorted_by_position(problems.remarks());
  reading.notes = sorted_by_position(problems.notes());
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
