// The JSONPath that additionalPrinterColumns may use: .a.b, .a\.b, ['a.b'], [0], [*], [?(@.type=="Ready")].
// Included by .cc files only: it brings Boost.JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace rescheduler::sim {

class JsonPath {
 public:
  // Nothing when the text is none of the above (recursive descent, slices, unions, scripts).
  static std::optional<JsonPath> parse(std::string_view text);

  // The first value it leads to; null when there is none.
  const boost::json::value* first(const boost::json::value& root) const;

 private:
  struct Step {
    enum class What { Name, Index, All, Filter };
    What what = What::Name;
    std::string name{};         // Name; of a Filter, the text compared with
    long index = 0;             // Index, from the end when negative
    std::string comparison{};   // Filter: == != < <= > >=, or empty: the field is there
    std::vector<Step> field{};  // Filter: what is compared
  };
  class Parser;

  static const boost::json::value* follow(const boost::json::value& value,
                                          const std::vector<Step>& steps,
                                          std::size_t next);
  static bool passes(const boost::json::value& item, const Step& filter);

  std::vector<Step> steps_;
};

}  // namespace rescheduler::sim
