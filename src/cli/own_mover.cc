#include "cli/own_mover.h"

#include "base/log.h"
#include "cli/messages.h"
#include "migration/definition.h"
#include "placement/rescheduler_args.h"

namespace rescheduler::cli {
namespace {

void apply(const placement::MovingSettings& moving, migration::MigrationSettings& to) {
  using migration::SurgeUse;
  to.direct = moving.direct;
  to.surge = moving.make_before_break == "Never"    ? SurgeUse::Never
             : moving.make_before_break == "Always" ? SurgeUse::Always
                                                    : SurgeUse::SingleReplicas;
  to.max_unavailable = static_cast<std::uint32_t>(moving.max_unavailable);
  to.max_unavailable_percent = static_cast<std::uint32_t>(moving.max_unavailable_percent);
  to.protect_unprotected = moving.protect_unprotected;
  to.min_available = moving.budget_min_available;
  to.max_unavailable_budget = moving.budget_max_unavailable;
}

}  // namespace

std::unique_ptr<migration::MigrationController> make_mover(kube::Api& api,
                                                           kube::Api* events,
                                                           const scheduler::Configuration& configuration,
                                                           const std::string& host,
                                                           std::shared_ptr<const kube::LeaderFence> fence,
                                                           Steer steer,
                                                           kube::LoopServices services) {
  migration::MigrationParts parts{&api, events, services, std::move(fence), {}};
  parts.settings.host = host;
  for (const auto& profile : configuration.profiles) {
    parts.settings.scheduler_names.insert(profile.scheduler_name);
    const auto found = profile.args.find("Rescheduler");
    if (found == profile.args.end()) continue;
    if (const auto* args = dynamic_cast<const placement::ReschedulerArgs*>(found->second.get())) {
      apply(args->moving, parts.settings);
    }
  }
  parts.settings.steer = [steer = std::move(steer)](std::vector<migration::PlacementIntent> wanted) {
    std::vector<scheduler::Intent> intents;
    for (auto& one : wanted) {
      intents.push_back({std::move(one.migration), std::move(one.ns), std::move(one.selector), std::move(one.pod),
                         std::move(one.target)});
    }
    steer(std::move(intents));
  };
  return std::make_unique<migration::MigrationController>(std::move(parts));
}

namespace {

// A cluster that does not know the word shows none: somebody has to be told.
net::Task<Result<void>> wait_shown(migration::MigrationController& mover, net::Timers& timers) {
  constexpr std::chrono::milliseconds kBetween{50};
  constexpr int kWarnAfter = 200;
  for (int looks = 0; !mover.synced(); ++looks) {
    if (looks == kWarnAfter) {
      log_warning(messages::kNoMigrations, {{"fix", "kubectl apply -f manifests/rescheduler/crd.yaml"}});
    }
    auto slept = co_await timers.sleep_for(kBetween);
    if (!slept) co_return fail(std::move(slept.error()));
  }
  co_return Result<void>{};
}

net::Task<Result<void>> define_and_wait(migration::MigrationController& mover, net::Timers& timers, kube::Api& api) {
  auto defined = co_await migration::ensure_definition(api, timers);
  if (!defined) co_return defined;
  mover.follow();
  auto shown = co_await wait_shown(mover, timers);
  co_return shown;
}

}  // namespace

rescheduling::MadeMover run_by_rescheduler(std::unique_ptr<migration::MigrationController> mover,
                                           net::Timers& timers,
                                           kube::Api* define) {
  migration::MigrationController* raw = mover.get();
  rescheduling::MadeMover made;
  made.mover = std::move(mover);
  made.lead = [raw] { raw->lead(); };
  made.stop = [raw] { return raw->stop(); };
  if (define != nullptr) {
    made.wait_synced = [raw, &timers, define] { return define_and_wait(*raw, timers, *define); };
  } else {
    made.follow = [raw] { raw->follow(); };
    made.wait_synced = [raw, &timers] { return wait_shown(*raw, timers); };
  }
  return made;
}

net::Task<void> lead_when_synced(migration::MigrationController& mover, net::Timers& timers) {
  const auto shown = co_await wait_shown(mover, timers);
  if (shown) mover.lead();
}

}  // namespace rescheduler::cli
