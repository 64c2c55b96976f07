#include "cli/composition/composition.h"

#include <algorithm>

#include "base/log.h"
#include "cli/composition/migrator.h"
#include "cli/messages.h"
#include "cluster/feed.h"
#include "kube/proto/core_pod.pb.h"
#include "migration/definition.h"

namespace rescheduler::cli {
namespace {

constexpr std::chrono::seconds kPatience{5};  // time to wait for Migrations to sync; pods stay pending meanwhile

// Namespaces whose pods are neither recovered nor moved: the API server does not call the webhook for their pods.
std::vector<std::string> namespaces_without_webhook(const CompositionSettings& settings) {
  const auto& moving = settings.configuration.rescheduled;
  if (!moving) return settings.recovery ? settings.recovery->excluded_namespaces : std::vector<std::string>{};
  std::vector<std::string> both = moving->rescheduler->rescheduling.excluded_namespaces;
  if (settings.recovery) {
    const auto& unrecovered = settings.recovery->excluded_namespaces;
    std::erase_if(both, [&](const std::string& ns) { return std::ranges::find(unrecovered, ns) == unrecovered.end(); });
  }
  return both;
}

}  // namespace

Composition::Composition(CompositionApis apis, CompositionSettings settings, kube::LoopServices services)
    : apis_(apis), settings_(std::move(settings)), services_(services) {
  for (kube::Api** other : {&apis_.events, &apis_.migrations, &apis_.recovery}) {
    if (*other == nullptr) *other = apis_.api;
  }
}

Composition::~Composition() {
  for (net::Job& job : jobs_) job.cancel();
}

Result<std::unique_ptr<Composition>> Composition::make(CompositionApis apis,
                                                       CompositionSettings settings,
                                                       kube::LoopServices services) {
  std::unique_ptr<Composition> made(new Composition(apis, std::move(settings), services));
  auto scheduler = made->make_scheduler();
  if (!scheduler) return fail(std::move(scheduler.error()));
  made->make_migrations();
  auto rescheduler = made->make_rescheduler();
  if (!rescheduler) return fail(std::move(rescheduler.error()));
  made->make_recovery();
  made->make_webhook();
  return made;
}

// --- Construction ---

Result<void> Composition::make_scheduler() {
  scheduler::LiveSettings live;
  live.configuration = settings_.configuration;
  live.host = settings_.host;
  live.seed = settings_.seed;
  live.fence = settings_.fence;
  live.deciding = settings_.deciding;
  live.network = settings_.network;
  live.finished_pods = recovery_is_fed();
  auto made = scheduler::LiveScheduler::make({apis_.api, apis_.events}, std::move(live), services_);
  if (!made) return fail(std::move(made.error()));
  scheduler_ = &components_.add(std::move(*made));
  return {};
}

void Composition::make_migrations() {
  migration::MigrationParts parts{apis_.migrations, apis_.events, services_, settings_.fence, settings_.migrations};
  parts.settings.host = settings_.host;
  migrations_ = &components_.add(make_migrator(std::move(parts), settings_.configuration, *scheduler_));
  migrations_->on_change(notifier(&Listeners::on_migration));
}

Result<void> Composition::make_rescheduler() {
  rescheduling::LiveReschedulerSettings moving;
  moving.configuration = settings_.configuration;
  moving.controller.host = settings_.host;
  moving.controller.seed = settings_.seed;
  moving.fence = settings_.fence;
  moving.controller.planning = settings_.planning;
  moving.controller.debounce = settings_.debounce;
  moving.controller.steering = [this, configured = rescheduling::steering_of(settings_.configuration)] {
    rescheduling::Steering now = configured;
    now.no_webhook = webhook_ == nullptr ? std::string("no webhook is served") : webhook_->trouble();
    return now;
  };
  moving.controller.on_plan = notifier(&Listeners::on_plan);
  moving.controller.on_outcome = notifier(&Listeners::on_outcome);
  moving.controller.on_node_activity = notifier(&Listeners::on_node_activity);
  auto made = rescheduling::LiveRescheduler::make({apis_.api, apis_.events}, std::move(moving), *migrations_,
                                                  *scheduler_, services_);
  if (!made) return fail(std::move(made.error()));
  if (*made) rescheduler_ = &components_.add(std::move(*made));
  return {};
}

void Composition::make_recovery() {
  if (!settings_.recovery) return;
  rescheduling::recovery::LiveRecoverySettings live;
  live.recovery = *settings_.recovery;
  live.host = settings_.host;
  live.home = settings_.configuration.leader_election.resource_namespace;
  live.fence = settings_.fence;
  live.on_activity = notifier(&Listeners::on_recovery_activity);
  if (recovery_is_fed()) {
    live.fed_kinds = cluster::model_kinds();
    live.wait_fed = [scheduler = scheduler_] { return scheduler->wait_synced(); };
  }
  const rescheduling::recovery::RecoveryApis apis{apis_.recovery, apis_.events};
  recovery_ = &components_.add(rescheduling::recovery::LiveRecovery::make(apis, std::move(live), services_));
  if (recovery_is_fed()) scheduler_->listen(recovery_->sink());
  // Pods of our scheduler avoid visited nodes also where the API server does not call the webhook.
  scheduler_->annotate_by(recovery_->annotator());
}

// The webhook is last, so that it stops before the components that it asks.
void Composition::make_webhook() {
  if (!settings_.webhook) return;
  server::RecoveryWebhookSettings hook;
  hook.webhook = *settings_.webhook;
  hook.address = settings_.webhook_address;
  hook.own_namespace = settings_.configuration.leader_election.resource_namespace;
  hook.excluded_namespaces = namespaces_without_webhook(settings_);
  hook.fence = settings_.fence;
  for (const auto& profile : settings_.configuration.profiles) hook.own_schedulers.push_back(profile.scheduler_name);
  hook.intents = [migrations = migrations_](const api::Pod& pod) { return migrations->intent_for(pod); };
  server::PodHints hints;
  if (recovery_ != nullptr) hints = [live = recovery_](const api::Pod& pod) { return live->hint_for(pod); };
  webhook_ =
      &components_.add(std::make_unique<PodWebhook>(*apis_.recovery, std::move(hints), std::move(hook), services_));
}

template <class... About>
std::function<void(About...)> Composition::notifier(std::function<void(About...)> Listeners::* what) const {
  return [listeners = listeners_, what](About... about) {
    for (const Listeners& one : *listeners) {
      if (one.*what) (one.*what)(about...);
    }
  };
}

void Composition::listen(Listeners listeners) {
  scheduler_->listen(listeners.cluster);
  listeners_->push_back(std::move(listeners));
}

// --- Lifecycle ---

void Composition::spawn(std::string name, net::Task<void> task) {
  jobs_.push_back(net::spawn(services_.executor, std::move(name), std::move(task)));
}

void Composition::follow() {
  const bool delayed = settings_.configuration.delay_cache_until_active;
  if (recovery_ != nullptr) recovery_->follow();
  if (webhook_ != nullptr) webhook_->follow();
  if (!delayed) follow_cluster();
  // The API server calls the webhook of every replica, and the webhook needs the intents of the Migrations.
  if (webhook_ != nullptr || !delayed) follow_migrations();
}

void Composition::follow_cluster() {
  scheduler_->follow();
  if (rescheduler_ != nullptr) rescheduler_->follow();
}

void Composition::follow_migrations() {
  if (settings_.define_migrations) {
    spawn("define migrations", define_migrations());
  } else {
    migrations_->follow();
  }
}

net::Task<void> Composition::define_migrations() {
  const auto defined = co_await migration::ensure_definition(*apis_.migrations, *services_.timers);
  if (defined) migrations_->follow();
}

net::Task<Result<void>> Composition::wait_synced() {
  auto synced = co_await scheduler_->wait_synced();
  if (synced) synced = co_await migrations_->wait_synced();
  if (synced && rescheduler_ != nullptr) synced = co_await rescheduler_->wait_synced();
  co_return synced;
}

void Composition::lead() {
  if (settings_.configuration.delay_cache_until_active) {
    follow_cluster();
    if (webhook_ == nullptr) follow_migrations();
  }
  spawn("begin to decide", begin());
  if (recovery_ != nullptr) spawn("begin to recover", begin_to_recover());
}

net::Task<void> Composition::begin() {
  const auto synced = co_await scheduler_->wait_synced();
  if (!synced) co_return;
  co_await steer_first();
  if (stopping_) co_return;
  log_info(messages::kDeciding);
  scheduler_->lead();
  // Without the definition of Migration this waits: a move without its record could not be continued after a crash.
  const auto shown = co_await wait_synced();
  if (!shown) co_return;
  // Before the first move, so that its replacement pod is steered.
  if (webhook_ != nullptr) co_await webhook_->registered();
  if (stopping_) co_return;
  // Before the rescheduler, whose first cycle must count the existing migrations that migrations_ continues.
  migrations_->lead();
  if (rescheduler_ == nullptr) co_return;
  log_info(messages::kMoving);
  rescheduler_->lead();
}

net::Task<void> Composition::begin_to_recover() {
  const auto synced = co_await recovery_->wait_synced();
  if (!synced) co_return;
  // Before the first eviction, so that the webhook already handles its replacement pod.
  if (webhook_ != nullptr) co_await webhook_->registered();
  if (!stopping_) recovery_->lead();
}

// Runs before the scheduler starts, because Migrations contain the target nodes of replacement pods. Waits at most
// kPatience for them to sync, and not at all if the API server does not serve the kind.
net::Task<void> Composition::steer_first() {
  if (!migrations_->synced()) {
    const auto known = co_await apis_.migrations->get_text("/apis/rescheduler.io/v1alpha1", "application/json");
    if (stopping_ || (!known && known.error().code == Errc::NotFound)) co_return;
  }
  net::Job showing = net::spawn(services_.executor, "wait for migrations", await_migrations());
  jobs_.push_back(showing);
  const bool shown = co_await net::ended_within(showing, *services_.timers, kPatience);
  showing.cancel();
  if (stopping_) co_return;
  if (!shown) log_warning(messages::kMigrationsNotShown);
  if (shown) migrations_->steer();
}

net::Task<void> Composition::await_migrations() { (void)co_await migrations_->wait_synced(); }

std::optional<std::string> Composition::recovery_status() const {
  return recovery_ == nullptr ? std::nullopt : std::optional(recovery_->status_text());
}

std::optional<std::string> Composition::webhook_status() const {
  if (webhook_ == nullptr || webhook_->problem()) return std::nullopt;
  return webhook_->status_text();
}

std::vector<InstallationProblem> Composition::problems() const {
  std::vector<InstallationProblem> found;
  const auto& migrations = migrations_->failure();
  if (migrations && migrations->code == Errc::NotFound) found.push_back(definition_missing());
  if (const auto trouble = webhook_ == nullptr ? std::nullopt : webhook_->problem()) {
    found.push_back(webhook_broken(*trouble));
  }
  return found;
}

net::Task<bool> Composition::stop(std::chrono::nanoseconds grace) {
  stopping_ = true;
  (void)co_await net::end_all(jobs_);
  const bool ended = co_await components_.stop(grace);
  co_return ended;
}

}  // namespace rescheduler::cli
