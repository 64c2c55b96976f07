#include "rescheduler/loop/live_rescheduler.h"

#include "base/check.h"
#include "kube/client/fenced_api.h"

namespace rescheduler::rescheduling {
LiveRescheduler::~LiveRescheduler() = default;

Result<std::unique_ptr<LiveRescheduler>> LiveRescheduler::make(scheduler::LiveApis apis,
                                                               LiveReschedulerSettings settings,
                                                               kube::LoopServices services) {
  const auto& profile = settings.configuration.rescheduled;
  if (!profile) return std::unique_ptr<LiveRescheduler>();

  std::unique_ptr<LiveRescheduler> made(new LiveRescheduler);
  LiveRescheduler* raw = made.get();
  made->writes_ = std::make_unique<kube::FencedApi>(*apis.api, settings.fence);
  made->events_ = std::make_unique<kube::FencedApi>(apis.events != nullptr ? *apis.events : *apis.api, settings.fence);
  RESCHEDULER_CHECK(static_cast<bool>(settings.make_mover), "somebody has to carry moves out");
  made->mover_ = settings.make_mover(*made->writes_, services);

  ControllerSettings controller;
  controller.args = std::make_shared<config::ReschedulerSettings>(*profile->rescheduler);
  controller.profile = *profile;
  controller.ns = settings.configuration.leader_election.resource_namespace;
  controller.name = settings.configuration.leader_election.resource_name;
  controller.host = std::move(settings.host);
  controller.seed = settings.seed;
  controller.planning = settings.planning;
  controller.debounce = settings.debounce;
  controller.on_plan = std::move(settings.on_plan);
  controller.on_outcome = std::move(settings.on_outcome);
  controller.on_node_news = std::move(settings.on_node_news);
  controller.booking.book = [raw](const std::string& key, const std::string& node, const cluster::Loads& load) {
    if (raw->live_ != nullptr) raw->live_->book(key, node, load);
  };
  controller.booking.release = [raw](const std::string& key) {
    if (raw->live_ != nullptr) raw->live_->release(key);
  };
  controller.booking.expect = [raw](usage::HabitsPtr habits) {
    if (raw->live_ != nullptr) raw->live_->expect(std::move(habits));
  };
  auto begun = Controller::make({apis.api, made->writes_.get(), made->events_.get()}, std::move(controller),
                                *made->mover_.mover, services);
  if (!begun) return fail(std::move(begun.error()));
  made->controller_ = std::move(*begun);
  return made;
}

// Weak: the scheduler may speak longer than we listen.
void LiveRescheduler::listen(scheduler::LiveSettings& to) {
  const std::weak_ptr<Controller> weak = controller_;
  to.sink.seen = [weak](const kube::ObjectPtr& object) {
    if (const auto self = weak.lock()) self->seen(object);
  };
  to.sink.gone = [weak](const kube::ObjectPtr& object) {
    if (const auto self = weak.lock()) self->gone(object);
  };
  to.sink.loads = [weak](std::shared_ptr<const scheduler::LoadsSeen> loads) {
    if (const auto self = weak.lock()) self->loads(std::move(loads));
  };
  to.sink.caught_up = [weak]() -> net::Task<void> {
    const auto self = weak.lock();
    if (self) co_await self->caught_up();
  };
  to.overloaded = [weak](const std::string& node) {
    if (const auto self = weak.lock()) self->overloaded(node);
  };
}

void LiveRescheduler::follow() {
  if (mover_.follow) mover_.follow();
  controller_->follow();
}

net::Task<Result<void>> LiveRescheduler::wait_synced() {
  if (mover_.wait_synced) {
    auto synced = co_await mover_.wait_synced();
    if (!synced) co_return synced;
  }
  auto seen = co_await controller_->wait_synced();
  co_return seen;
}

// The mover first: it takes up what it finds, and that counts as under way from the first cycle on.
void LiveRescheduler::lead() {
  if (mover_.lead) mover_.lead();
  controller_->lead();
}

net::Task<void> LiveRescheduler::stop() {
  live_ = nullptr;
  co_await controller_->stop();
  if (mover_.stop) co_await mover_.stop();
}

}  // namespace rescheduler::rescheduling
