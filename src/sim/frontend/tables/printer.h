// The columns and cells of one kind. Only .cc files include this header, because it includes Boost.JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

#include "base/clock.h"
#include "sim/frontend/tables/field.h"

namespace rescheduler::sim {

struct Column {
  std::string name;
  std::string type = "string";  // OpenAPI type
  std::string format{};
  int priority = 0;           // above 0: only with -o wide
  std::string description{};  // of a CustomResourceDefinition; the built-in columns have none
};

struct Printer {
  std::vector<Column> columns;
  // One cell per column.
  boost::json::array (*cells)(const Field& object, WallTime now);
};

struct NamedPrinter {
  std::string_view group;
  std::string_view kind;
  Printer printer;
};
const Printer* find_printer(std::span<const NamedPrinter> printers, std::string_view group, std::string_view kind);

// Null for kinds without a printer, which show their name and creation time.
const Printer* printer_of(std::string_view group, std::string_view kind);

// One function for each family; null if the kind belongs to another family.
const Printer* pod_printer(std::string_view group, std::string_view kind);
const Printer* node_printer(std::string_view group, std::string_view kind);
const Printer* workload_printer(std::string_view group, std::string_view kind);
const Printer* network_printer(std::string_view group, std::string_view kind);
const Printer* event_printer(std::string_view group, std::string_view kind);
const Printer* plain_printer(std::string_view group, std::string_view kind);

// Columns and cells that many kinds share.
Column name_column();
Column age_column();
Column text_column(std::string name);
Column wide_column(std::string name);
Column integer_column(std::string name);
std::string name_of(const Field& object);
std::string age_of(const Field& object, WallTime now);
std::string labels_text(const Field& labels);                                  // "a=b,c=d"; "<none>" without labels
std::string selector_text(const Field& selector);                              // of a LabelSelector; "<none>" if empty
std::string containers_text(const Field& containers, std::string_view field);  // names or images, comma-separated

}  // namespace rescheduler::sim
