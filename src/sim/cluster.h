// The embedded cluster: API server, controllers, kubelets and load model on one Agenda.
//
// In virtual time, run the agenda (agenda().run_for(...)). If coroutines of the product use a LocalApi, run a
// VirtualLoop (time/pacer.h). In real or faster time, serve the cluster with a ServedCluster (served_cluster.h).
// Belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/rng.h"
#include "sim/controllers/controllers.h"
#include "sim/kubelet/kubelets.h"
#include "sim/server/server.h"
#include "sim/time/agenda.h"

namespace rescheduler::sim {

class Documents;
class LoadModel;
class WireFaults;

struct ClusterSettings {
  std::uint64_t seed = 1;
  WallTime start{std::chrono::seconds{1'704'067'200}};  // 2024-01-01, so that virtual runs do not depend on today
  StoreSettings store{};
  ControllerSettings controllers{};
  KubeletSettings kubelets{};
  std::string series_directory{};  // directory of the recorded series that load profiles name: load/series.h
};

class EmbeddedCluster {
 public:
  // Creates the namespaces and priority classes that every cluster has. There are no nodes.
  explicit EmbeddedCluster(ClusterSettings settings = {});
  ~EmbeddedCluster();
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  Agenda& agenda();
  Server& server();
  LoadModel& load();
  Kubelets& kubelets();
  WireFaults& faults();    // used by both frontends
  Documents& documents();  // used by both frontends

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rescheduler::sim
