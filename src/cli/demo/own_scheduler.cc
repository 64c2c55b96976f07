#include "cli/demo/own_scheduler.h"

#include <algorithm>

#include "config/read.h"
#include "migration/definition.h"
#include "scheduler/load_sources.h"

namespace rescheduler::cli {
namespace {

net::Task<void> begin(scheduler::LiveScheduler& live, rescheduling::LiveRescheduler* rescheduler) {
  const auto synced = co_await live.wait_synced();
  if (synced) live.lead();
  if (!synced || rescheduler == nullptr) co_return;
  const auto seen = co_await rescheduler->wait_synced();
  if (seen) rescheduler->lead();
}

net::Task<void> begin_to_move(migration::MigrationController& mover, kube::Api& api, net::Timers& timers) {
  const auto defined = co_await migration::ensure_definition(api, timers);
  if (!defined) co_return;
  mover.follow();
  co_await lead_when_synced(mover, timers);
}

}  // namespace

OwnScheduler::~OwnScheduler() = default;

net::Task<Result<void>> OwnScheduler::stop() {
  beginning_.cancel();
  moving_.cancel();
  if (mover_) co_await mover_->stop();
  if (rescheduler_) co_await rescheduler_->stop();
  constexpr std::chrono::seconds kGrace{1};
  const bool ended = co_await live_->stop(kGrace);
  if (!ended) co_return fail(Errc::Timeout, "the scheduler did not end in time");
  co_return Result<void>{};
}

config::ReschedulerSettings OwnScheduler::in_a_hurry(int nodes) {
  using namespace std::chrono_literals;
  constexpr int kFew = 1000;
  const int slower = std::clamp(nodes / kFew, 1, 6);
  config::ReschedulerSettings args;
  args.load.interval = 5s * slower;
  args.load.smoothing.half_life = 15s * slower;
  args.rescheduling.interval = 5s * slower;
  args.rescheduling.protections.least_age = 10s;
  args.rescheduling.load_balancing.persistence = {2, 3};
  args.rescheduling.brakes.cooldown = 60s;
  args.rescheduling.brakes.rest = 60s;
  return args;
}

std::unique_ptr<migration::MigrationController> OwnScheduler::new_mover(kube::Api& api,
                                                                        const config::Configuration& configuration,
                                                                        const kube::LoopServices& services) {
  const auto steer = [this](std::vector<scheduler::Intent> intents) {
    if (live_) live_->want(std::move(intents));
  };
  auto mover = make_mover(api, nullptr, configuration, "embedded", nullptr, steer, loads_, services);
  if (listeners_.mover) listeners_.mover(*mover);
  return mover;
}

Result<std::unique_ptr<OwnScheduler>> OwnScheduler::start(kube::Api& api,
                                                          net::Executor executor,
                                                          net::Timers& timers,
                                                          const Clock& clock,
                                                          std::uint64_t seed,
                                                          Judges by,
                                                          std::optional<OwnRescheduling> rescheduling,
                                                          OwnListeners listeners) {
  std::unique_ptr<OwnScheduler> own(new OwnScheduler(seed));
  own->listeners_ = std::move(listeners);
  scheduler::LiveSettings settings;
  settings.configuration = config::default_configuration(config::default_catalog());
  config::Profile& profile = settings.configuration.profiles.front();
  // By the load that the embedded cluster's kubelets report.
  if (by == Judges::Load) config::place_by_load(profile, {});
  if (rescheduling) config::set_settings(profile, rescheduling->args);
  for (const auto point : {placement::Point::PreFilter, placement::Point::Filter}) {
    profile.at(point).push_back({"Podrescheduling"});
  }
  settings.configuration.profiles.push_back(config::Profile(profile));
  settings.configuration.profiles.back().scheduler_name = "default-scheduler";
  config::resolve_settings(settings.configuration);
  settings.host = "embedded";
  settings.seed = seed;
  own->configuration_ = settings.configuration;
  const config::Configuration& configuration = own->configuration_;
  const kube::LoopServices services{executor, &timers, &clock, &own->rng_, &own->metrics_};
  if (rescheduling) {
    rescheduling::LiveReschedulerSettings moving;
    moving.configuration = settings.configuration;
    moving.host = settings.host;
    moving.seed = seed;
    moving.on_plan = std::move(rescheduling->on_plan);
    moving.on_outcome = std::move(rescheduling->on_outcome);
    moving.on_node_news = std::move(rescheduling->on_node_news);
    moving.make_mover = [&](kube::Api& /*fenced*/, const kube::LoopServices& /*services*/) {
      return run_by_rescheduler(own->new_mover(api, configuration, services), timers, &api);
    };
    auto made = rescheduling::LiveRescheduler::make({&api, nullptr}, std::move(moving), services);
    if (!made) return fail(std::move(made.error()));
    own->rescheduler_ = std::move(*made);
    if (own->rescheduler_) own->rescheduler_->listen(settings);
  }
  if (own->listeners_.sink) own->listeners_.sink(settings.sink);
  own->loads_.listen(settings);
  auto live = scheduler::LiveScheduler::make({&api, nullptr}, std::move(settings), services);
  if (!live) return fail(std::move(live.error()));
  own->live_ = std::move(*live);
  own->live_->follow();
  if (own->rescheduler_) {
    own->rescheduler_->attach(*own->live_);
    own->rescheduler_->follow();
  } else {
    own->mover_ = own->new_mover(api, configuration, services);
    own->moving_ = net::spawn(executor, "begin to move", begin_to_move(*own->mover_, api, timers));
  }
  own->beginning_ = net::spawn(executor, "begin to decide", begin(*own->live_, own->rescheduler_.get()));
  return own;
}

}  // namespace rescheduler::cli
