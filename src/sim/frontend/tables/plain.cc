// Kinds with few columns.
#include <algorithm>
#include <string>

#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

boost::json::array namespace_cells(const Field& object, WallTime now) {
  return {name_of(object), object["status"]["phase"].text(), age_of(object, now)};
}

boost::json::array secret_cells(const Field& object, WallTime now) {
  return {name_of(object), object["type"].text(), object["data"].members().size(), age_of(object, now)};
}

boost::json::array config_map_cells(const Field& object, WallTime now) {
  return {name_of(object), object["data"].members().size() + object["binaryData"].members().size(),
          age_of(object, now)};
}

boost::json::array name_and_age_cells(const Field& object, WallTime now) {
  return {name_of(object), age_of(object, now)};
}

boost::json::array lease_cells(const Field& object, WallTime now) {
  return {name_of(object), object["spec"]["holderIdentity"].text(), age_of(object, now)};
}

boost::json::array priority_class_cells(const Field& object, WallTime now) {
  return {name_of(object), object["value"].number(), object["globalDefault"].flag(), age_of(object, now),
          object["preemptionPolicy"].text()};
}

boost::json::array runtime_class_cells(const Field& object, WallTime now) {
  return {name_of(object), object["handler"].text(), age_of(object, now)};
}

boost::json::array webhooks_cells(const Field& object, WallTime now) {
  return {name_of(object), object["webhooks"].size(), age_of(object, now)};
}

boost::json::array role_binding_cells(const Field& object, WallTime now) {
  std::string users;
  std::string groups;
  std::string accounts;
  for (const boost::json::value& item : object["subjects"].items()) {
    const Field subject(&item);
    const std::string_view kind = subject["kind"].text();
    std::string name(subject["name"].text());
    if (kind == "ServiceAccount") name = std::string(subject["namespace"].text()) + "/" + name;
    if (kind != "User" && kind != "Group" && kind != "ServiceAccount") continue;
    std::string& list = kind == "User" ? users : kind == "Group" ? groups : accounts;
    list += (list.empty() ? "" : ", ") + name;
  }
  const Field role = object["roleRef"];
  return {name_of(object),
          std::string(role["kind"].text()) + "/" + std::string(role["name"].text()),
          age_of(object, now),
          users,
          groups,
          accounts};
}

boost::json::array quota_cells(const Field& object, WallTime now) {
  std::string requests;
  std::string limits;
  const Field used = object["status"]["used"];
  std::vector<std::string_view> names;
  for (const auto& [name, hard] : object["status"]["hard"].members()) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const std::string_view name : names) {
    std::string& list = name.starts_with("limits.") ? limits : requests;
    if (!list.empty()) list += ", ";
    list += std::string(name) + ": " + used[name].printed("0") + "/" + object["status"]["hard"][name].printed("0");
  }
  return {name_of(object), requests, limits, age_of(object, now)};
}

std::vector<Column> webhook_columns() {
  return {name_column(), integer_column("Webhooks", "How many it has."), age_column()};
}

std::vector<Column> binding_columns() {
  return {name_column(),
          text_column("Role", "What is granted."),
          age_column(),
          wide_column("Users", "To which users."),
          wide_column("Groups", "To which groups."),
          wide_column("ServiceAccounts", "To which service accounts.")};
}

const std::vector<NamedPrinter>& printers() {
  static const std::vector<NamedPrinter> kPrinters{
      {"", "Namespace", {{name_column(), text_column("Status", "Active, or going."), age_column()}, namespace_cells}},
      {"",
       "Secret",
       {{name_column(), text_column("Type", "What it is for."), text_column("Data", "How many entries."), age_column()},
        secret_cells}},
      {"", "ConfigMap", {{name_column(), text_column("Data", "How many entries."), age_column()}, config_map_cells}},
      {"", "ServiceAccount", {{name_column(), age_column()}, name_and_age_cells}},
      {"",
       "ResourceQuota",
       {{name_column(), text_column("Request", "Used and allowed requests."),
         text_column("Limit", "Used and allowed limits."), age_column()},
        quota_cells}},
      {"coordination.k8s.io",
       "Lease",
       {{name_column(), text_column("Holder", "Who holds it."), age_column()}, lease_cells}},
      {"scheduling.k8s.io",
       "PriorityClass",
       {{name_column(),
         integer_column("Value", "Higher goes first."),
         {.name = "Global-Default", .type = "boolean", .description = "Whether pods without a class get this one."},
         age_column(),
         text_column("PreemptionPolicy", "Whether it may push out others.")},
        priority_class_cells}},
      {"node.k8s.io",
       "RuntimeClass",
       {{name_column(), text_column("Handler", "What runs its containers."), age_column()}, runtime_class_cells}},
      {"admissionregistration.k8s.io", "MutatingWebhookConfiguration", {webhook_columns(), webhooks_cells}},
      {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", {webhook_columns(), webhooks_cells}},
      {"rbac.authorization.k8s.io", "RoleBinding", {binding_columns(), role_binding_cells}},
      {"rbac.authorization.k8s.io", "ClusterRoleBinding", {binding_columns(), role_binding_cells}}};
  return kPrinters;
}

}  // namespace

const Printer* plain_printer(std::string_view group, std::string_view kind) {
  return find_printer(printers(), group, kind);
}

}  // namespace rescheduler::sim
