#include "sim/scenario/initial_placement.h"

#include <utility>

#include "kube/proto/core_pod.pb.h"
#include "sim/scenario/scenario_objects.h"

namespace rescheduler::sim {

InitialPlacer::InitialPlacer(Server& server, const Scenario& scenario) : server_(server), next_(server.admission()) {
  for (const Workload& workload : scenario.workloads) {
    if (workload.placement && workload.replicas > 0) wishes_[workload.key()] = {*workload.placement, workload.replicas};
  }
  if (wishes_.empty()) return;
  rooms_ = std::make_unique<NodeRooms>(server);
  server.set_admission(this);
}

InitialPlacer::~InitialPlacer() {
  if (server_.admission() == this) server_.set_admission(next_);
}

InitialPlacer::Wish* InitialPlacer::wish_of(const Draft& draft) {
  if (draft.operation != Draft::Operation::Create || draft.kind != &server_.kinds().of<api::Pod>()) return nullptr;
  const auto& pod = static_cast<const api::Pod&>(*draft.object);
  const auto app = pod.metadata().labels().find("app");
  if (app == pod.metadata().labels().end() || !pod.spec().node_name().empty()) return nullptr;
  const auto wish = wishes_.find(pod.metadata().namespace_() + "/" + app->second);
  return wish == wishes_.end() || wish->second.left == 0 ? nullptr : &wish->second;
}

bool InitialPlacer::concerns(const Draft& draft) {
  return wish_of(draft) != nullptr || (next_ != nullptr && next_->concerns(draft));
}

void InitialPlacer::review(Draft draft, Done done) {
  if (Wish* wish = wish_of(draft); wish != nullptr && !draft.context.dry_run) {
    auto& pod = static_cast<api::Pod&>(*draft.object);
    const PodNeeds needs(pod);
    const auto in_group = [wish](const NodeRoom& room) {
      const auto group = room.labels.find(kNodeGroupLabel);
      return group != room.labels.end() && group->second == wish->placement.group;
    };
    const NodeRoom* node = wish->placement.fill == InitialPlacement::Fill::Even ? rooms_->next_fit(needs, in_group)
                                                                                : rooms_->first_fit(needs, in_group);
    --wish->left;
    if (node != nullptr) pod.mutable_spec()->set_node_name(node->name);  // if not, the scheduler has it
  }
  if (next_ != nullptr && next_->concerns(draft)) return next_->review(std::move(draft), std::move(done));
  done(std::move(draft));
}

}  // namespace rescheduler::sim
