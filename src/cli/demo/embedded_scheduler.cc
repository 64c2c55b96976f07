#include "cli/demo/embedded_scheduler.h"

#include <algorithm>

#include "scheduler/config/read.h"
#include "scheduler/load_sources.h"

namespace rescheduler::cli {
namespace {

scheduler::Configuration configuration_of(const EmbeddedSettings& settings) {
  auto configuration = scheduler::default_configuration(scheduler::default_catalog());
  placement::Profile& profile = configuration.profiles.front();
  if (settings.by == Judges::Load) {
    // By the load that the embedded cluster's kubelets report.
    scheduler::place_by_load(profile, {});
    auto args = settings.rescheduling.value_or(placement::ReschedulerArgs{});
    args.enable_rescheduling_controller = settings.rescheduling.has_value();
    profile.args["Rescheduler"] = std::make_shared<placement::ReschedulerArgs>(std::move(args));
  }
  for (const auto point : {placement::Point::PreFilter, placement::Point::Filter}) {
    profile.at(point).push_back({"Podrescheduling"});
  }
  configuration.profiles.push_back(profile);
  configuration.profiles.back().scheduler_name = "default-scheduler";
  return configuration;
}

}  // namespace

placement::ReschedulerArgs EmbeddedScheduler::in_a_hurry(int nodes) {
  using namespace std::chrono_literals;
  constexpr int kFew = 1000;
  const int slower = std::clamp(nodes / kFew, 1, 6);
  placement::ReschedulerArgs args;
  args.load.interval = 5s * slower;
  args.load.smoothing.half_life = 15s * slower;
  args.rescheduling_interval = 5s * slower;
  args.rescheduling.protections.least_age = 10s;
  args.rescheduling.load_balancing.persistence = {2, 3};
  args.rescheduling.brakes.cooldown = 60s;
  args.rescheduling.brakes.rest = 60s;
  return args;
}

Result<std::unique_ptr<EmbeddedScheduler>> EmbeddedScheduler::make(kube::Api& api,
                                                                   net::Executor executor,
                                                                   net::Timers& timers,
                                                                   const Clock& clock,
                                                                   EmbeddedSettings settings) {
  std::unique_ptr<EmbeddedScheduler> made(new EmbeddedScheduler(settings.seed));
  CompositionSettings how;
  how.configuration = configuration_of(settings);
  how.host = "embedded";
  how.seed = settings.seed;
  how.define_migrations = true;
  how.recovery = std::move(settings.recovery);
  how.webhook_address = "127.0.0.1";
  auto composition =
      Composition::make({&api}, std::move(how), {executor, &timers, &clock, &made->rng_, &made->metrics_});
  if (!composition) return fail(std::move(composition.error()));
  made->composition_ = std::move(*composition);
  return made;
}

void EmbeddedScheduler::start() {
  composition_->follow();
  composition_->lead();
}

net::Task<Result<void>> EmbeddedScheduler::stop() {
  constexpr std::chrono::seconds kGrace{1};
  const bool ended = co_await composition_->stop(kGrace);
  if (!ended) co_return fail(Errc::Timeout, "the scheduler did not end in time");
  co_return Result<void>{};
}

}  // namespace rescheduler::cli
