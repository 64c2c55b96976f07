#include "cli/own_mover.h"

#include "base/log.h"
#include "placement/rescheduler_args.h"

namespace rescheduler::cli {
namespace {

void apply(const placement::MovingSettings& moving, migration::MigrationSettings& to) {
  using migration::SurgeUse;
  to.language = moving.log_language == "zh" ? migration::Language::Chinese : migration::Language::English;
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
                                                           scheduler::LiveScheduler& live,
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
  parts.settings.steer = [&live](std::vector<migration::PlacementIntent> wanted) {
    std::vector<scheduler::Intent> intents;
    for (auto& one : wanted) {
      intents.push_back({std::move(one.migration), std::move(one.ns), std::move(one.selector), std::move(one.pod),
                         std::move(one.target)});
    }
    live.want(std::move(intents));
  };
  return std::make_unique<migration::MigrationController>(std::move(parts));
}

net::Task<void> lead_when_synced(migration::MigrationController& mover, net::Timers& timers) {
  constexpr std::chrono::milliseconds kBetween{50};
  constexpr int kWarnAfter = 200;
  for (int looks = 0; !mover.synced(); ++looks) {
    if (looks == kWarnAfter) {
      log_warning("the cluster shows no Migrations: nothing is moved (is manifests/rescheduler/crd.yaml applied?)");
    }
    const auto slept = co_await timers.sleep_for(kBetween);
    if (!slept) co_return;
  }
  mover.lead();
}

}  // namespace rescheduler::cli
