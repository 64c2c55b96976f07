#include "config/podrescheduling_args.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "config/configuration.h"
#include "config/fields.h"
#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"
#include "kube/value/duration.h"
#include "kube/value/name.h"
#include "net/http/url.h"

namespace rescheduler::config {
namespace {

using config::DurationRule;
using config::QuarantineSettings;
using config::RecoveryRules;
using config::RecoverySettings;
using config::RestartRule;
using config::StrategyMode;
using config::WebhookSettings;
using kube::YamlReader;
using kube::YamlWriter;
using std::chrono::nanoseconds;

constexpr std::array<std::pair<std::string_view, StrategyMode>, 3> kModes = {
    {{"off", StrategyMode::Off}, {"observe", StrategyMode::Observe}, {"act", StrategyMode::Act}}};
// The API server allows a webhook 1 to 30 seconds, and every pod waits for it.
constexpr std::chrono::seconds kShortestPatience{1};
constexpr std::chrono::seconds kLongestPatience{30};
constexpr int kMostCount = 1000;  // of anything here; a list that long does not fit into an annotation

std::string_view word_for(StrategyMode mode) {
  return std::ranges::find(kModes, mode, [](const auto& one) { return one.second; })->first;
}

void read_mode(YamlReader& from, StrategyMode& into) {
  std::string text;
  from.read("mode", text);
  from.describe("mode", "word", word_for(into), "off, observe and act");
  if (text.empty()) return;
  const auto found = std::ranges::find(kModes, text, [](const auto& one) { return one.first; });
  if (found == kModes.end())
    return from.problem("mode", fmt::format("'{}' is none; there are off, observe and act", text));
  into = found->second;
}

void read_count(YamlReader& from, std::string_view field, std::uint32_t& into, int least) {
  int value = static_cast<int>(into);
  read_int(from, field, value, least, kMostCount);
  into = static_cast<std::uint32_t>(value);
}

void read_positive(YamlReader& from, std::string_view field, nanoseconds& into) {
  if (read_duration(from, field, into) && into <= nanoseconds::zero()) from.problem(field, "must be above 0s");
  from.describe(field, "", "", "above 0s");
}

void read_rule(YamlReader& rules, std::string_view field, RestartRule& into) {
  if (!rules.has(field)) return;
  YamlReader from = rules.child(field);
  from.read("enabled", into.enabled);
  read_count(from, "restarts", into.restarts, 1);
  read_positive(from, "window", into.window);
  from.refuse_unknown_fields();
}

void read_rule(YamlReader& rules,
               std::string_view field,
               DurationRule& into,
               std::vector<std::string>* reasons = nullptr) {
  if (!rules.has(field)) return;
  YamlReader from = rules.child(field);
  from.read("enabled", into.enabled);
  read_positive(from, "after", into.after);
  if (reasons != nullptr) from.read("reasons", *reasons);
  from.refuse_unknown_fields();
}

void read_rules(YamlReader from, RecoveryRules& into) {
  read_rule(from, "crashLoop", into.crash_loop);
  read_rule(from, "initFailure", into.init_failure);
  read_rule(from, "imagePull", into.image_pull);
  read_rule(from, "containerError", into.container_error);
  read_rule(from, "stuckCreating", into.stuck_creating);
  read_rule(from, "failed", into.failed, &into.failed_reasons);
  read_rule(from, "nodeLost", into.node_lost);
  read_rule(from, "unknown", into.unknown);
  from.refuse_unknown_fields();
}

void read_quarantine(YamlReader from, QuarantineSettings& into) {
  read_mode(from, into.mode);
  read_count(from, "owners", into.owners, 2);
  read_positive(from, "window", into.window);
  read_positive(from, "expiry", into.expiry);
  read_positive(from, "probation", into.probation);
  read_count(from, "perZone", into.per_zone, 1);
  from.refuse_unknown_fields();
}

void read_port(YamlReader& from, std::string_view field, std::uint16_t& into, int least) {
  int value = into;
  read_int(from, field, value, least, 65535);
  into = static_cast<std::uint16_t>(value);
}

void read_webhook(YamlReader from, WebhookSettings& into) {
  from.read("enabled", into.enabled);
  from.read("name", into.name);
  if (!kube::is_dns_subdomain(into.name))
    from.problem("name", fmt::format("'{}' cannot be an object's name", into.name));
  from.read("service", into.service);
  if (!kube::is_dns_label(into.service))
    from.problem("service", fmt::format("'{}' cannot be a service's name", into.service));
  read_port(from, "servicePort", into.service_port, 1);
  from.read("url", into.url);
  if (!into.url.empty()) {
    const auto url = net::parse_url(into.url);
    if (!url) from.problem("url", url.error().message);
    if (url && !into.url.starts_with("https://")) from.problem("url", "must begin with https://");
    if (from.has("service") || from.has("servicePort")) from.problem("url", "and service exclude each other");
  }
  read_port(from, "port", into.port, 0);
  from.read("certificateFile", into.certificate_file);
  from.read("keyFile", into.key_file);
  from.read("caFile", into.ca_file);
  const bool any = !into.certificate_file.empty() || !into.key_file.empty() || !into.ca_file.empty();
  const bool all = !into.certificate_file.empty() && !into.key_file.empty() && !into.ca_file.empty();
  if (any && !all) from.problem("certificateFile", "certificateFile, keyFile and caFile go together");
  from.read("nodeAffinity", into.node_affinity);
  from.describe("timeout", "", "", "1s to 30s");
  if (read_duration(from, "timeout", into.timeout)
      && (into.timeout < kShortestPatience || into.timeout > kLongestPatience)) {
    from.problem("timeout", "must be between 1s and 30s");
  }
  from.refuse_unknown_fields();
}

void read_recovery(YamlReader from, RecoverySettings& into) {
  read_mode(from, into.mode);
  if (from.has("rules")) read_rules(from.child("rules"), into.rules);
  read_positive(from, "healthyWindow", into.healthy_window);
  read_count(from, "applicationAfter", into.application_after, 2);
  read_count(from, "mostRetries", into.most_retries, 1);
  if (from.has("visited")) {
    YamlReader visited = from.child("visited");
    read_positive(visited, "expiry", into.visited.expiry);
    read_count(visited, "most", into.visited.most, 1);
    visited.refuse_unknown_fields();
  }
  if (from.has("quarantine")) read_quarantine(from.child("quarantine"), into.quarantine);
  from.read("excludedNamespaces", into.excluded_namespaces);
  for (const std::string& name : into.excluded_namespaces) {
    if (!kube::is_dns_label(name))
      from.problem("excludedNamespaces", fmt::format("'{}' cannot be a namespace's name", name));
  }
  if (from.has("webhook")) read_webhook(from.child("webhook"), into.webhook);
  from.refuse_unknown_fields();
}

void read_args(YamlReader& from, Profile& profile) {
  PodreschedulingSettings settings;
  from.read("hard", settings.placing.hard);
  if (from.has("recovery")) read_recovery(from.child("recovery"), settings.recovery);
  set_settings(profile, std::move(settings));
}

void print_rule(std::string_view field, const RestartRule& rule, YamlWriter& to) {
  to.open(field);
  to.field("enabled", rule.enabled);
  to.field("restarts", rule.restarts);
  to.field("window", kube::format_duration(rule.window));
  to.close();
}

void print_rule(std::string_view field,
                const DurationRule& rule,
                YamlWriter& to,
                const std::vector<std::string>* reasons = nullptr) {
  to.open(field);
  to.field("enabled", rule.enabled);
  to.field("after", kube::format_duration(rule.after));
  if (reasons != nullptr) to.field("reasons", *reasons);
  to.close();
}

void print_rules(const RecoveryRules& rules, YamlWriter& to) {
  to.open("rules");
  print_rule("crashLoop", rules.crash_loop, to);
  print_rule("initFailure", rules.init_failure, to);
  print_rule("imagePull", rules.image_pull, to);
  print_rule("containerError", rules.container_error, to);
  print_rule("stuckCreating", rules.stuck_creating, to);
  print_rule("failed", rules.failed, to, &rules.failed_reasons);
  print_rule("nodeLost", rules.node_lost, to);
  print_rule("unknown", rules.unknown, to);
  to.close();
}

void print_quarantine(const QuarantineSettings& quarantine, YamlWriter& to) {
  to.open("quarantine");
  to.field("mode", word_for(quarantine.mode));
  to.field("owners", quarantine.owners);
  to.field("window", kube::format_duration(quarantine.window));
  to.field("expiry", kube::format_duration(quarantine.expiry));
  to.field("probation", kube::format_duration(quarantine.probation));
  to.field("perZone", quarantine.per_zone);
  to.close();
}

void print_webhook(const WebhookSettings& webhook, YamlWriter& to) {
  to.open("webhook");
  to.field("enabled", webhook.enabled);
  to.field("name", webhook.name);
  if (webhook.url.empty()) {
    to.field("service", webhook.service);
    to.field("servicePort", webhook.service_port);
  } else {
    to.field("url", webhook.url);
  }
  to.field("port", webhook.port);
  if (!webhook.certificate_file.empty()) {
    to.field("certificateFile", webhook.certificate_file);
    to.field("keyFile", webhook.key_file);
    to.field("caFile", webhook.ca_file);
  }
  to.field("nodeAffinity", webhook.node_affinity);
  to.field("timeout", kube::format_duration(webhook.timeout));
  to.close();
}

void print_args(const Profile& profile, YamlWriter& to) {
  const RecoverySettings& recovery = profile.podrescheduling->recovery;
  to.field("hard", profile.podrescheduling->placing.hard);
  to.open("recovery");
  to.field("mode", word_for(recovery.mode));
  print_rules(recovery.rules, to);
  to.field("healthyWindow", kube::format_duration(recovery.healthy_window));
  to.field("applicationAfter", recovery.application_after);
  to.field("mostRetries", recovery.most_retries);
  to.open("visited");
  to.field("expiry", kube::format_duration(recovery.visited.expiry));
  to.field("most", recovery.visited.most);
  to.close();
  print_quarantine(recovery.quarantine, to);
  to.field("excludedNamespaces", recovery.excluded_namespaces);
  print_webhook(recovery.webhook, to);
  to.close();
}

}  // namespace

PluginArgsFormat podrescheduling_format() { return {&read_args, &print_args}; }

}  // namespace rescheduler::config
