#include "config/effective.h"

#include "config/read.h"
#include "kube/config/yaml_writer.h"
#include "kube/value/base64.h"
#include "kube/value/duration.h"

namespace rescheduler::config {
namespace {

using kube::YamlWriter;

void print(const LeaderElection& election, YamlWriter& to) {
  to.open("leaderElection");
  to.field("leaderElect", election.leader_elect);
  to.field("leaseDuration", kube::format_duration(election.lease_duration));
  to.field("renewDeadline", kube::format_duration(election.renew_deadline));
  to.field("retryPeriod", kube::format_duration(election.retry_period));
  to.field("resourceLock", election.resource_lock);
  to.field("resourceName", election.resource_name);
  to.field("resourceNamespace", election.resource_namespace);
  to.close();
}

void print(const ClientConnection& connection, YamlWriter& to) {
  to.open("clientConnection");
  to.field("kubeconfig", connection.kubeconfig);
  to.field("acceptContentTypes", connection.accept_content_types);
  to.field("contentType", connection.content_type);
  to.field("qps", connection.qps);
  to.field("burst", connection.burst);
  to.close();
}

// With every default switched off and every plugin named at its points, nothing is left to be worked out.
void print_plugins(const placement::Profile& profile, YamlWriter& to) {
  to.open("plugins");
  to.open("multiPoint");
  to.open("disabled");
  to.item();
  to.field("name", "*");
  to.close();
  to.close();
  for (std::size_t i = 0; i < placement::kPointCount; ++i) {
    if (profile.plugins[i].empty()) continue;
    to.open(placement::kPointNames[i]);
    to.open("enabled");
    for (const placement::PluginUse& use : profile.plugins[i]) {
      to.item();
      to.field("name", use.name);
      if (static_cast<placement::Point>(i) == placement::Point::Score) to.field("weight", use.weight);
    }
    to.close();
    to.close();
  }
  to.close();
}

void print_args(const Profile& profile, const PluginCatalog& catalog, YamlWriter& to) {
  if (profile.args.empty()) return to.json("pluginConfig", "[]");
  to.open("pluginConfig");
  for (const auto& [name, args] : profile.args) {
    const KnownPlugin* plugin = find_plugin(catalog, name);
    if (plugin == nullptr || !plugin->args.print) continue;
    to.item();
    to.field("name", name);
    to.open("args");
    to.field("apiVersion", kConfigurationV1);
    to.field("kind", name + "Args");
    plugin->args.print(profile, to);
    to.close();
  }
  to.close();
}

void print(const ExtenderTls& tls, YamlWriter& to) {
  to.open("tlsConfig");
  to.field("insecure", tls.insecure);
  to.field("serverName", tls.server_name);
  to.field("certFile", tls.cert_file);
  to.field("keyFile", tls.key_file);
  to.field("caFile", tls.ca_file);
  to.field("certData", kube::base64_encode(tls.cert_data));
  // What stands in for the key can be read back, and is the same each time.
  to.field("keyData", kube::base64_encode(tls.key_data.empty() ? "" : "[not shown]"));
  to.field("caData", kube::base64_encode(tls.ca_data));
  to.close();
}

void print(const Extender& extender, YamlWriter& to) {
  to.field("urlPrefix", extender.url_prefix);
  to.field("filterVerb", extender.filter_verb);
  to.field("preemptVerb", extender.preempt_verb);
  to.field("prioritizeVerb", extender.prioritize_verb);
  to.field("weight", extender.weight);
  to.field("bindVerb", extender.bind_verb);
  to.field("enableHTTPS", extender.enable_https);
  if (extender.tls) print(*extender.tls, to);
  to.field("httpTimeout", kube::format_duration(extender.http_timeout));
  to.field("nodeCacheCapable", extender.node_cache_capable);
  if (!extender.managed_resources.empty()) {
    to.open("managedResources");
    for (const ManagedResource& resource : extender.managed_resources) {
      to.item();
      to.field("name", resource.name);
      to.field("ignoredByScheduler", resource.ignored_by_scheduler);
    }
    to.close();
  }
  to.field("ignorable", extender.ignorable);
}

}  // namespace

std::string effective_configuration(const Configuration& configuration, const PluginCatalog& catalog) {
  YamlWriter yaml;
  yaml.field("apiVersion", kConfigurationV1);
  yaml.field("kind", "KubeSchedulerConfiguration");
  yaml.field("parallelism", configuration.parallelism);
  print(configuration.leader_election, yaml);
  print(configuration.client_connection, yaml);
  yaml.field("enableProfiling", configuration.enable_profiling);
  yaml.field("enableContentionProfiling", configuration.enable_contention_profiling);
  yaml.field("percentageOfNodesToScore", configuration.percentage_of_nodes_to_score);
  yaml.field("podInitialBackoffSeconds", configuration.pod_initial_backoff.count());
  yaml.field("podMaxBackoffSeconds", configuration.pod_max_backoff.count());
  yaml.open("profiles");
  for (const Profile& profile : configuration.profiles) {
    yaml.item();
    yaml.field("schedulerName", profile.scheduler_name);
    yaml.field("percentageOfNodesToScore",
               profile.percentage_of_nodes_to_score.value_or(configuration.percentage_of_nodes_to_score));
    print_plugins(profile, yaml);
    print_args(profile, catalog, yaml);
  }
  yaml.close();
  if (!configuration.extenders.empty()) {
    yaml.open("extenders");
    for (const Extender& extender : configuration.extenders) {
      yaml.item();
      print(extender, yaml);
    }
    yaml.close();
  }
  yaml.field("delayCacheUntilActive", configuration.delay_cache_until_active);
  return yaml.text();
}

}  // namespace rescheduler::config
