// Reading any bytes as a scheduler configuration returns a configuration or problems. The effective configuration,
// printed and read again, stays the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "config/effective.h"
#include "config/read.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rescheduler::config;
  static const PluginCatalog catalog = default_catalog();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ConfigurationReading first = read_configuration(text, "fuzz", catalog);
  if (!first.problems.empty()) return 0;
  const std::string printed = effective_configuration(first.configuration, catalog);
  const ConfigurationReading second = read_configuration(printed, "printed", catalog);
  for (const auto& problem : second.problems) fmt::print(stderr, "{}\n", sentence(problem));
  if (!second.problems.empty() || effective_configuration(second.configuration, catalog) != printed) {
    fmt::print(stderr, "{}", printed);
    std::abort();
  }
  return 0;
}
