#include "sim/frontend/webhooks/webhook_config.h"

#include <algorithm>

#include <boost/json.hpp>
#include <google/protobuf/message.h>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/base64.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

const json::value* member(const json::value* in, std::string_view name) {
  const json::object* object = in == nullptr ? nullptr : in->if_object();
  return object == nullptr ? nullptr : object->if_contains(json::string_view(name.data(), name.size()));
}

std::string text(const json::value* value, std::string_view otherwise = {}) {
  if (value == nullptr || !value->is_string()) return std::string(otherwise);
  return {value->get_string().data(), value->get_string().size()};
}

std::int64_t number(const json::value* value, std::int64_t otherwise) {
  return value != nullptr && value->is_int64() ? value->get_int64() : otherwise;
}

std::vector<std::string> texts(const json::value* value) {
  std::vector<std::string> out;
  if (value == nullptr || !value->is_array()) return out;
  for (const json::value& item : value->get_array()) out.push_back(text(&item));
  return out;
}

kube::LabelSelector selector(const json::value* value) {
  kube::LabelSelectorSpec spec;
  if (const json::value* labels = member(value, "matchLabels"); labels != nullptr && labels->is_object()) {
    for (const auto& [key, wanted] : labels->get_object()) spec.match_labels.emplace_back(key, text(&wanted));
  }
  if (const json::value* all = member(value, "matchExpressions"); all != nullptr && all->is_array()) {
    for (const json::value& one : all->get_array()) {
      spec.match_expressions.push_back(
          {text(member(&one, "key")), text(member(&one, "operator")), texts(member(&one, "values"))});
    }
  }
  auto made = kube::LabelSelector::from(std::move(spec));
  return made ? std::move(*made) : kube::LabelSelector::nothing();
}

WebhookRule rule_in(const json::value& value) {
  WebhookRule rule;
  rule.operations = texts(member(&value, "operations"));
  rule.groups = texts(member(&value, "apiGroups"));
  rule.versions = texts(member(&value, "apiVersions"));
  rule.resources = texts(member(&value, "resources"));
  rule.scope = text(member(&value, "scope"), "*");
  return rule;
}

void read_client_config(const json::value* config, Webhook& webhook) {
  webhook.url = text(member(config, "url"));
  const json::value* service = member(config, "service");
  webhook.service_ns = text(member(service, "namespace"));
  webhook.service_name = text(member(service, "name"));
  webhook.service_path = text(member(service, "path"), "/");
  webhook.service_port = number(member(service, "port"), 443);
  auto ca = kube::base64_decode(text(member(config, "caBundle")));
  if (ca) webhook.ca_pem = std::move(*ca);
}

Webhook webhook_in(const json::value& value, bool mutating) {
  Webhook webhook;
  webhook.name = text(member(&value, "name"));
  webhook.mutating = mutating;
  webhook.fails_closed = text(member(&value, "failurePolicy"), "Fail") != "Ignore";
  webhook.timeout = std::chrono::seconds{number(member(&value, "timeoutSeconds"), 10)};
  read_client_config(member(&value, "clientConfig"), webhook);
  if (const json::value* rules = member(&value, "rules"); rules != nullptr && rules->is_array()) {
    for (const json::value& one : rules->get_array()) webhook.rules.push_back(rule_in(one));
  }
  webhook.namespaces = selector(member(&value, "namespaceSelector"));
  webhook.objects = selector(member(&value, "objectSelector"));
  webhook.review_versions = texts(member(&value, "admissionReviewVersions"));
  webhook.side_effects = text(member(&value, "sideEffects"));
  webhook.reinvoked_if_needed = text(member(&value, "reinvocationPolicy")) == "IfNeeded";
  const json::value* conditions = member(&value, "matchConditions");
  if (conditions != nullptr && conditions->is_array() && !conditions->get_array().empty()) {
    webhook.unsupported = "matchConditions are not supported by the embedded cluster";
  }
  return webhook;
}

bool named(const std::vector<std::string>& allowed, std::string_view wanted) {
  return std::ranges::any_of(allowed, [wanted](const std::string& one) { return one == "*" || one == wanted; });
}

bool resource_matches(const WebhookRule& rule, const PendingWrite& pending_write) {
  return std::ranges::any_of(rule.resources, [&pending_write](std::string_view wanted) {
    const auto slash = wanted.find('/');
    const std::string_view resource = wanted.substr(0, slash);
    const std::string_view sub = slash == wanted.npos ? std::string_view() : wanted.substr(slash + 1);
    return (resource == "*" || resource == pending_write.kind->plural)
           && (sub == "*" || sub == pending_write.subresource);
  });
}

bool rule_matches(const WebhookRule& rule, const PendingWrite& pending_write) {
  const std::string_view scope = pending_write.kind->namespaced ? "Namespaced" : "Cluster";
  const std::string_view operation = pending_write.operation == PendingWrite::Operation::Create ? "CREATE" : "UPDATE";
  return (rule.scope.empty() || rule.scope == "*" || rule.scope == scope) && named(rule.operations, operation)
         && named(rule.groups, pending_write.kind->group) && named(rule.versions, pending_write.kind->version)
         && resource_matches(rule, pending_write);
}

bool labels_match(const kube::LabelSelector& selector, const api::ObjectMeta& metadata) {
  return selector.matches([&labels = metadata.labels()](std::string_view key) -> std::optional<std::string_view> {
    const auto found = labels.find(std::string(key));
    if (found == labels.end()) return std::nullopt;
    return std::string_view(found->second);
  });
}

bool namespace_matches(const Webhook& webhook, const PendingWrite& pending_write, const Server& server) {
  if (webhook.namespaces.is_everything()) return true;
  const Kind& namespaces = *server.kinds().find("", "v1", "namespaces");
  const api::ObjectMeta& metadata = kube::metadata_of(*pending_write.object);
  // A namespace is selected by its own labels. Any other cluster-scoped object always matches.
  if (pending_write.kind == &namespaces) return labels_match(webhook.namespaces, metadata);
  if (!pending_write.kind->namespaced) return true;
  const VersionPtr found = server.store().find(namespaces, "", metadata.namespace_());
  return found && labels_match(webhook.namespaces, kube::metadata_of(*found->object()));
}

bool object_matches(const Webhook& webhook, const PendingWrite& pending_write) {
  if (webhook.objects.is_everything()) return true;
  if (labels_match(webhook.objects, kube::metadata_of(*pending_write.object))) return true;
  return pending_write.before && labels_match(webhook.objects, kube::metadata_of(*pending_write.before->object()));
}

}  // namespace

std::vector<Webhook> webhooks_in(const CustomObject& configuration, bool mutating) {
  std::vector<Webhook> webhooks;
  json::error_code error;
  const json::value content = json::parse(configuration.content(), error);
  const json::value* all = error ? nullptr : member(&content, "webhooks");
  if (all == nullptr || !all->is_array()) return webhooks;
  for (const json::value& one : all->get_array()) webhooks.push_back(webhook_in(one, mutating));
  return webhooks;
}

bool matches(const Webhook& webhook, const PendingWrite& pending_write, const Server& server) {
  // Webhooks never review webhook configurations, so that a broken webhook can be removed.
  if (pending_write.kind->group == "admissionregistration.k8s.io") return false;
  const bool ruled = std::ranges::any_of(
      webhook.rules, [&pending_write](const WebhookRule& rule) { return rule_matches(rule, pending_write); });
  return ruled && object_matches(webhook, pending_write) && namespace_matches(webhook, pending_write, server);
}

}  // namespace rescheduler::sim
