#include "sim/frontend/tables/printer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube/value/label_selector.h"
#include "sim/frontend/tables/age.h"

namespace rescheduler::sim {

const Printer* find_printer(std::span<const NamedPrinter> printers, std::string_view group, std::string_view kind) {
  for (const NamedPrinter& candidate : printers) {
    if (candidate.group == group && candidate.kind == kind) return &candidate.printer;
  }
  return nullptr;
}

const Printer* printer_of(std::string_view group, std::string_view kind) {
  for (const auto family :
       {pod_printer, node_printer, workload_printer, network_printer, event_printer, plain_printer}) {
    if (const Printer* printer = family(group, kind)) return printer;
  }
  return nullptr;
}

Column name_column() { return {.name = "Name", .format = "name"}; }
Column age_column() { return text_column("Age"); }
Column text_column(std::string name) { return {.name = std::move(name)}; }
Column wide_column(std::string name) { return {.name = std::move(name), .priority = 1}; }
Column integer_column(std::string name) { return {.name = std::move(name), .type = "integer"}; }

std::string name_of(const Field& object) { return std::string(object["metadata"]["name"].text()); }

std::string age_of(const Field& object, WallTime now) {
  return human_age(object["metadata"]["creationTimestamp"].text(), now);
}

std::string labels_text(const Field& labels) {
  std::vector<std::pair<std::string, std::string>> sorted;
  for (const auto& [key, value] : labels.members()) sorted.emplace_back(key, Field(&value).text());
  std::ranges::sort(sorted);
  std::string text;
  for (const auto& [key, value] : sorted) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}={}", key, value);
  }
  return text.empty() ? "<none>" : text;
}

std::string selector_text(const Field& selector) {
  if (!selector.present()) return "<none>";
  kube::LabelSelectorSpec spec;
  for (const auto& [key, value] : selector["matchLabels"].members()) {
    spec.match_labels.emplace_back(key, Field(&value).text());
  }
  for (const boost::json::value& item : selector["matchExpressions"].items()) {
    const Field expression(&item);
    std::vector<std::string> values;
    for (const boost::json::value& value : expression["values"].items()) values.emplace_back(Field(&value).text());
    spec.match_expressions.push_back({.key = std::string(expression["key"].text()),
                                      .op = std::string(expression["operator"].text()),
                                      .values = std::move(values)});
  }
  const Result<kube::LabelSelector> parsed = kube::LabelSelector::from(std::move(spec));
  if (!parsed) return "<error>";
  std::string text = parsed->to_string();
  return text.empty() ? "<none>" : text;
}

std::string containers_text(const Field& containers, std::string_view field) {
  std::string text;
  for (const boost::json::value& container : containers.items()) {
    if (&container != &containers.items().front()) text += ',';
    text += Field(&container)[field].text();
  }
  return text;
}

}  // namespace rescheduler::sim
