#include "kube/leader/leader_elector.h"

#include "base/log.h"
#include "kube/leader/messages.h"
#include "kube/proto/coordination.pb.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {

using namespace election;
using std::chrono::nanoseconds;

std::string make_identity(const std::string& host, Rng& rng) { return fmt::format("{}_{:016x}", host, rng.next()); }

Result<std::unique_ptr<LeaderElector>> LeaderElector::create(Api& api,
                                                             LeaderSettings settings,
                                                             LeaderCallbacks callbacks,
                                                             LoopServices services) {
  if (settings.ns.empty() || settings.name.empty()) {
    return fail(Errc::Invalid, "leader election needs a namespace and a name for the Lease, but got '{}/{}'",
                settings.ns, settings.name);
  }
  auto valid = validate(settings.election);
  if (!valid) return fail(std::move(valid.error()));
  return std::unique_ptr<LeaderElector>(
      new LeaderElector(api, std::move(settings), std::move(callbacks), std::move(services)));
}

LeaderElector::LeaderElector(Api& api, LeaderSettings settings, LeaderCallbacks callbacks, LoopServices services)
    : api_(api),
      settings_(std::move(settings)),
      callbacks_(std::move(callbacks)),
      services_(services),
      protocol_(settings_.election, *services.rng),
      fence_(std::make_shared<LeaderFence>(*services.clock)),
      stopped_(services.executor),
      status_(services.metrics->gauge("leader_election_master_status",
                                      "1 while this process holds the lease, else 0, by name of the lease.",
                                      {{"name", settings_.name}})),
      lease_(std::make_unique<api::Lease>()) {
  status_.set(0);
}

LeaderElector::~LeaderElector() = default;

net::Task<void> LeaderElector::run() {
  log_info(messages::kStands, {{"identity", settings_.election.identity}, {"lease", lease_key()}});
  Action action = step(Started{});
  bool cancelled = false;
  for (;;) {
    auto happened = co_await perform(std::move(action));
    cancelled = !happened;
    if (cancelled) break;
    const bool led = leading_;
    action = step(std::move(*happened));
    if (led && !leading_ && settings_.after_loss == AfterLoss::Return) break;
  }
  const bool held = leading_;
  stop_leading();
  if (cancelled && held && settings_.release_when_cancelled) {
    // This job is cancelled and cannot await anything, so another job releases the lease.
    net::spawn(services_.executor, "release of the lease", release());
  } else {
    stopped_.open();
  }
}

void LeaderElector::follow() { running_ = net::spawn(services_.executor, "leader election", run()); }

net::Task<bool> LeaderElector::stop(nanoseconds /*grace*/) {
  if (!running_) co_return true;
  running_->cancel();
  const auto stopped = co_await wait_stopped();
  co_return stopped.has_value();
}

Action LeaderElector::step(Input happened) {
  Action action = protocol_.next(happened, now());
  publish();
  return action;
}

election::Now LeaderElector::now() const { return Now{services_.clock->steady_now(), services_.clock->wall_now()}; }

// Updates the fence and calls the callbacks after each step. The fence opens before on_started_leading and closes
// before on_stopped_leading.
void LeaderElector::publish() {
  if (!protocol_.leading()) stop_leading();
  const std::string& holder = protocol_.observed_holder();
  if (holder != reported_leader_) {
    reported_leader_ = holder;
    if (!holder.empty()) {
      log_info(messages::kHeldBy, {{"lease", lease_key()}, {"holder", holder}});
      if (callbacks_.on_new_leader) callbacks_.on_new_leader(holder);
    }
  }
  if (!protocol_.leading()) return;
  fence_->allow_until(protocol_.valid_until());
  if (leading_) return;
  leading_ = true;
  status_.set(1);
  if (callbacks_.on_started_leading) callbacks_.on_started_leading();
}

void LeaderElector::stop_leading() {
  fence_->close();
  protocol_.resign();
  if (!leading_) return;
  leading_ = false;
  status_.set(0);
  log_info(messages::kLeadsNoMore, {{"identity", settings_.election.identity}});
  if (callbacks_.on_stopped_leading) callbacks_.on_stopped_leading();
}

