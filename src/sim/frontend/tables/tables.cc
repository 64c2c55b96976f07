#include "sim/frontend/tables/tables.h"

#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/json_text.h"
#include "sim/frontend/tables/age.h"
#include "sim/frontend/tables/custom.h"
#include "sim/frontend/tables/printer.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

// The cells of a kind without a printer.
json::array creation_cells(const Field& object, WallTime) {
  return {name_of(object), object["metadata"]["creationTimestamp"].text()};
}
const Printer& creation_printer() {
  static const Printer printer{.columns = {name_column(), {.name = "Created At", .type = "date"}},
                               .cells = creation_cells};
  return printer;
}

json::array column_definitions(const std::vector<Column>& columns) {
  json::array definitions;
  for (const Column& column : columns) {
    definitions.push_back(json::object{{"name", column.name},
                                       {"type", column.type},
                                       {"format", column.format},
                                       {"description", column.description},
                                       {"priority", column.priority}});
  }
  return definitions;
}

json::value object_value(const Kind& kind, const Version& version) {
  Result<json::value> parsed = kube::parse_json(object_to_json(kind, *version.object()), {});
  if (!parsed || !parsed->is_object()) return json::object{};
  if (!version.managed_fields().empty()) {
    Result<json::value> fields = kube::parse_json(version.managed_fields(), {});
    json::value* metadata = parsed->get_object().if_contains("metadata");
    if (fields && metadata && metadata->is_object()) metadata->get_object()["managedFields"] = std::move(*fields);
  }
  return std::move(*parsed);
}

// The condition of a row by which clients recognize completed pods.
void add_conditions(const Kind& kind, const Field& object, json::object& row) {
  if (!kind.group.empty() || kind.kind != "Pod") return;
  const std::string_view phase = object["status"]["phase"].text();
  if (phase != "Succeeded" && phase != "Failed") return;
  row["conditions"] = json::array{
      json::object{{"type", "Completed"},
                   {"status", "True"},
                   {"reason", phase},
                   {"message", phase == "Failed" ? "The pod failed." : "The pod has completed successfully."}}};
}

json::value included(json::value object, const TableRequest& request) {
  if (request.include_object == "None") return nullptr;
  if (request.include_object == "Object") return object;
  json::object partial{{"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}};
  if (json::value* metadata = object.get_object().if_contains("metadata")) {
    partial["metadata"] = std::move(*metadata);
  }
  return partial;
}

json::object table_metadata(const TableRequest& request) {
  json::object metadata;
  if (!request.resource_version.empty()) metadata["resourceVersion"] = request.resource_version;
  if (!request.continue_token.empty()) metadata["continue"] = request.continue_token;
  if (request.remaining) metadata["remainingItemCount"] = *request.remaining;
  return metadata;
}

std::string table_text(const std::vector<Column>& columns, json::array rows, const TableRequest& request) {
  json::object table{{"kind", "Table"}, {"apiVersion", "meta.k8s.io/v1"}, {"metadata", table_metadata(request)}};
  table["columnDefinitions"] = request.with_columns ? column_definitions(columns) : json::array{};
  table["rows"] = std::move(rows);
  return json::serialize(table);
}

}  // namespace

std::string table_json(const Kind& kind, const std::vector<VersionPtr>& objects, const TableRequest& request) {
  const Printer* printer = kind.custom ? nullptr : printer_of(kind.group, kind.kind);
  if (!printer) printer = &creation_printer();
  const CustomColumns custom(kind);

  json::array rows;
  for (const VersionPtr& version : objects) {
    json::value value = object_value(kind, *version);
    const Field object(&value);
    json::object row;
    row["cells"] = kind.custom ? custom.cells(value, request.now) : printer->cells(object, request.now);
    add_conditions(kind, object, row);
    row["object"] = included(std::move(value), request);
    rows.push_back(std::move(row));
  }
  return table_text(kind.custom ? custom.columns() : printer->columns, std::move(rows), request);
}

std::string table_json(const Message& object, const TableRequest& request) {
  Result<json::value> parsed = kube::parse_json(kube::to_json(object), {});
  json::value value = parsed ? std::move(*parsed) : json::value(json::object{});
  const Field field(&value);
  const std::string_view api_version = field["apiVersion"].text();
  const std::size_t slash = api_version.find('/');
  const Printer* printer = printer_of(
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash), field["kind"].text());
  if (!printer) printer = &creation_printer();
  json::object row{{"cells", printer->cells(field, request.now)}};
  row["object"] = included(std::move(value), request);
  return table_text(printer->columns, json::array{std::move(row)}, request);
}

}  // namespace rescheduler::sim
