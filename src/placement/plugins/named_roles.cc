// Plugins that are only names here: the queue sorts by priority and age, and the scheduler preempts and binds. A
// profile without the name disables the function.
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

class NamedRole : public Plugin {
 public:
  NamedRole(std::string_view name, PointSet points) : name_(name), points_(points) {}
  std::string_view name() const override { return name_; }
  PointSet points() const override { return points_; }

 private:
  std::string_view name_;
  PointSet points_;
};

// The scheduler itself wakes a pod that waits for its victims, so the deletion of a victim does not wake the pod here.
class DefaultPreemption final : public NamedRole {
 public:
  DefaultPreemption() : NamedRole("DefaultPreemption", {Point::PreEnqueue, Point::PostFilter}) {}
  std::vector<ClusterEventWithHint> events_to_register() const override {
    return {{cluster::EventResource::AssignedPod, cluster::ActionType::Delete,
             [](const PodContext&, const cluster::ClusterEvent&) { return QueueingHint::Skip; }}};
  }
};

}  // namespace

PluginPtr make_priority_sort(const PluginArgs* /*args*/) {
  return std::make_unique<NamedRole>("PrioritySort", PointSet{Point::QueueSort});
}
PluginPtr make_default_binder(const PluginArgs* /*args*/) {
  return std::make_unique<NamedRole>("DefaultBinder", PointSet{Point::Bind});
}
PluginPtr make_default_preemption(const PluginArgs* /*args*/) { return std::make_unique<DefaultPreemption>(); }

}  // namespace rescheduler::placement
