#include "sim/cluster.h"

#include <array>

#include "base/check.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "sim/frontend/documents.h"
#include "sim/frontend/faults.h"
#include "sim/load/load_model.h"
#include "sim/load/metrics_api.h"
#include "sim/load/node_text.h"

namespace rescheduler::sim {
namespace {

constexpr std::array<const char*, 4> kNamespaces{"default", "kube-system", "kube-public", "kube-node-lease"};

// One random stream per part, so that the draws of one part do not change the draws of another.
Rng stream(std::uint64_t seed, std::uint64_t part) { return Rng(seed * 1'000'003 + part); }

void add_priority_class(Server& server, const std::string& name, int value) {
  api::PriorityClass made;
  made.mutable_metadata()->set_name(name);
  made.set_value(value);
  made.set_description("Used for system critical pods that must run in the cluster.");
  const auto created = server.create(std::move(made));
  RESCHEDULER_CHECK(created.has_value(), "{}", created.error().message);
}

void populate(Server& server) {
  for (const char* name : kNamespaces) {
    api::Namespace made;
    made.mutable_metadata()->set_name(name);
    const auto created = server.create(std::move(made));
    RESCHEDULER_CHECK(created.has_value(), "{}", created.error().message);
  }
  add_priority_class(server, "system-node-critical", 2'000'001'000);
  add_priority_class(server, "system-cluster-critical", 2'000'000'000);
}

}  // namespace

struct EmbeddedCluster::Parts {
  explicit Parts(const ClusterSettings& settings)
      : agenda(settings.start),
        server(agenda, stream(settings.seed, 1), settings.store),
        load(agenda, SeriesLibrary(settings.series_directory)),
        controllers(server, stream(settings.seed, 2), settings.controllers),
        kubelets(server, load, stream(settings.seed, 3), settings.kubelets, &controllers.events()),
        faults(server, settings.seed),
        documents(server) {
    provide_metrics(server, load);
    for (const char* prefix : {"/api/v1/nodes/", "/nodes/"}) {
      documents.add_path(prefix, [this](const std::string& path) -> std::optional<TextAnswer> {
        auto text = metrics_for_path(load, path);
        if (!text) return std::nullopt;
        return TextAnswer{200, "text/plain; version=0.0.4; charset=utf-8", std::move(*text)};
      });
    }
    populate(server);
  }

  Agenda agenda;
  Server server;
  LoadModel load;
  Controllers controllers;
  Kubelets kubelets;
  WireFaults faults;
  Documents documents;
};

EmbeddedCluster::EmbeddedCluster(ClusterSettings settings) : parts_(std::make_unique<Parts>(settings)) {}
EmbeddedCluster::~EmbeddedCluster() = default;

Agenda& EmbeddedCluster::agenda() { return parts_->agenda; }
Server& EmbeddedCluster::server() { return parts_->server; }
LoadModel& EmbeddedCluster::load() { return parts_->load; }
Kubelets& EmbeddedCluster::kubelets() { return parts_->kubelets; }
WireFaults& EmbeddedCluster::faults() { return parts_->faults; }
Documents& EmbeddedCluster::documents() { return parts_->documents; }

}  // namespace rescheduler::sim
