#include "migration/evicting_mover.h"

#include <algorithm>
#include <list>
#include <set>
#include <unordered_map>

#include "kube/client/client.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"

namespace rescheduler::migration {
namespace {

constexpr std::chrono::seconds kBetweenTries{5};  // at a budget that is used up; it changes when a pod becomes ready
constexpr std::chrono::milliseconds kBetweenEnds{10};    // of jobs, while stopping
constexpr std::chrono::milliseconds kBetweenLooks{500};  // for the replacement

bool is_ready(const api::Pod& pod) {
  return std::ranges::any_of(pod.status().conditions(), [](const api::PodCondition& condition) {
    return condition.type() == "Ready" && condition.status() == "True";
  });
}

// Of the same owner as far as a pod alone can tell: a Deployment's pods belong to ReplicaSets named after it.
bool is_of(const Lineage& lineage, const api::Pod& pod) {
  for (const api::OwnerReference& owner : pod.metadata().owner_references()) {
    if (!owner.controller()) continue;
    if (owner.uid() == lineage.uid) return true;
    return lineage.kind == "Deployment" && owner.kind() == "ReplicaSet" && owner.name().starts_with(lineage.name + "-");
  }
  return false;
}

// What an answer to an eviction means.
enum class Answer { Done, Wait, Gone, Never };

Answer meaning_of(const Error& error) {
  switch (error.code) {
    case Errc::NotFound:
    case Errc::Conflict: return Answer::Gone;
    case Errc::Throttled:
    case Errc::Unavailable:
    case Errc::Timeout: return Answer::Wait;
    default: return Answer::Never;  // two budgets cover it (500), or we may not (403)
  }
}

struct Going {
  MoveOrder order{};
  WallTime began{};
  bool sent = false;         // the eviction may have happened
  std::uint64_t before = 0;  // pods that came up until then are not the replacement
  std::string replacement{};
  std::string landed{};
  bool ready = false;
};

}  // namespace

struct EvictingMover::State : std::enable_shared_from_this<State> {
  State(kube::Api& the_api, kube::LoopServices the_services) : api(the_api), services(the_services) {}

  kube::Api& api;
  kube::LoopServices services;
  std::function<void(const MoveOutcome&)> tell{};
  std::list<Going> going{};
  std::unordered_map<std::string, std::uint64_t> pods{};  // uids of all that are there: in which order they came up
  std::uint64_t latest = 0;
  std::set<std::string> taken{};  // uids of pods that are the replacement of some move
  bool ended = false;
  std::vector<net::Job> jobs{};

  void seen(const api::Pod& pod) {
    const std::string& uid = pod.metadata().uid();
    const auto [known, first_time] = pods.try_emplace(uid, latest + 1);
    if (first_time) ++latest;
    for (Going& move : going) {
      if (!move.sent || pod.metadata().namespace_() != move.order.ns || uid == move.order.uid) continue;
      if (pod.metadata().has_deletion_timestamp() || pod.spec().node_name().empty()) continue;
      const bool claimed = move.replacement == pod.metadata().name();
      const bool may_be_it = move.replacement.empty() && known->second > move.before && is_of(move.order.lineage, pod);
      if (!claimed && !may_be_it) continue;
      if (!claimed && !taken.insert(uid).second) continue;  // somebody else's replacement
      move.replacement = pod.metadata().name();
      move.landed = pod.spec().node_name();
      move.ready = is_ready(pod);
      return;
    }
  }

  void end(std::list<Going>::iterator move, MoveResult result, std::string message) {
    MoveOutcome outcome;
    outcome.order = std::move(move->order);
    outcome.result = result;
    outcome.replacement = std::move(move->replacement);
    outcome.landed = std::move(move->landed);
    outcome.message = std::move(message);
    outcome.began = move->began;
    outcome.ended = services.clock->wall_now();
    going.erase(move);
    if (going.empty()) taken.clear();
    if (tell && !ended) tell(outcome);
  }

  net::Task<Result<void>> evict(const MoveOrder& order, bool only_ask) {
    api::Eviction eviction;
    eviction.mutable_metadata()->set_namespace_(order.ns);
    eviction.mutable_metadata()->set_name(order.pod);
    eviction.mutable_delete_options()->mutable_preconditions()->set_uid(order.uid);
    if (only_ask) eviction.mutable_delete_options()->add_dry_run("All");
    kube::WriteOptions options;
    options.dry_run = only_ask;
    options.repeat = kube::Repeat::Never;
    auto done =
        co_await kube::Client(api).create_sub<api::Pod>(order.ns, order.pod, "eviction", std::move(eviction), options);
    co_return done;
  }

