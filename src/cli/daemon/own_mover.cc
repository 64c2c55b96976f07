#include "cli/daemon/own_mover.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "cli/messages.h"
#include "migration/definition.h"

namespace rescheduler::cli {

void NodeLoads::listen(scheduler::LiveSettings& to) {
  to.sink.loads = [others = std::move(to.sink.loads), last = last_](std::shared_ptr<const scheduler::LoadsSeen> seen) {
    *last = seen;
    if (others) others(std::move(seen));
  };
}

std::string NodeLoads::of(const std::string& node) const {
  if (!*last_ || (*last_)->picture.basis != cluster::LoadBasis::Usage) return {};
  const auto& nodes = (*last_)->nodes;
  const auto found = std::ranges::find(nodes, node, &std::pair<std::string, cluster::NodeLoad>::first);
  if (found == nodes.end()) return {};
  std::string text;
  const auto& resources = (*last_)->picture.resources;
  for (std::size_t i = 0; i < resources.size() && i < cluster::kMostLoads; ++i) {
    if (!found->second.knows(i)) continue;
    text += fmt::format(R"({}"{}":{:.3f})", text.empty() ? "" : ",", resources[i], found->second.used[i]);
  }
  return text.empty() ? text : "{" + text + "}";
}

std::unique_ptr<migration::MigrationController> make_mover(kube::Api& api,
                                                           kube::Api* events,
                                                           const config::Configuration& configuration,
                                                           const std::string& host,
                                                           std::shared_ptr<const kube::LeaderFence> fence,
                                                           Steer steer,
                                                           const NodeLoads& loads,
                                                           kube::LoopServices services) {
  migration::MigrationParts parts{&api, events, services, std::move(fence), {}};
  parts.settings.host = host;
  static_cast<config::MigrationSettings&>(parts.settings) = configuration.migration;
  for (const auto& profile : configuration.profiles) parts.settings.scheduler_names.insert(profile.scheduler_name);
  parts.settings.steer = [steer = std::move(steer)](std::vector<migration::PlacementIntent> wanted) {
    std::vector<scheduler::Intent> intents;
    for (auto& one : wanted) {
      intents.push_back({std::move(one.migration), std::move(one.ns), std::move(one.selector), std::move(one.pod),
                         std::move(one.target)});
    }
    steer(std::move(intents));
  };
  parts.settings.measure = [loads](const std::string& node) { return loads.of(node); };
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

net::Task<void> steer_when_shown(migration::MigrationController& mover, kube::Api& api, net::Timers& timers) {
  constexpr std::chrono::milliseconds kBetween{20};
  constexpr int kMost = 250;  // five seconds: pods that are not moved wait too
  if (!mover.synced()) {
    const auto known = co_await api.get_text("/apis/rescheduler.io/v1alpha1", "application/json");
    if (!known && (known.error().code == Errc::NotFound || known.error().code == Errc::Cancelled)) co_return;
  }
  for (int looks = 0; !mover.synced(); ++looks) {
    if (looks == kMost) {
      log_warning(messages::kMigrationsNotShown);
      co_return;
    }
    const auto slept = co_await timers.sleep_for(kBetween);
    if (!slept) co_return;
  }
  mover.steer();
}

}  // namespace rescheduler::cli
