// The JSONPath of additionalPrinterColumns: .a.b, .a\.b, ['a.b'], [0], [*], [?(@.type=="Ready")].
// Only .cc files include this header, because it includes Boost.JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace rescheduler::sim {

class JsonPath {
 public:
  // Empty for any other form (recursive descent, slices, unions, scripts).
  static std::optional<JsonPath> parse(std::string_view text);

  // The first matching value; null if there is none.
  const boost::json::value* first(const boost::json::value& root) const;

 private:
  struct Step {
    enum class What { Name, Index, All, Filter };
    What what = What::Name;
    std::string name{};         // Name; for a Filter, the text to compare with
    long index = 0;             // Index; negative counts from the end
    std::string comparison{};   // Filter: == != < <= > >=; empty: the field exists
    std::vector<Step> field{};  // Filter: the field to compare
  };
  class Parser;

  static const boost::json::value* follow(const boost::json::value& value,
                                          const std::vector<Step>& steps,
                                          std::size_t next);
  static bool passes(const boost::json::value& item, const Step& filter);

  std::vector<Step> steps_;
};

}  // namespace rescheduler::sim
