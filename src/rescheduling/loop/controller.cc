#include "rescheduling/loop/controller.h"

#include <algorithm>

#include <boost/asio/post.hpp>
#include <fmt/core.h>

#include "base/log.h"
#include "cluster/feed.h"
#include "cluster/objects/annotations.h"
#include "cluster/objects/nodes.h"
#include "kube/proto/core_node.pb.h"
#include "kube/value/duration.h"
#include "placement/registry.h"
#include "rescheduling/loop/controller_state.h"
#include "rescheduling/messages.h"

namespace rescheduler::rescheduling {
namespace {

kube::EventRecorderSettings recorder_settings(const ControllerSettings& settings) {
  kube::EventRecorderSettings recorder;
  recorder.reporter = {settings.name, settings.name + "-" + settings.host};
  return recorder;
}

}  // namespace

Controller::State::State(ControllerApis the_apis,
                         ControllerSettings the_settings,
                         migration::Migrator& the_migrator,
                         kube::LoopServices the_services,
                         std::unique_ptr<placement::Framework> framework)
    : apis(the_apis),
      settings(std::move(the_settings)),
      migrator(the_migrator),
      services(the_services),
      planning(settings.planning != nullptr ? settings.planning->executor() : the_services.executor),
      snapshot_reader(
          std::make_unique<SnapshotReader>(settings.args, std::move(framework), *services.clock, settings.planner)),
      store(*apis.writes, settings.ns, settings.args->rescheduling.brakes.memory),
      metrics(*services.metrics),
      events(*apis.events, recorder_settings(settings), services),
      persistence(settings.args->rescheduling.load_balancing.persistence),
      effects(settings.args->rescheduling.brakes.rest),
      maintenance(settings.args->rescheduling.maintenance, settings.name) {}

Controller::Controller(std::shared_ptr<State> state) : state_(std::move(state)) {}

Controller::~Controller() {
  state_->stopping = true;
  state_->migrator.on_outcome({});
  for (net::Job& job : state_->jobs) job.cancel();
  for (net::Job& job : state_->followers) job.cancel();
}

Result<std::unique_ptr<Controller>> Controller::make(ControllerApis apis,
                                                     ControllerSettings settings,
                                                     migration::Migrator& migrator,
                                                     kube::LoopServices services) {
  auto framework = placement::Framework::make(settings.profile, placement::Registry::standard());
  if (!framework) return fail(std::move(framework.error()));
  if (apis.events == nullptr) apis.events = apis.writes;
  if (!settings.planner) settings.planner = &make_plan;
  auto state = std::make_shared<State>(apis, std::move(settings), migrator, services, std::move(*framework));
  // Weak, because the migrator can live longer.
  migrator.on_outcome([weak = state->weak_from_this()](const migration::MoveOutcome& outcome) {
    if (const auto self = weak.lock()) self->ended(outcome);
  });
  const auto& theirs = cluster::model_kinds();
  for (const kube::ResourceType* kind : Snapshot::kinds()) {
    if (std::ranges::find(theirs, kind) != theirs.end()) continue;
    kube::InformerSettings informer;
    informer.keep = kube::Keep::Names;
    auto& reflector =
        state->reflectors.emplace_back(std::make_unique<kube::Reflector>(*apis.reads, *kind, informer, services));
    kube::ObjectHandler handler;
    State* raw = state.get();
    handler.upserted = [raw](const kube::ObjectPtr& object) {
      boost::asio::post(raw->planning,
                        [self = raw->shared_from_this(), object] { self->snapshot_reader->upsert(*object); });
    };
    handler.removed = [raw](const kube::ObjectPtr& object) {
      boost::asio::post(raw->planning,
                        [self = raw->shared_from_this(), object] { self->snapshot_reader->remove(*object); });
    };
    reflector->add_handler(std::move(handler));
  }
  return std::unique_ptr<Controller>(new Controller(std::move(state)));
}

void Controller::upsert(const kube::ObjectPtr& object) {
  boost::asio::post(state_->planning, [self = state_, object] { self->snapshot_reader->upsert(*object); });
  if (object->GetDescriptor() != api::Node::descriptor()) return;
  const auto& node = static_cast<const api::Node&>(*object);
  const State::NodeFlags now{cluster::is_ready(node), cluster::requests_maintenance(node.metadata()),
                             node.spec().unschedulable(), cluster::drain_allowance_of(node.metadata()).classes};
  const auto [found, joined] = state_->nodes.try_emplace(node.metadata().name(), now);
  const State::NodeFlags before = std::exchange(found->second, now);
  if (joined && now.ready) state_->run_soon(node.metadata().name() + " joined");
  if (!joined && now.ready && !before.ready) state_->run_soon(node.metadata().name() + " is ready again");
  if ((joined && now.marked) || (!joined && now.marked != before.marked)) {
    state_->run_soon("the maintenance label changed on " + node.metadata().name());
  }
  if (!joined && now.marked && now.drain_allows != before.drain_allows) {
    state_->run_soon("the drain of " + node.metadata().name() + " allows other pods");
  }
  if (!joined && before.unschedulable && !now.unschedulable) {
    state_->run_soon(node.metadata().name() + " was uncordoned");
  }
}

void Controller::remove(const kube::ObjectPtr& object) {
  boost::asio::post(state_->planning, [self = state_, object] { self->snapshot_reader->remove(*object); });
  if (object->GetDescriptor() != api::Node::descriptor()) return;
  state_->nodes.erase(static_cast<const api::Node&>(*object).metadata().name());
}

void Controller::loads(std::shared_ptr<const LoadUpdate> loads) {
  boost::asio::post(state_->planning,
                    [self = state_, loads = std::move(loads)] { self->snapshot_reader->loads(*loads); });
}

void Controller::overloaded(const std::string& node) {
  state_->predicted.insert(node);
  state_->run_soon("a placement will overload " + node);
}

void Controller::run_soon(const std::string& why) { state_->run_soon(why); }
const ControllerStatus& Controller::status() const { return state_->status; }

void Controller::follow() {
  const auto record = [](std::shared_ptr<State> kept) -> net::Task<void> { co_await kept->events.run(); };
  state_->followers.push_back(net::spawn(state_->services.executor, "rescheduling events", record(state_)));
  for (const auto& reflector : state_->reflectors) {
    const auto follow = [](std::shared_ptr<State> /*kept*/, kube::Reflector& one) -> net::Task<void> {
      co_await one.run();
    };
    state_->followers.push_back(
        net::spawn(state_->services.executor, "rescheduling informer", follow(state_, *reflector)));
  }
}

std::string Controller::status_text() const {
  const ControllerStatus& now = state_->status;
  std::string text =
      fmt::format("balance score {:.1f}, {} moves under way", now.balance_report.balance.score, now.under_way);
  for (const ActiveBrake& one : now.holding) text += fmt::format("; {}: {}", to_string(one.brake), one.sentence);
  return text;
}

net::Task<Result<void>> Controller::wait_synced() {
  for (const auto& reflector : state_->reflectors) {
    auto synced = co_await reflector->wait_synced();
    if (!synced) co_return synced;
  }
  co_return Result<void>{};
}

void Controller::lead() {
  if (state_->leading) return;
  state_->leading = true;
  log_info(messages::kControllerStarts,
           {{"interval", kube::format_duration(state_->settings.args->rescheduling.interval)}});
  const net::Executor& executor = state_->services.executor;
  state_->jobs.push_back(net::spawn(executor, "rescheduling", State::run(state_)));
  state_->jobs.push_back(net::spawn(executor, "rescheduling interval", State::tick(state_)));
}

net::Task<void> Controller::stop() {
  const std::shared_ptr<State> state = state_;
  state->stopping = true;
  std::vector<net::Job> all = state->jobs;
  all.insert(all.end(), state->followers.begin(), state->followers.end());
  (void)co_await net::end_all(std::move(all));
  [[maybe_unused]] const auto flushed = co_await state->events.flush();
}

// --- The driver ---

void Controller::State::wake() {
  wake_pending = true;
  if (waiter) waiter->wake();
}

net::Task<void> Controller::State::run(std::shared_ptr<State> self) {
  while (!self->stopping) {
    if (!self->wake_pending) {
      self->waiter = std::make_unique<net::Waiter>(self->services.executor);
      const auto woken = co_await self->waiter->wait(net::kNoDeadline);
      self->waiter.reset();
      if (!woken) co_return;
    }
    self->wake_pending = false;
    if (self->stopping) co_return;
    if (self->tick_due || self->event_due) {
      const bool regular = std::exchange(self->tick_due, false);
      self->event_due = false;
      co_await self->cycle(regular);
    }
    co_await self->advance();
    if (self->store.has_unsaved()) {
      const auto saved = co_await self->store.save_ended(self->services.clock->wall_now());
      if (!saved) log_warning(messages::kOutcomesNotWritten, {{"err", saved.error().message}});
    }
  }
}

net::Task<void> Controller::State::tick(std::shared_ptr<State> self) {
  while (!self->stopping) {
    self->tick_due = true;
    self->wake();
    const auto slept = co_await self->services.timers->sleep_for(self->settings.args->rescheduling.interval);
    if (!slept) co_return;
  }
}

// Events arrive in groups: waits for the debounce time after the first event.
net::Task<void> Controller::State::run_later(std::shared_ptr<State> self) {
  const auto slept = co_await self->services.timers->sleep_for(self->settings.debounce);
  self->run_scheduled = false;
  if (!slept || self->stopping) co_return;
  self->event_due = true;
  self->wake();
}

void Controller::State::run_soon(const std::string& why) {
  if (!leading || stopping || std::exchange(run_scheduled, true)) return;
  log_debug("rescheduling cycle starts early: {}", why);
  std::erase_if(jobs, [](const net::Job& job) { return job.done(); });
  jobs.push_back(net::spawn(services.executor, "rescheduling soon", run_later(shared_from_this())));
}

}  // namespace rescheduler::rescheduling