net::Task<Result<Input>> LeaderElector::perform(Action action) {
  if (const auto* sleep = std::get_if<Sleep>(&action)) {
    auto slept = co_await services_.timers->sleep_for(sleep->duration);
    if (!slept) co_return fail(std::move(slept.error()));
    co_return Input{Woke{}};
  }
  if (const auto* update = std::get_if<Update>(&action)) {
    auto happened = co_await write(Verb::Update, update->record, update->version, update->timeout);
    co_return happened;
  }
  if (const auto* create = std::get_if<Create>(&action)) {
    auto happened = co_await write(Verb::Create, create->record, std::string(), create->timeout);
    co_return happened;
  }
  auto happened = co_await read(std::get<Read>(action).timeout);
  co_return happened;
}

ApiCall LeaderElector::call_for(Verb verb, nanoseconds timeout) const {
  ApiCall call;
  call.verb = verb;
  call.resource = &resource_of<api::Lease>();
  call.ns = settings_.ns;
  if (verb != Verb::Create) call.name = settings_.name;
  call.field_manager = verb == Verb::Get ? "" : "rescheduler";
  call.timeout = timeout;
  call.repeat = Repeat::Never;  // the protocol decides about repeats
  return call;
}

net::Task<Result<Input>> LeaderElector::read(nanoseconds timeout) {
  ApiCall call = call_for(Verb::Get, timeout);
  auto lease = std::make_unique<api::Lease>();
  auto done = co_await api_.call(std::move(call), lease.get());
  if (!done && done.error().code == Errc::NotFound) co_return Input{Missing{}};
  if (!done) co_return input_from(std::move(done.error()));
  failing_ = false;
  lease_ = std::move(lease);
  Found found{record_in(*lease_), lease_->metadata().resource_version()};
  co_return Input(std::move(found));
}

net::Task<Result<Input>> LeaderElector::write(Verb verb, LeaseRecord record, std::string version, nanoseconds timeout) {
  api::Lease wanted;
  if (verb == Verb::Update) wanted = *lease_;  // includes the uid, so that an update cannot recreate a deleted lease
  wanted.mutable_metadata()->set_namespace_(settings_.ns);
  wanted.mutable_metadata()->set_name(settings_.name);
  if (verb == Verb::Update) wanted.mutable_metadata()->set_resource_version(version);
  put_record(record, wanted);
  ApiCall call = call_for(verb, timeout);
  call.body = &wanted;
  auto answer = std::make_unique<api::Lease>();
  auto done = co_await api_.call(std::move(call), answer.get());
  if (!done) co_return input_from(std::move(done.error()));
  failing_ = false;
  lease_ = std::move(answer);
  Written written{lease_->metadata().resource_version()};
  co_return Input(std::move(written));
}

Result<Input> LeaderElector::input_from(Error error) {
  if (error.code == Errc::Cancelled) return fail(std::move(error));
  // Losing a race is normal in an election. Of several other failures in a row, only the first is logged.
  const bool lost_race = error.code == Errc::Conflict || error.code == Errc::AlreadyExists;
  if (!lost_race && !failing_) log_warning(messages::kTryingAgain, {{"err", error.message}});
  failing_ = failing_ || !lost_race;
  return Input{Failed{}};
}

net::Task<void> LeaderElector::release() {
  const nanoseconds timeout = settings_.election.renew_deadline / 2;
  auto happened = co_await read(timeout);
  const Found* found = happened ? std::get_if<Found>(&*happened) : nullptr;
  std::optional<Update> update;
  if (found != nullptr) update = protocol_.release(*found, now());
  if (update) {
    auto released = co_await write(Verb::Update, update->record, update->version, update->timeout);
    if (released && std::holds_alternative<Written>(*released)) {
      log_info(messages::kReleased, {{"lease", lease_key()}});
    }
  }
  stopped_.open();
}

}  // namespace rescheduler::kube
