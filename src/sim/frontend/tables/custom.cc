#include "sim/frontend/tables/custom.h"

#include <string>

#include <boost/json/serialize.hpp>

#include "sim/frontend/tables/age.h"
#include "sim/kinds/custom/custom_version.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

// A column of type string shows every value as text. In other columns a value of another type leaves the cell empty.
json::value cell(std::string_view type, const json::value* value, WallTime now) {
  if (!value || value->is_null()) return nullptr;
  if (type == "string") {
    return value->is_string() ? *value : json::value(json::serialize(*value));
  }
  if (type == "integer") {
    if (value->is_int64()) return *value;
    return value->is_double() ? json::value(static_cast<std::int64_t>(value->get_double())) : json::value(nullptr);
  }
  if (type == "number") return value->is_number() ? json::value(value->to_number<double>()) : json::value(nullptr);
  if (type == "boolean") return value->is_bool() ? *value : json::value(nullptr);
  if (type == "date" && value->is_string()) return json::value(human_age(value->get_string(), now));
  return nullptr;
}

}  // namespace

CustomColumns::CustomColumns(const Kind& kind) {
  if (!kind.custom) return;
  columns_.push_back(name_column());
  const std::vector<PrinterColumn> none;
  for (const PrinterColumn& column : kind.definition ? kind.definition->columns : none) {
    columns_.push_back({.name = column.name,
                        .type = column.type,
                        .format = column.format,
                        .priority = column.priority,
                        .description = column.description});
    paths_.push_back(JsonPath::parse(column.json_path));
  }
  if (!paths_.empty()) return;
  Column age = age_column();
  age.type = "date";
  columns_.push_back(std::move(age));
  paths_.push_back(JsonPath::parse(".metadata.creationTimestamp"));
}

json::array CustomColumns::cells(const json::value& object, WallTime now) const {
  json::array cells{name_of(Field(&object))};
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const json::value* value = paths_[i] ? paths_[i]->first(object) : nullptr;
    cells.push_back(cell(columns_[i + 1].type, value, now));
  }
  return cells;
}

}  // namespace rescheduler::sim
