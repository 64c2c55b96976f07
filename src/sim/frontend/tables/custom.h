// Columns and cells of custom kinds: those of additionalPrinterColumns, else the age.
// Only .cc files include this header, because it includes Boost.JSON.
#pragma once

#include <optional>
#include <vector>

#include <boost/json/array.hpp>

#include "sim/frontend/tables/path.h"
#include "sim/frontend/tables/printer.h"
#include "sim/kinds/kind.h"

namespace rescheduler::sim {

class CustomColumns {
 public:
  explicit CustomColumns(const Kind& kind);

  const std::vector<Column>& columns() const { return columns_; }
  boost::json::array cells(const boost::json::value& object, WallTime now) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::optional<JsonPath>> paths_;  // of all columns except the first, the name
};

}  // namespace rescheduler::sim
