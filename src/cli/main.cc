#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/version.h"

int main(int argc, char** argv) {
  CLI::App app{"rescheduler: schedules pods by real load, and keeps rebalancing what already runs"};
  app.require_subcommand(1);
  auto* version = app.add_subcommand("version", "print the version");
  CLI11_PARSE(app, argc, argv);
  if (version->parsed()) fmt::print("rescheduler {}\n", rescheduler::kVersion);
  return 0;
}