  // Until it is evicted, or it turns out that it is not going to be. An empty answer: evicted.
  net::Task<std::optional<std::pair<MoveResult, std::string>>> evict_in_time(std::list<Going>::iterator move,
                                                                             SteadyTime until) {
    using Said = std::optional<std::pair<MoveResult, std::string>>;
    const MoveOrder order = move->order;
    for (;;) {
      auto pod = co_await kube::Client(api).get<api::Pod>(order.ns, order.pod);
      const bool gone = pod ? pod->metadata().uid() != order.uid || pod->metadata().has_deletion_timestamp()
                            : pod.error().code == Errc::NotFound;
      if (gone && move->sent) co_return Said();
      if (gone) co_return Said(std::in_place, MoveResult::Stale, "the pod is not there any more");
      if (pod && pod->spec().node_name() != order.source) {
        co_return Said(std::in_place, MoveResult::Stale, "the pod is not on " + order.source);
      }
      Error said;
      if (!pod) said = pod.error();
      Answer answer = pod ? Answer::Done : meaning_of(pod.error());
      for (const bool only_ask : {true, false}) {
        if (answer != Answer::Done) break;
        if (!only_ask) {
          move->sent = true;
          move->before = latest;
        }
        auto done = co_await evict(order, only_ask);
        if (done) continue;
        if (!only_ask && done.error().code != Errc::Timeout) move->sent = false;
        said = std::move(done.error());
        answer = meaning_of(said);
      }
      if (answer == Answer::Done) co_return Said();
      if (answer == Answer::Gone) co_return Said(std::in_place, MoveResult::Stale, said.message);
      if (answer == Answer::Never) co_return Said(std::in_place, MoveResult::Refused, said.message);
      if (services.clock->steady_now() + kBetweenTries >= until) {
        co_return Said(std::in_place, MoveResult::Refused, said.message);
      }
      const auto slept = co_await services.timers->sleep_for(kBetweenTries);
      if (!slept) co_return Said(std::in_place, MoveResult::Failed, "this process ends");
    }
  }

  static net::Task<void> carry_out(std::shared_ptr<State> self, std::list<Going>::iterator move) {
    const SteadyTime until = self->services.clock->steady_now() + move->order.deadline;
    auto refused = co_await self->evict_in_time(move, until);
    if (refused) {
      self->end(move, refused->first, refused->second);
      co_return;
    }
    while (!move->ready && self->services.clock->steady_now() < until) {
      const auto slept = co_await self->services.timers->sleep_for(kBetweenLooks);
      if (!slept) co_return;
    }
    if (!move->ready) {
      self->end(move, MoveResult::Failed,
                move->replacement.empty() ? "no replacement came up in time"
                                          : "the replacement " + move->replacement + " was not ready in time");
    } else if (move->landed == move->order.target) {
      self->end(move, MoveResult::Succeeded, "");
    } else {
      self->end(move, MoveResult::Elsewhere, "the scheduler chose " + move->landed);
    }
  }
};

EvictingMover::EvictingMover(kube::Api& api, kube::LoopServices services)
    : state_(std::make_shared<State>(api, services)) {}

EvictingMover::~EvictingMover() {
  state_->ended = true;
  for (net::Job& job : state_->jobs) job.cancel();
}

net::Task<void> EvictingMover::stop() {
  const std::shared_ptr<State> state = state_;
  state->ended = true;
  for (net::Job& job : state->jobs) job.cancel();
  while (!std::ranges::all_of(state->jobs, [](const net::Job& job) { return job.done(); })) {
    const auto slept = co_await state->services.timers->sleep_for(kBetweenEnds);
    if (!slept) co_return;
  }
}

void EvictingMover::begin(MoveOrder order) {
  Going move;
  move.order = std::move(order);
  move.began = state_->services.clock->wall_now();
  state_->going.push_back(std::move(move));
  std::erase_if(state_->jobs, [](const net::Job& job) { return job.done(); });
  state_->jobs.push_back(
      net::spawn(state_->services.executor, "evict", State::carry_out(state_, std::prev(state_->going.end()))));
}

std::vector<MoveOrder> EvictingMover::under_way() const {
  std::vector<MoveOrder> orders;
  for (const Going& move : state_->going) orders.push_back(move.order);
  return orders;
}

void EvictingMover::on_outcome(std::function<void(const MoveOutcome&)> tell) { state_->tell = std::move(tell); }

void EvictingMover::seen(const kube::ObjectPtr& object) {
  if (object->GetDescriptor() == api::Pod::descriptor()) state_->seen(static_cast<const api::Pod&>(*object));
}

void EvictingMover::gone(const kube::ObjectPtr& object) {
  if (object->GetDescriptor() == api::Pod::descriptor()) {
    state_->pods.erase(static_cast<const api::Pod&>(*object).metadata().uid());
  }
}

}  // namespace rescheduler::migration
