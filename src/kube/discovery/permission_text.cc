#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "kube/codec/json_scalars.h"
#include "kube/discovery/self_check.h"

namespace rescheduler::kube {
namespace {

std::string with_subresource(const Permission& permission) {
  return permission.subresource.empty() ? permission.resource
                                        : fmt::format("{}/{}", permission.resource, permission.subresource);
}

// "leases.coordination.k8s.io rescheduler-scheduler in kube-system", "pods/eviction"
std::string place_of(const Permission& permission) {
  std::string text = permission.resource;
  if (!permission.group.empty()) text += '.' + permission.group;
  if (!permission.subresource.empty()) text += '/' + permission.subresource;
  if (!permission.name.empty()) text += ' ' + permission.name;
  if (!permission.ns.empty()) text += " in " + permission.ns;
  return text;
}

// Keeps keys and values in the order of their first appearance, without duplicates.
class OrderedGroups {
 public:
  void add(const std::string& key, const std::string& value) {
    const auto [found, is_new] = places_.try_emplace(key, groups_.size());
    if (is_new) groups_.emplace_back(key, std::vector<std::string>{});
    auto& values = groups_[found->second].second;
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  const auto& all() const { return groups_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::pair<std::string, std::vector<std::string>>> groups_;
};

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + json_string(text);
  return out;
}

// The purposes of a rule as comments. The verbs are named only if their purposes differ.
std::string comment_yaml(const OrderedGroups& purposes) {
  std::string text;
  for (const auto& [why, verbs] : purposes.all()) {
    if (why.empty()) continue;
    text += purposes.all().size() == 1 ? fmt::format("# {}\n", why)
                                       : fmt::format("# {}: {}\n", fmt::join(verbs, ", "), why);
  }
  return text;
}

// The core group comes first, as usual in roles. There is one rule for each resource, or for each named object of it.
std::string rules_yaml(const std::vector<Permission>& permissions) {
  struct Rule {
    OrderedGroups verbs;
    OrderedGroups purposes;
  };
  std::map<std::array<std::string, 3>, Rule> rules;
  for (const Permission& permission : permissions) {
    Rule& rule = rules[{permission.group, with_subresource(permission), permission.name}];
    rule.verbs.add("", permission.verb);
    rule.purposes.add(permission.why, permission.verb);
  }
  std::string text = "rules:\n";
  for (const auto& [key, rule] : rules) {
    const auto& [group, resource, name] = key;
    text += comment_yaml(rule.purposes);
    text += fmt::format("- apiGroups: [{}]\n  resources: [{}]\n", json_string(group), json_string(resource));
    if (!name.empty()) text += fmt::format("  resourceNames: [{}]\n", json_string(name));
    text += fmt::format("  verbs: [{}]\n", quoted_list(rule.verbs.all().front().second));
  }
  return text;
}

std::string head_yaml(const std::string& kind, const std::string& name, const std::string& ns) {
  std::string text = fmt::format("apiVersion: rbac.authorization.k8s.io/v1\nkind: {}\nmetadata:\n  name: {}\n", kind,
                                 json_string(name));
  if (!ns.empty()) text += fmt::format("  namespace: {}\n", json_string(ns));
  return text;
}

std::string role_yaml(const std::vector<Permission>& permissions,
                      const std::string& ns,
                      const std::string& name,
                      const RoleSubject& subject) {
  const std::string kind = ns.empty() ? "ClusterRole" : "Role";
  std::string text = head_yaml(kind, name, ns) + rules_yaml(permissions);
  text += "---\n" + head_yaml(kind + "Binding", name, ns);
  text +=
      fmt::format("roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: {}\n  name: {}\n", kind, json_string(name));
  text += fmt::format("subjects:\n- kind: ServiceAccount\n  name: {}\n  namespace: {}\n",
                      json_string(subject.service_account), json_string(subject.ns));
  return text;
}

}  // namespace

std::string describe(const Permission& permission) {
  return fmt::format("{} {}", permission.verb, place_of(permission));
}

std::string describe_missing(std::span<const Permission> missing) {
  if (missing.empty()) return {};
  std::map<std::string, OrderedGroups> by_place;  // verbs by purpose
  for (const Permission& permission : missing) by_place[place_of(permission)].add(permission.why, permission.verb);
  std::string text =
      missing.size() == 1 ? "1 permission is missing:\n" : fmt::format("{} permissions are missing:\n", missing.size());
  for (const auto& [place, purposes] : by_place) {
    for (const auto& [why, verbs] : purposes.all()) {
      text += fmt::format("  {} {}", fmt::join(verbs, ", "), place);
      text += why.empty() ? "\n" : fmt::format(" - needed {}\n", why);
    }
  }
  return text;
}

std::string roles_yaml(std::span<const Permission> missing, const std::string& name, const RoleSubject& subject) {
  std::map<std::string, std::vector<Permission>> by_namespace;  // "" for cluster-wide comes first
  for (const Permission& permission : missing) by_namespace[permission.ns].push_back(permission);
  std::string text;
  for (const auto& [ns, permissions] : by_namespace) {
    if (!text.empty()) text += "---\n";
    text += role_yaml(permissions, ns, name, subject);
  }
  return text;
}

}  // namespace rescheduler::kube
