#include "sim/scenario/initial_placement.h"

#include "kube/proto/core_pod.pb.h"
#include "sim/scenario/bind_pod.h"
#include "sim/scenario/scenario_objects.h"

namespace rescheduler::sim {

InitialPlacer::InitialPlacer(Server& server, const Scenario& scenario) : server_(server) {
  for (const Workload& workload : scenario.workloads) {
    if (workload.placement && workload.replicas > 0) wishes_[workload.key()] = {*workload.placement, workload.replicas};
  }
  if (wishes_.empty()) return;
  rooms_ = std::make_unique<NodeRooms>(server);
  subscription_ =
      server.store().subscribe(&server.kinds().of<api::Pod>(), [this](const Change& change) { on_pod(change); });
}

InitialPlacer::~InitialPlacer() { *alive_ = false; }

void InitialPlacer::on_pod(const Change& change) {
  if (change.what != Change::What::Added) return;
  const auto pod = change.after->as<api::Pod>();
  const auto app = pod->metadata().labels().find("app");
  if (app == pod->metadata().labels().end() || !pod->spec().node_name().empty()) return;
  const auto wish = wishes_.find(pod->metadata().namespace_() + "/" + app->second);
  if (wish == wishes_.end() || wish->second.left == 0) return;
  --wish->second.left;
  // In the same moment, so that no scheduler comes first.
  server_.agenda().after({}, [this, alive = alive_, ns = pod->metadata().namespace_(), name = pod->metadata().name(),
                              placement = wish->second.placement] {
    if (*alive) place(ns, name, placement);
  });
}

void InitialPlacer::place(const std::string& ns, const std::string& name, const InitialPlacement& placement) {
  const auto pod = server_.find<api::Pod>(ns, name);
  if (pod == nullptr || !pod->spec().node_name().empty()) return;
  const PodNeeds needs(*pod);
  const auto in_group = [&placement](const NodeRoom& room) {
    const auto group = room.labels.find(kNodeGroupLabel);
    return group != room.labels.end() && group->second == placement.group;
  };
  const NodeRoom* node = placement.fill == InitialPlacement::Fill::Even ? rooms_->next_fit(needs, in_group)
                                                                        : rooms_->first_fit(needs, in_group);
  if (node != nullptr) (void)bind_pod(server_, *pod, node->name);  // if not, the scheduler has it
}

}  // namespace rescheduler::sim
