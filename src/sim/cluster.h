// The embedded cluster, put together: API server, controllers, kubelets and load on one agenda.
//
// In virtual time, run its agenda (agenda().run_for(...)), or, with product coroutines on an in-process door, a
// VirtualLoop (time/pacer.h). In real or faster time, serve it with a ServedCluster (served_cluster.h).
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
  std::string series_directory{};  // where load profiles find recorded series: load/series.h
};

class EmbeddedCluster {
 public:
  // With the namespaces and priority classes every cluster has, and no node.
  explicit EmbeddedCluster(ClusterSettings settings = {});
  ~EmbeddedCluster();
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  Agenda& agenda();
  Server& server();
  LoadModel& load();
  Kubelets& kubelets();
  WireFaults& faults();    // both doors look here
  Documents& documents();  // and here

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rescheduler::sim
