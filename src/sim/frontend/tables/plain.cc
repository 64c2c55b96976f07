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

std::vector<Column> webhook_columns() { return {name_column(), integer_column("Webhooks"), age_column()}; }

const std::vector<NamedPrinter>& printers() {
  static const std::vector<NamedPrinter> all{
      {"", "Namespace", {{name_column(), text_column("Status"), age_column()}, namespace_cells}},
      {"", "Secret", {{name_column(), text_column("Type"), text_column("Data"), age_column()}, secret_cells}},
      {"", "ConfigMap", {{name_column(), text_column("Data"), age_column()}, config_map_cells}},
      {"", "ServiceAccount", {{name_column(), age_column()}, name_and_age_cells}},
      {"coordination.k8s.io", "Lease", {{name_column(), text_column("Holder"), age_column()}, lease_cells}},
      {"scheduling.k8s.io",
       "PriorityClass",
       {{name_column(),
         integer_column("Value"),
         {.name = "Global-Default", .type = "boolean"},
         age_column(),
         text_column("PreemptionPolicy")},
        priority_class_cells}},
      {"node.k8s.io", "RuntimeClass", {{name_column(), text_column("Handler"), age_column()}, runtime_class_cells}},
      {"admissionregistration.k8s.io", "MutatingWebhookConfiguration", {webhook_columns(), webhooks_cells}},
      {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", {webhook_columns(), webhooks_cells}}};
  return all;
}

}  // namespace

const Printer* plain_printer(std::string_view group, std::string_view kind) {
  return find_printer(printers(), group, kind);
}

}  // namespace rescheduler::sim
