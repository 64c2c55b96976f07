// Measured usage. These columns are metrics-server's; the API server itself does not have these kinds.
#include <map>
#include <string>

#include "kube/value/quantity.h"
#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

std::string usage_text(const std::vector<Field>& usages, std::string_view resource) {
  kube::Quantity sum;
  for (const Field& usage : usages) {
    const Result<kube::Quantity> quantity = kube::Quantity::parse(usage[resource].text("0"));
    if (quantity) sum += *quantity;
  }
  return sum.to_string();
}

boost::json::array usage_cells(const Field& object, const std::vector<Field>& usages) {
  return {name_of(object), usage_text(usages, "cpu"), usage_text(usages, "memory"), object["window"].text()};
}

boost::json::array node_metrics_cells(const Field& object, WallTime) { return usage_cells(object, {object["usage"]}); }

boost::json::array pod_metrics_cells(const Field& object, WallTime) {
  std::vector<Field> usages;
  for (const boost::json::value& container : object["containers"].items()) {
    usages.push_back(Field(&container)["usage"]);
  }
  return usage_cells(object, usages);
}

std::vector<Column> usage_columns() {
  return {name_column(), text_column("cpu", "Cores in use."), text_column("memory", "Bytes in use."),
          text_column("Window", "The time it was measured over.")};
}

}  // namespace

const Printer* metrics_printer(std::string_view group, std::string_view kind) {
  static const Printer kNodes{.columns = usage_columns(), .cells = node_metrics_cells};
  static const Printer kPods{.columns = usage_columns(), .cells = pod_metrics_cells};
  if (group != "metrics.k8s.io") return nullptr;
  if (kind == "NodeMetrics") return &kNodes;
  return kind == "PodMetrics" ? &kPods : nullptr;
}

}  // namespace rescheduler::sim
