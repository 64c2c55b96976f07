#include "cli/commands/validate_command.h"

#include <cstdio>

#include <fmt/core.h>

#include "cli/commands/standard_input.h"
#include "config/effective.h"
#include "config/read.h"
#include "kube/config/file.h"

namespace rescheduler::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // the parser accepts no larger configuration

std::string line(std::string_view file_name, const kube::YamlRemark& remark, std::string_view kind) {
  return fmt::format("{}:{}:{}: {}{}\n", file_name, remark.line, remark.column, kind, remark.text);
}

}  // namespace

Verdict validate(std::string_view text, std::string_view file_name) {
  const config::PluginCatalog catalog = config::default_catalog();
  const config::ConfigurationReading reading = config::read_configuration(text, file_name, catalog);
  Verdict verdict;
  for (const kube::YamlRemark& problem : reading.problems) verdict.complaints += line(file_name, problem, "");
  for (const kube::YamlRemark& note : reading.notes) verdict.complaints += line(file_name, note, "note: ");
  if (reading.problems.empty()) {
    verdict.output = config::effective_configuration(reading.configuration, catalog);
  } else {
    verdict.exit_code = 1;
  }
  return verdict;
}

int run_validate(const ValidateOptions& options) {
  const bool from_input = options.config == "-";
  const auto text = from_input ? read_standard_input(kMostBytes) : kube::read_whole_file(options.config, kMostBytes);
  if (!text) {
    fmt::print(stderr, "rescheduler validate: {}\n", text.error().message);
    return 1;
  }
  const Verdict verdict = validate(*text, from_input ? "<stdin>" : options.config);
  fmt::print("{}", verdict.output);
  fmt::print(stderr, "{}", verdict.complaints);
  return verdict.exit_code;
}

}  // namespace rescheduler::cli
