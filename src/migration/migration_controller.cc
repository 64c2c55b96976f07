#include "migration/migration_controller.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/backoff.h"
#include "base/log.h"
#include "kube/client/fenced_api.h"
#include "kube/events/event_recorder.h"
#include "kube/informer/informer.h"
#include "kube/proto/core_pod.pb.h"
#include "migration/intent.h"
#include "migration/measurement.h"
#include "migration/messages.h"
#include "migration/migration_observer.h"
#include "migration/migration_reporter.h"
#include "migration/patches.h"
#include "migration/step_errors.h"
#include "migration/step_executor.h"
#include "migration/sweeper.h"
#include "migration/wakeable.h"
#include "migration/workload_queue.h"
#include "net/waiter.h"

namespace rescheduler::migration {
namespace {

using PodInformer = kube::Informer<api::Pod>;

constexpr std::chrono::milliseconds kLeastPause{20};  // between two observations: groups changes that happen together
constexpr int kQueuedPollFactor = 10;                 // a queued move observes this many times less often
const BackoffPolicy kRetries{std::chrono::milliseconds{100}, std::chrono::milliseconds{10'000}, 2.0, 0.5};

net::Task<void> follow_pods(std::shared_ptr<PodInformer> informer) { co_await informer->run(); }

}  // namespace

struct MigrationController::State : std::enable_shared_from_this<State> {
  // One migration in progress.
  struct Live {
    explicit Live(api::Migration the_record, Wakeable the_waker)
        : record(std::move(the_record)), waker(std::move(the_waker)) {}

    api::Migration record;
    Wakeable waker;
    bool stale = true;       // the server may have a newer version
    bool gone = false;       // deleted from the server
    std::string workload{};  // its UID, once known
    SteadyTime next_poll{};  // even if another move of the workload is still ahead
    bool preflight_passed = false;
    std::optional<StepRefusal> refusal{};
    std::shared_ptr<PodInformer> pods{};
    net::Job following{};
    net::Job driving{};
    bool driven = false;
    bool cancelled() const { return gone || record.spec().cancel() || record.metadata().has_deletion_timestamp(); }
  };
  using LivePtr = std::shared_ptr<Live>;

  explicit State(MigrationParts given)
      : parts(std::move(given)),
        api(*parts.api, parts.fence),
        client(api),
        recorder(parts.events != nullptr ? *parts.events : *parts.api,
                 recorder_settings(parts.settings),
                 parts.services),
        observer_api(*parts.api),
        step_executor(api, parts.settings),
        sweeper(api, parts.settings),
        migration_reporter(&recorder, *parts.services.metrics),
        migrations(*parts.api, informer_settings(parts.settings), parts.services) {}

  static kube::EventRecorderSettings recorder_settings(const MigrationSettings& settings) {
    kube::EventRecorderSettings made;
    made.reporter = {settings.reporter,
                     settings.reporter + "-" + (settings.host.empty() ? "migration" : settings.host)};
    return made;
  }

  static kube::InformerSettings informer_settings(const MigrationSettings& settings) {
    // The definition can be installed after the start: then moves begin within seconds.
    return {.ns = settings.ns, .backoff = {.most = std::chrono::seconds{5}}};
  }

  MigrationParts parts;
  kube::FencedApi api;
  kube::Client client;
  kube::EventRecorder recorder;
  kube::Api& observer_api;
  StepExecutor step_executor;
  Sweeper sweeper;
  MigrationReporter migration_reporter;
  kube::Informer<api::Migration> migrations;
  std::map<std::string, LivePtr> live{};               // by ns/name
  std::map<std::string, MoveRequest> being_written{};  // requested, the object is not visible yet
  WorkloadQueue workload_queue{};
  std::set<std::string> ended_ones{};  // UIDs: the informer may still deliver older versions
  std::vector<PlacementIntent> steered{};
  std::function<void(const MoveOutcome&)> outcome_listener{};
  std::function<void(const api::Migration&, bool gone)> change_listener{};
  std::vector<net::Job> jobs{};
  bool leading = false;
  bool stopped = false;

  bool may_act() const { return leading && !stopped && (!parts.fence || parts.fence->may_act()); }
  WallTime now() const { return parts.services.clock->wall_now(); }

  // --- Informer events ---

  void upsert(const std::shared_ptr<const api::Migration>& migration) {
    if (change_listener) change_listener(*migration, false);
    const std::string key = key_of(*migration);
    const auto found = live.find(key);
    if (found != live.end() && found->second->record.metadata().uid() == migration->metadata().uid()) {
      Live& one = *found->second;
      if (one.record.metadata().resource_version() != migration->metadata().resource_version()) {
        if (!one.driven) one.record = *migration;  // another process is the leader and carries it out
        one.stale = true;
        one.waker.wake();
        if (!one.driven && has_ended(*migration)) forget(key);
      }
      return;
    }
    being_written.erase(key);
    if (has_ended(*migration) || ended_ones.contains(migration->metadata().uid())) return;
    auto one = std::make_shared<Live>(*migration, Wakeable(parts.services.executor, *parts.services.timers));
    if (found != live.end()) forget(key);
    live.emplace(key, one);
    enqueue(migration->status().workload().uid(), *one);
    enqueue(migration->spec().pod_uid(), *one);
    if (leading) drive(one);
  }

  void vanished(const std::shared_ptr<const api::Migration>& migration) {
    if (change_listener) change_listener(*migration, true);
    ended_ones.erase(migration->metadata().uid());
    const auto found = live.find(key_of(*migration));
    if (found == live.end() || found->second->record.metadata().uid() != migration->metadata().uid()) return;
    found->second->gone = true;
    found->second->waker.wake();
  }

  void enqueue(const std::string& uid, const Live& one) {
    workload_queue.enqueue(uid, key_of(one.record), phase_of(one.record) != Phase::Pending);
  }

  void forget(const std::string& key) {
    const auto found = live.find(key);
    if (found == live.end()) return;
    found->second->following.cancel();
    live.erase(found);
    for (const std::string& next : workload_queue.remove(key)) {
      if (const auto waited = live.find(next); waited != live.end()) waited->second->waker.wake();
    }
  }

  // --- One migration ---

  // `one` by value: the job starts at once. It may end, and remove `one` from `live`, before this function returns.
  void drive(LivePtr one) {
    if (one->driven || !may_act()) return;
    one->driven = true;
    net::Job job = net::spawn(parts.services.executor, "migration", carry_out(shared_from_this(), one));
    one->driving = std::move(job);
  }

  static net::Task<void> carry_out(std::shared_ptr<State> self, LivePtr one) {
    Backoff backoff(kRetries, *self->parts.services.rng);
    bool goes_on = true;
    while (goes_on && self->may_act()) goes_on = co_await self->advance(one, backoff);
  }

  // Takes at most one step. False: the move has ended, or the job is cancelled.
  net::Task<bool> advance(LivePtr one, Backoff& backoff) {
    const bool cared_for = co_await refresh(*one);
    if (!cared_for) co_return false;
    if (has_ended(one->record)) {  // regardless of the cluster state
      over(one);
      co_return false;
    }
    if (const auto rest = may_rest(*one); rest.count() > 0) {
      const bool goes_on = co_await one->waker.sleep(kLeastPause, rest);
      co_return goes_on;
    }
    MigrationObserver observer(observer_api);
    auto looked = co_await observer.look(one->record, now());
    if (!looked) {
      const bool goes_on = co_await pause(*one, looked.error(), backoff);
      co_return goes_on;
    }
    ObservedState observed = std::move(*looked);
    complete(*one, observed);
    const Step step = next(one->record, observed, parts.settings);
    if (step.what == StepType::Wait) {
      const auto most = std::min(step.wait, parts.settings.poll_interval);
      const bool goes_on = co_await one->waker.sleep(kLeastPause, most);
      co_return goes_on;
    }
    if (!may_act()) co_return false;
    auto done = co_await perform(*one, observed, step);
    if (done) {
      backoff.reset();
      performed(*one, step);
      co_return true;
    }
    if (done.error().code == Errc::Cancelled) co_return false;
    const auto before = std::exchange(one->refusal, refusal_in(step.what, done.error()));
    migration_reporter.refused(one->record, step.what, before, one->refusal);
    if (is_about_state(done.error())) one->stale = true;
    const bool goes_on = co_await pause(*one, done.error(), backoff);
    co_return goes_on;
  }

  // Reads the record again if it may be outdated. False: the job is cancelled.
  net::Task<bool> refresh(Live& one) {
    if (!one.stale || one.gone) co_return true;
    one.stale = false;
    const auto& meta = one.record.metadata();
    kube::Client reader(observer_api);
    auto read = co_await reader.get<api::Migration>(meta.namespace_(), meta.name());
    if (read && read->metadata().uid() == one.record.metadata().uid()) {
      one.record = std::move(*read);
    } else if (read || read.error().code == Errc::NotFound) {
      one.gone = true;
    } else if (read.error().code == Errc::Cancelled) {
      co_return false;
    } else {
      one.stale = true;  // continue with the known version until a read succeeds
    }
    co_return true;
  }

  // How long a queued move can skip observations: it is woken when it is first in the queue or cancelled. It still
  // observes sometimes, because its pod may be deleted or its deadline may pass.
  std::chrono::nanoseconds may_rest(const Live& one) const {
    if (one.cancelled() || phase_of(one.record) != Phase::Pending || now() >= deadline_of(one.record)) return {};
    if (workload_queue.ahead_of(one.workload, key_of(one.record)).empty()) return {};
    return std::max(one.next_poll - parts.services.clock->steady_now(), std::chrono::nanoseconds{0});
  }

  // Adds what only the controller knows.
  void complete(Live& one, ObservedState& observed) {
    one.next_poll = parts.services.clock->steady_now() + kQueuedPollFactor * parts.settings.poll_interval;
    const std::string key = key_of(one.record);
    observed.cancelled = one.cancelled();
    observed.preflight_passed = std::exchange(one.preflight_passed, false);
    observed.refusal = one.refusal;
    enqueue(one.record.spec().pod_uid(), one);
    observed.moved_by = workload_queue.ahead_of(one.record.spec().pod_uid(), key);
    if (observed.workload) {
      one.workload = observed.workload->uid;
      enqueue(one.workload, one);
      observed.ahead = workload_queue.ahead_of(one.workload, key);
    }
    if (!one.pods && one.record.status().has_selector()) follow(one);
  }

  void follow(Live& one) {
    kube::InformerSettings which;
    which.ns = one.record.metadata().namespace_();
    which.label_selector = one.record.status().selector();
    which.keep = kube::Keep::Names;
    one.pods = std::make_shared<PodInformer>(observer_api, std::move(which), parts.services);
    PodInformer::Handler handler;
    const Wakeable waker = one.waker;
    handler.upserted = [waker](const PodInformer::Ptr&) { waker.wake(); };
    handler.removed = [waker](const PodInformer::Ptr&) { waker.wake(); };
    one.pods->add_handler(std::move(handler));
    one.following = net::spawn(parts.services.executor, "pods of a migration", follow_pods(one.pods));
  }

  net::Task<Result<void>> perform(Live& one, const ObservedState& observed, const Step& step) {
    if (step.what == StepType::Write && one.gone) {
      // The record was deleted. The status is kept in memory only, so that the migration can still clean up.
      *one.record.mutable_status() = step.status;
      co_return Result<void>{};
    }
    Step complete_step = step;
    if (step.what == StepType::Write) note_measured(one.record, parts.settings.measure, complete_step.status);
    auto done = co_await step_executor.perform(one.record, observed, complete_step);
    co_return done;
  }

  void performed(Live& one, const Step& step) {
    if (step.what == StepType::Preflight) one.preflight_passed = true;
    if (step.what != StepType::Write) one.refusal.reset();
    migration_reporter.done(one.record, step);
    if (step.what == StepType::Write) steer();
  }

  net::Task<bool> pause(Live& one, const Error& error, Backoff& backoff) {
    if (error.code == Errc::Cancelled) co_return false;
    // The delay that the server requested is the minimum. Zero (for PodDisruptionBudgets) means "after a change".
    const std::chrono::nanoseconds asked = error.retry_after.value_or(std::chrono::milliseconds{0});
    const std::chrono::nanoseconds most = backoff.next(error.retry_after);
    const std::chrono::nanoseconds least = std::max<std::chrono::nanoseconds>(asked, kLeastPause);
    log_debug("migration {}: {}", key_of(one.record), error.message);
    const bool goes_on = co_await one.waker.sleep(least, most);
    co_return goes_on;
  }

  void over(LivePtr one) {
    forget(key_of(one->record));
    ended_ones.insert(one->record.metadata().uid());
    steer();
    migration_reporter.ended(one->record);
    if (outcome_listener) outcome_listener(to_outcome(one->record));
  }

  // Publishes the intents to the scheduler.
  void steer() {
    std::vector<PlacementIntent> wanted;
    std::map<std::string, int> by_phase;
    for (const auto& [key, one] : live) {
      ++by_phase[std::string(to_string(phase_of(one->record)))];
      if (auto intent = wanted_by(one->record, parts.settings)) wanted.push_back(std::move(*intent));
    }
    migration_reporter.under_way(by_phase);
    if (wanted == steered) return;
    steered = wanted;
    if (parts.settings.steer) parts.settings.steer(std::move(wanted));
  }

  // --- Start ---

  static net::Task<void> write_down(std::shared_ptr<State> self, MoveRequest request, std::string name) {
    Backoff backoff(kRetries, *self->parts.services.rng);
    const std::string key = request.ns + "/" + name;
    for (;;) {
      api::Migration migration = to_migration(request, name);
      auto made = co_await self->client.create(std::move(migration));
      // AlreadyExists: an earlier request succeeded although its answer was lost.
      if (made || made.error().code == Errc::AlreadyExists) co_return;
      if (made.error().code == Errc::Cancelled || !self->may_act()) co_return;
      if (!is_retriable(made.error()) || backoff.failures() > 8) {
        self->not_begun(key, request, made.error().message);
        co_return;
      }
      auto slept = co_await self->parts.services.timers->sleep_for(backoff.next());
      if (!slept || !self->being_written.contains(key)) co_return;  // visible by now: only the answer was lost
    }
  }

  void not_begun(const std::string& key, const MoveRequest& request, const std::string& why) {
    being_written.erase(key);
    log_warning(messages::kNotWrittenDown, {{"pod", request.ns + "/" + request.pod}, {"err", why}});
    if (outcome_listener) outcome_listener(outcome_without_record(request, why, now()));
  }

  static net::Task<void> keep_sweeping(std::shared_ptr<State> self) {
    for (;;) {
      if (!self->may_act()) co_return;
      auto swept = co_await self->sweeper.sweep();
      if (!swept && swept.error().code == Errc::Cancelled) co_return;
      if (!swept) log_warning(messages::kSweepingFailed, {{"err", swept.error().message}});
      constexpr std::chrono::seconds kSoon{2};
      const bool settled = swept && !swept->unfinished;
      const std::chrono::nanoseconds pause = settled ? self->parts.settings.sweep_every : kSoon;
      auto slept = co_await self->parts.services.timers->sleep_for(pause);
      if (!slept) co_return;
    }
  }

  // Records the effect of ended migrations on their nodes when the load samples show it.
  static net::Task<void> keep_measuring(std::shared_ptr<State> self) {
    constexpr std::chrono::milliseconds kShortest{50};
    const auto pause = std::max<std::chrono::nanoseconds>(self->parts.settings.measure_after / 10, kShortest);
    for (;;) {
      auto slept = co_await self->parts.services.timers->sleep_for(pause);
      if (!slept || !self->may_act()) co_return;
      std::vector<api::Migration> due;
      self->migrations.for_each([&](const std::shared_ptr<const api::Migration>& one) {
        auto measured =
            measured_after(*one, self->parts.settings.measure, self->parts.settings.measure_after, self->now());
        if (!measured) return;
        due.push_back(*one);
        due.back().mutable_status()->set_measured(std::move(*measured));
      });
      for (api::Migration& one : due) {
        const Step step = steps::write(one.status());
        auto done = co_await self->step_executor.perform(one, ObservedState(), step);
        if (!done && done.error().code == Errc::Cancelled) co_return;
        if (!done) log_debug("migration {}: {}", key_of(one), done.error().message);  // retried in the next round
      }
    }
  }

  static net::Task<void> watch(std::shared_ptr<State> self) { co_await self->migrations.run(); }
  static net::Task<void> record_events(std::shared_ptr<State> self) { co_await self->recorder.run(); }

  void cancel_all() {
    stopped = true;
    for (net::Job& job : jobs) job.cancel();
    for (const auto& [key, one] : live) {
      one->driving.cancel();
      one->following.cancel();
    }
  }
};

MigrationController::MigrationController(MigrationParts parts) : state_(std::make_shared<State>(std::move(parts))) {
  State* raw = state_.get();
  kube::Informer<api::Migration>::Handler handler;
  handler.upserted = [raw](const auto& migration) { raw->upsert(migration); };
  handler.removed = [raw](const auto& migration) { raw->vanished(migration); };
  state_->migrations.add_handler(std::move(handler));
}

MigrationController::~MigrationController() { state_->cancel_all(); }

void MigrationController::follow() {
  const net::Executor& executor = state_->parts.services.executor;
  state_->jobs.push_back(net::spawn(executor, "migrations informer", State::watch(state_)));
  state_->jobs.push_back(net::spawn(executor, "migration events", State::record_events(state_)));
}

bool MigrationController::synced() const { return state_->migrations.synced(); }
const std::optional<Error>& MigrationController::failure() const { return state_->migrations.reflector().failure(); }
net::Task<Result<void>> MigrationController::wait_synced() { return state_->migrations.wait_synced(); }

void MigrationController::lead() {
  state_->leading = true;
  state_->steer();
  const auto found = state_->live;
  for (const auto& [key, one] : found) state_->drive(one);
  const net::Executor& executor = state_->parts.services.executor;
  state_->jobs.push_back(net::spawn(executor, "migration sweeper", State::keep_sweeping(state_)));
  if (!state_->parts.settings.measure) return;
  state_->jobs.push_back(net::spawn(executor, "effects of migrations", State::keep_measuring(state_)));
}

void MigrationController::steer() { state_->steer(); }

std::optional<PlacementIntent> MigrationController::intent_for(const api::Pod& pod) const {
  const MigrationSettings& settings = state_->parts.settings;
  if (settings.scheduler_names.contains(pod.spec().scheduler_name())) return std::nullopt;
  for (const auto& [key, one] : state_->live) {
    if (auto intent = wanted_by(one->record, settings); intent && is_meant(*intent, pod)) return intent;
  }
  return std::nullopt;
}

// Nothing has to be finished: the next leader continues.
net::Task<bool> MigrationController::stop(std::chrono::nanoseconds /*grace*/) {
  const std::shared_ptr<State> state = state_;
  state->stopped = true;
  [[maybe_unused]] const auto flushed = co_await state->recorder.flush();
  std::vector<net::Job> all = state->jobs;
  for (const auto& [key, one] : state->live) {
    all.push_back(one->driving);
    all.push_back(one->following);
  }
  (void)co_await net::end_all(std::move(all));
  co_return true;
}

void MigrationController::begin(MoveRequest request) {
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(state_->now().time_since_epoch()).count();
  std::string name = migration_name(request.pod, static_cast<std::uint64_t>(millis));
  while (state_->being_written.contains(request.ns + "/" + name) || state_->live.contains(request.ns + "/" + name)) {
    name = migration_name(request.pod, state_->parts.services.rng->next());
  }
  state_->being_written.emplace(request.ns + "/" + name, request);
  net::spawn(state_->parts.services.executor, "begin a migration",
             State::write_down(state_, std::move(request), std::move(name)));
}

std::vector<MoveRequest> MigrationController::under_way() const {
  std::vector<MoveRequest> requests;
  for (const auto& [key, one] : state_->live) requests.push_back(to_move_request(one->record));
  for (const auto& [key, request] : state_->being_written) {
    if (!state_->live.contains(key)) requests.push_back(request);
  }
  return requests;
}

void MigrationController::on_outcome(std::function<void(const MoveOutcome&)> listener) {
  state_->outcome_listener = std::move(listener);
}

void MigrationController::on_change(std::function<void(const api::Migration&, bool)> listener) {
  state_->change_listener = std::move(listener);
}

net::Task<Result<void>> MigrationController::sweep() {
  const std::shared_ptr<State> state = state_;
  auto swept = co_await state->sweeper.sweep();
  if (!swept) co_return fail(std::move(swept.error()));
  co_return Result<void>{};
}

}  // namespace rescheduler::migration
