#include "cli/explain/explain_command.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>

#include "cli/commands/standard_input.h"
#include "cli/connection.h"
#include "cli/explain/cluster_reader.h"
#include "cli/explain/explanation.h"
#include "config/read.h"
#include "kube/config/file.h"

namespace rescheduler::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{2} << 30U;  // a dump of a large cluster

Result<config::Configuration> configuration_of(const std::string& path) {
  const auto catalog = config::default_catalog();
  if (path.empty()) return config::default_configuration(catalog);
  const auto text = kube::read_whole_file(path, kMostBytes);
  if (!text) return fail(text.error());
  auto reading = config::load_configuration(*text, path, catalog);
  if (!reading) return fail(std::move(reading.error()));
  return std::move(reading->configuration);
}

ExplanationForm compiled_spec_of(const ExplainOptions& options) {
  return options.output == "json" ? ExplanationForm::Json : ExplanationForm::Table;
}

std::string pod_of(const ExplainOptions& options) {
  return options.pod.find('/') == std::string::npos ? options.ns + "/" + options.pod : options.pod;
}

Result<std::string> explain_dump(const std::string& text,
                                 const std::string& pod,
                                 const config::Configuration& configuration,
                                 ExplanationForm form) {
  cluster::Cluster cluster;
  const auto dump = cluster::read_dump(text, cluster);
  if (!dump) return fail(dump.error());
  return explain(cluster, *dump, pod.empty() ? dump->pod : pod, configuration, form);
}

// Writes NAME.ours.json for every NAME.dump.json of a folder: to compare many decisions with one process.
Result<void> explain_batch(const ExplainOptions& options, const config::Configuration& configuration) {
  constexpr std::string_view kEnding = ".dump.json";
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(options.batch, problem)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(kEnding)) continue;
    const auto text = kube::read_whole_file(path, kMostBytes);
    if (!text) return fail(text.error());
    auto explained = explain_dump(*text, {}, configuration, ExplanationForm::Json);
    if (!explained) return fail(std::move(explained.error()).within(path));
    std::ofstream out(path.substr(0, path.size() - kEnding.size()) + ".ours.json");
    out << *explained;
    if (!out.flush()) return fail(Errc::Unavailable, "{}: the result file cannot be written", path);
  }
  if (problem) return fail(Errc::NotFound, "{}: {}", options.batch, problem.message());
  return {};
}

Result<std::string> explain_live(const ExplainOptions& options, const config::Configuration& configuration) {
  Connection connection;
  const auto api = connection.open(options.kubeconfig, options.context);
  if (!api) return fail(api.error());
  cluster::Cluster cluster;
  cluster::Dump dump;
  auto read = connection.await(read_cluster(**api, cluster, dump));
  if (!read) return fail(std::move(read.error()));
  return explain(cluster, dump, pod_of(options), configuration, compiled_spec_of(options));
}

Result<std::string> answer(const ExplainOptions& options) {
  const auto configuration = configuration_of(options.config);
  if (!configuration) return fail(configuration.error());
  if (!options.batch.empty()) {
    auto done = explain_batch(options, *configuration);
    if (!done) return fail(std::move(done.error()));
    return std::string{};
  }
  if (options.pod.empty()) return fail(Errc::Invalid, "name the pod: NAME or NAMESPACE/NAME");
  if (options.dump.empty()) return explain_live(options, *configuration);
  const auto text =
      options.dump == "-" ? read_standard_input(kMostBytes) : kube::read_whole_file(options.dump, kMostBytes);
  if (!text) return fail(text.error());
  auto explained = explain_dump(*text, pod_of(options), *configuration, compiled_spec_of(options));
  if (!explained) return fail(std::move(explained.error()).within(options.dump));
  return explained;
}

}  // namespace

int run_explain(const ExplainOptions& options) {
  const auto text = answer(options);
  if (!text) {
    fmt::print(stderr, "rescheduler explain: {}\n", text.error().message);
    return 1;
  }
  fmt::print("{}", *text);
  return 0;
}

}  // namespace rescheduler::cli
