#include "cli/doctor/report.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace rescheduler::cli::doctor {
namespace {

namespace json = boost::json;

Colour colour_of(Severity severity) {
  switch (severity) {
    case Severity::Ok: return Colour::Green;
    case Severity::Note: return Colour::Dim;
    case Severity::Warning: return Colour::Yellow;
    case Severity::Error: return Colour::Red;
  }
  return Colour::None;
}

std::size_t count(const Findings& findings, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

}  // namespace

std::string table_of(const Findings& findings, const ViewStyle& style) {
  std::size_t widest = 0;
  for (const Finding& one : findings) widest = std::max(widest, columns_of(one.check));
  std::string text;
  for (const Finding& one : findings) {
    text += fmt::format("{}  {}  {}\n", painted(padded(to_string(one.severity), 7), colour_of(one.severity), style),
                        padded(one.check, widest), one.message);
    if (!one.fix.empty()) text += fmt::format("{:{}}  {}\n", "", widest + 9, painted(one.fix, Colour::Bold, style));
  }
  const auto errors = count(findings, Severity::Error);
  const auto warnings = count(findings, Severity::Warning);
  return text + fmt::format("\n{} errors, {} warnings\n", errors, warnings);
}

std::string json_of(const Findings& findings) {
  json::array all;
  for (const Finding& one : findings) {
    all.push_back(json::object{{"severity", std::string(to_string(one.severity))},
                               {"check", one.check},
                               {"message", one.message},
                               {"fix", one.fix}});
  }
  return json::serialize(json::object{{"findings", std::move(all)},
                                      {"errors", count(findings, Severity::Error)},
                                      {"warnings", count(findings, Severity::Warning)}})
         + "\n";
}

}  // namespace rescheduler::cli::doctor
