#include "config/read_extenders.h"

#include <limits>
#include <set>
#include <string>

#include <fmt/core.h>

#include "config/fields.h"
#include "kube/value/base64.h"
#include "kube/value/name.h"

namespace rescheduler::config {
namespace {

using kube::YamlReader;

void read_bytes(YamlReader& from, std::string_view field, std::string& into) {
  std::string text;
  from.read(field, text);
  auto bytes = kube::base64_decode(text);
  if (!bytes) return from.problem(field, "must be base64");
  into = std::move(*bytes);
}

ExtenderTls read_tls(YamlReader from) {
  ExtenderTls tls;
  from.read("insecure", tls.insecure);
  from.read("serverName", tls.server_name);
  from.read("certFile", tls.cert_file);
  from.read("keyFile", tls.key_file);
  from.read("caFile", tls.ca_file);
  read_bytes(from, "certData", tls.cert_data);
  std::string key;
  read_bytes(from, "keyData", key);
  tls.key_data = kube::Secret(std::move(key));
  read_bytes(from, "caData", tls.ca_data);
  from.refuse_unknown_fields();
  const bool has_ca = !tls.ca_file.empty() || !tls.ca_data.empty();
  const bool has_cert = !tls.cert_file.empty() || !tls.cert_data.empty();
  const bool has_key = !tls.key_file.empty() || !tls.key_data.empty();
  if (has_cert != has_key) from.problem("a client certificate and its key go together");
  if (tls.insecure && has_ca) from.problem("insecure", "and an authority to trust exclude each other");
  return tls;
}

// Kubernetes' own resources (cpu, hugepages-2Mi, kubernetes.io/...) cannot be an extender's.
bool is_extended_resource(std::string_view name) {
  return name.find('/') != std::string_view::npos && name.find("kubernetes.io/") == std::string_view::npos
         && !name.starts_with("requests.") && kube::is_label_key(fmt::format("requests.{}", name));
}

void read_managed_resources(YamlReader& from, std::set<std::string>& seen, std::vector<ManagedResource>& into) {
  for (YamlReader& item : from.items("managedResources")) {
    ManagedResource& resource = into.emplace_back();
    item.read("name", resource.name);
    item.read("ignoredByScheduler", resource.ignored_by_scheduler);
    item.refuse_unknown_fields();
    if (!kube::is_label_key(resource.name) || !is_extended_resource(resource.name)) {
      item.problem("name", "must be an extended resource, such as example.com/gpu");
    } else if (!seen.insert(resource.name).second) {
      item.problem("name", "is managed already, by this extender or another");
    }
  }
}

Extender read_extender(YamlReader& from, std::set<std::string>& managed) {
  Extender extender;
  from.read("urlPrefix", extender.url_prefix);
  if (!extender.url_prefix.starts_with("http://") && !extender.url_prefix.starts_with("https://")) {
    from.problem("urlPrefix", "must be given and begin with http:// or https://");
  }
  from.read("filterVerb", extender.filter_verb);
  from.read("preemptVerb", extender.preempt_verb);
  from.read("prioritizeVerb", extender.prioritize_verb);
  from.read("bindVerb", extender.bind_verb);
  from.read("weight", extender.weight, 0, std::numeric_limits<std::int32_t>::max());
  if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
    from.problem("weight", "must be greater than zero where there is a prioritizeVerb");
  }
  from.read("enableHTTPS", extender.enable_https);
  if (from.has("tlsConfig")) extender.tls = read_tls(from.child("tlsConfig"));
  if (read_duration(from, "httpTimeout", extender.http_timeout)) {
    if (extender.http_timeout.count() < 0) from.problem("httpTimeout", "must not be negative");
    if (extender.http_timeout.count() == 0) extender.http_timeout = Extender{}.http_timeout;
  }
  from.read("nodeCacheCapable", extender.node_cache_capable);
  read_managed_resources(from, managed, extender.managed_resources);
  from.read("ignorable", extender.ignorable);
  from.refuse_unknown_fields();
  return extender;
}

}  // namespace

std::vector<Extender> read_extenders(YamlReader& top) {
  std::vector<Extender> extenders;
  std::set<std::string> managed;
  bool has_binder = false;
  for (YamlReader& item : top.items("extenders")) {
    extenders.push_back(read_extender(item, managed));
    if (extenders.back().bind_verb.empty()) continue;
    if (has_binder) item.problem("bindVerb", "only one extender can bind, and another one does");
    has_binder = true;
  }
  return extenders;
}

}  // namespace rescheduler::config
