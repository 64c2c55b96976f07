#include "sim/scenario/initial_placement.h"

#include <utility>

#include "kube/proto/core_pod.pb.h"
#include "sim/scenario/scenario_objects.h"

namespace rescheduler::sim {

InitialPlacer::InitialPlacer(Server& server, const Scenario& scenario) : server_(server), next_(server.admission()) {
  for (const Workload& workload : scenario.workloads) {
    if (workload.placement && workload.replicas > 0)
      requests_[workload.key()] = {*workload.placement, workload.replicas};
  }
  if (requests_.empty()) return;
  rooms_ = std::make_unique<NodeRooms>(server);
  server.set_admission(this);
}

InitialPlacer::~InitialPlacer() {
  if (server_.admission() == this) server_.set_admission(next_);
}

InitialPlacer::PlacementRequest* InitialPlacer::request_of(const PendingWrite& pending_write) {
  if (pending_write.operation != PendingWrite::Operation::Create
      || pending_write.kind != &server_.kinds().of<api::Pod>())
    return nullptr;
  const auto& pod = static_cast<const api::Pod&>(*pending_write.object);
  const auto app = pod.metadata().labels().find("app");
  if (app == pod.metadata().labels().end() || !pod.spec().node_name().empty()) return nullptr;
  const auto request = requests_.find(pod.metadata().namespace_() + "/" + app->second);
  return request == requests_.end() || request->second.left == 0 ? nullptr : &request->second;
}

bool InitialPlacer::concerns(const PendingWrite& pending_write) {
  return request_of(pending_write) != nullptr || (next_ != nullptr && next_->concerns(pending_write));
}

void InitialPlacer::review(PendingWrite pending_write, Done done) {
  if (PlacementRequest* request = request_of(pending_write); request != nullptr && !pending_write.context.dry_run) {
    auto& pod = static_cast<api::Pod&>(*pending_write.object);
    const PodNeeds needs(pod);
    const auto in_group = [request](const NodeRoom& room) {
      const auto group = room.labels.find(kNodeGroupLabel);
      return group != room.labels.end() && group->second == request->placement.group;
    };
    const NodeRoom* node = request->placement.fill == InitialPlacement::Fill::Even ? rooms_->next_fit(needs, in_group)
                                                                                   : rooms_->first_fit(needs, in_group);
    --request->left;
    if (node != nullptr) pod.mutable_spec()->set_node_name(node->name);  // else the scheduler places it
  }
  if (next_ != nullptr && next_->concerns(pending_write))
    return next_->review(std::move(pending_write), std::move(done));
  done(std::move(pending_write));
}

}  // namespace rescheduler::sim
