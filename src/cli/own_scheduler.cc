#include "cli/own_scheduler.h"

#include "cli/own_mover.h"
#include "migration/definition.h"
#include "scheduler/config/read.h"
#include "scheduler/load_sources.h"

namespace rescheduler::cli {
namespace {

net::Task<void> begin(scheduler::LiveScheduler& live,
                      migration::MigrationController& mover,
                      kube::Api& api,
                      net::Timers& timers) {
  const auto synced = co_await live.wait_synced();
  if (synced) live.lead();
  const auto defined = co_await migration::ensure_definition(api, timers);
  if (!defined) co_return;
  mover.follow();
  co_await lead_when_synced(mover, timers);
}

}  // namespace

OwnScheduler::~OwnScheduler() = default;

net::Task<Result<void>> OwnScheduler::stop() {
  beginning_.cancel();
  co_await mover_->stop();
  constexpr std::chrono::seconds kGrace{1};
  const bool ended = co_await live_->stop(kGrace);
  if (!ended) co_return fail(Errc::Timeout, "the scheduler did not end in time");
  co_return Result<void>{};
}

Result<std::unique_ptr<OwnScheduler>> OwnScheduler::start(kube::Api& api,
                                                          net::Executor executor,
                                                          net::Timers& timers,
                                                          const Clock& clock,
                                                          std::uint64_t seed,
                                                          Judges by) {
  std::unique_ptr<OwnScheduler> own(new OwnScheduler(seed));
  scheduler::LiveSettings settings;
  settings.configuration = scheduler::default_configuration(scheduler::default_catalog());
  // By the load that the embedded cluster's kubelets report.
  if (by == Judges::Load) scheduler::place_by_load(settings.configuration.profiles.front(), {});
  settings.configuration.profiles.push_back(settings.configuration.profiles.front());
  settings.configuration.profiles.back().scheduler_name = "default-scheduler";
  settings.host = "embedded";
  settings.seed = seed;
  const scheduler::Configuration configuration = settings.configuration;
  const kube::LoopServices services{executor, &timers, &clock, &own->rng_, &own->metrics_};
  auto live = scheduler::LiveScheduler::make({&api, nullptr}, std::move(settings), services);
  if (!live) return fail(std::move(live.error()));
  own->live_ = std::move(*live);
  own->live_->follow();
  own->mover_ = make_mover(api, nullptr, configuration, "embedded", nullptr, *own->live_, services);
  own->beginning_ = net::spawn(executor, "begin to decide", begin(*own->live_, *own->mover_, api, timers));
  return own;
}

}  // namespace rescheduler::cli
