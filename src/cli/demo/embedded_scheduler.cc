#include "cli/demo/embedded_scheduler.h"

#include <algorithm>

#include "config/read.h"
#include "scheduler/load_sources.h"

namespace rescheduler::cli {
namespace {

config::Configuration configuration_of(const EmbeddedSettings& settings) {
  auto configuration = config::default_configuration(config::default_catalog());
  config::Profile& profile = configuration.profiles.front();
  if (settings.by == Judges::Load) {
    // By the load that the kubelets of the embedded cluster report.
    auto product = settings.rescheduling.value_or(config::ReschedulerSettings{});
    product.rescheduling.enabled = settings.rescheduling.has_value();
    config::place_by_load(profile, std::move(product));
  }
  for (const auto point : {placement::Point::PreFilter, placement::Point::Filter}) {
    profile.at(point).push_back({"Podrescheduling"});
  }
  configuration.profiles.push_back(config::Profile(profile));
  configuration.profiles.back().scheduler_name = "default-scheduler";
  config::resolve_settings(configuration);
  return configuration;
}

}  // namespace

config::ReschedulerSettings EmbeddedScheduler::demo_settings(int nodes) {
  using namespace std::chrono_literals;
  constexpr int kFew = 1000;
  const int slower = std::clamp(nodes / kFew, 1, 6);
  config::ReschedulerSettings settings;
  settings.load.interval = 5s * slower;
  settings.load.smoothing.half_life = 15s * slower;
  settings.rescheduling.interval = 5s * slower;
  settings.rescheduling.protections.least_age = 10s;
  settings.rescheduling.load_balancing.persistence = {2, 3};
  settings.rescheduling.brakes.cooldown = 60s;
  settings.rescheduling.brakes.rest = 60s;
  return settings;
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
  // No other scheduler places pods here, so moves need no webhook.
  if (settings.recovery && settings.recovery->webhook.enabled) how.webhook = settings.recovery->webhook;
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
  if (!ended) co_return fail(Errc::Timeout, "the scheduler did not stop in time");
  co_return Result<void>{};
}

}  // namespace rescheduler::cli
