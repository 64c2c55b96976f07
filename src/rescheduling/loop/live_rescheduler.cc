#include "rescheduling/loop/live_rescheduler.h"

#include <algorithm>

#include "kube/client/fenced_api.h"

namespace rescheduler::rescheduling {

LiveRescheduler::~LiveRescheduler() = default;

Result<std::unique_ptr<LiveRescheduler>> LiveRescheduler::make(scheduler::LiveApis apis,
                                                               LiveReschedulerSettings settings,
                                                               migration::Migrator& migrator,
                                                               scheduler::LiveScheduler& scheduler,
                                                               kube::LoopServices services) {
  const auto& profile = settings.configuration.rescheduled;
  if (!profile) return std::unique_ptr<LiveRescheduler>();

  std::unique_ptr<LiveRescheduler> made(new LiveRescheduler);
  made->writes_ = std::make_unique<kube::FencedApi>(*apis.api, settings.fence);
  made->events_ = std::make_unique<kube::FencedApi>(apis.events != nullptr ? *apis.events : *apis.api, settings.fence);
  ControllerSettings& controller = settings.controller;
  controller.args = std::make_shared<config::ReschedulerSettings>(*profile->rescheduler);
  controller.profile = *profile;
  controller.ns = settings.configuration.leader_election.resource_namespace;
  controller.name = settings.configuration.leader_election.resource_name;
  controller.deadline = settings.configuration.migration.deadline;
  controller.reservations.reserve_load = [&scheduler](const std::string& key, const std::string& node,
                                                      const cluster::Loads& load) {
    scheduler.reserve_load(key, node, load);
  };
  controller.reservations.release = [&scheduler](const std::string& key) { scheduler.release(key); };
  controller.reservations.expect = [&scheduler](usage::WorkloadUsagesPtr workload_usages) {
    scheduler.expect(std::move(workload_usages));
  };
  controller.cluster = [&scheduler] { return scheduler.copy_cluster(); };
  controller.pod_usage = [&scheduler] { return scheduler.read_pod_usage(); };
  auto begun =
      Controller::make({apis.api, made->writes_.get(), made->events_.get()}, std::move(controller), migrator, services);
  if (!begun) return fail(std::move(begun.error()));
  made->controller_ = std::move(*begun);
  scheduler.listen(made->sink());
  return made;
}

// Weak, because the scheduler can call the sink after this object is gone.
namespace {

net::Task<void> drained(std::shared_ptr<Controller> controller) {
  if (controller) co_await controller->drained();
}

}  // namespace

scheduler::ClusterSink LiveRescheduler::sink() const {
  const std::weak_ptr<Controller> weak = controller_;
  scheduler::ClusterSink sink;
  sink.upsert = [weak](const kube::ObjectPtr& object) {
    if (const auto self = weak.lock()) self->upsert(object);
  };
  sink.remove = [weak](const kube::ObjectPtr& object) {
    if (const auto self = weak.lock()) self->remove(object);
  };
  sink.loads = [weak](std::shared_ptr<const scheduler::LoadUpdate> loads) {
    if (const auto self = weak.lock()) self->loads(std::move(loads));
  };
  sink.drained = [weak] { return drained(weak.lock()); };
  sink.overloaded = [weak](const std::string& node) {
    if (const auto self = weak.lock()) self->overloaded(node);
  };
  return sink;
}

// The migrator continues the moves that have begun.
net::Task<bool> LiveRescheduler::stop(std::chrono::nanoseconds /*grace*/) {
  co_await controller_->stop();
  co_return true;
}

}  // namespace rescheduler::rescheduling
