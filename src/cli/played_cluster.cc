#include "cli/played_cluster.h"

#include <utility>

#include "cli/prometheus_config.h"
#include "kube/codec/metadata.h"
#include "kube/config/environment.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/door/documents.h"
#include "sim/load/series.h"
#include "sim/scenario/scenario_file.h"

namespace rescheduler::cli {
namespace {

std::vector<std::string> node_names(const sim::Server& server) {
  std::vector<std::string> names;
  server.store().for_each(server.kinds().of<api::Node>(), "", "", [&names](const sim::VersionPtr& version) {
    names.push_back(kube::metadata_of(*version->object()).name());
    return true;
  });
  return names;
}

void show_prometheus_targets(sim::ServedCluster& served) {
  served.cluster().documents().add_path(
      std::string(kPrometheusTargetsPath), [&served](const std::string&) -> std::optional<sim::TextAnswer> {
        return sim::TextAnswer{200, "application/json",
                               prometheus_targets(served.url(), node_names(served.cluster().server()))};
      });
}

}  // namespace

Result<sim::Scenario> choose_scenario(const std::string& name, int nodes, std::optional<std::uint64_t> seed) {
  constexpr int kPlainNodes = 3;
  Result<sim::Scenario> scenario = sim::plain_scenario(nodes > 0 ? nodes : kPlainNodes);
  if (!name.empty()) {
    scenario = sim::load_scenario(name);
    if (scenario && nodes > 0 && nodes != scenario->nodes()) scenario = sim::resized(std::move(*scenario), nodes);
  }
  if (scenario && seed) scenario->seed = *seed;
  return scenario;
}

Result<std::unique_ptr<PlayedCluster>> PlayedCluster::start(PlaySettings settings) {
  sim::ServeSettings serve;
  serve.cluster.seed = settings.scenario.seed;
  serve.cluster.series_directory = sim::series_directory(kube::process_environment());
  serve.speed = settings.speed;
  serve.port = settings.port;
  serve.tls = settings.tls;
  auto served = sim::ServedCluster::start(std::move(serve));
  if (!served) return fail(std::move(served.error()));
  std::unique_ptr<PlayedCluster> played(new PlayedCluster);
  PlayedCluster& made = *played;
  made.served_ = std::move(*served);
  made.on_loop([&made, &settings] {
    sim::EmbeddedCluster& cluster = made.served_->cluster();
    show_prometheus_targets(*made.served_);
    if (settings.journal) made.journal_ = std::make_unique<sim::Journal>(cluster.server(), std::move(settings.journal));
    made.runner_ = std::make_unique<sim::ScenarioRunner>(cluster.server(), std::move(settings.scenario));
    if (settings.watch) made.watcher_ = std::make_unique<ClusterWatcher>(cluster, *made.runner_);
    if (settings.place) made.placement_ = std::make_unique<sim::TrivialPlacement>(cluster.server());
    made.runner_->start();
  });
  return played;
}

PlayedCluster::~PlayedCluster() {
  if (!served_) return;
  on_loop([this] {
    placement_.reset();
    watcher_.reset();
    runner_.reset();
    journal_.reset();
  });
}

}  // namespace rescheduler::cli
