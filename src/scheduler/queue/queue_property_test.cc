// Compares the queue with a naive queue: a single list of pods that every operation scans completely.
#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/queue/queue.h"
#include "scheduler/queue/queue_fixture.h"

namespace rescheduler::scheduler {
namespace {

using cluster::ActionType;
using cluster::ActionTypes;
using cluster::ClusterEvent;
using cluster::ClusterEventPtr;
using cluster::EventResource;
using placement::QueueingHint;

constexpr int kPods = 6;

std::string uid_of(int pod) { return std::string(1, static_cast<char>('a' + pod)); }
int pod_of(const std::string& uid) { return uid[0] - 'a'; }
int priority_of(int pod) { return pod % 3; }

// The name of the event encodes the pods that the event helps: the answer of a plugin's hint.
bool helps(const ClusterEvent& what, int pod) { return (std::stoi(what.name) >> pod & 1) != 0; }

// The event registrations of the plugins, independent of the fixture.
bool is_registered(std::size_t plugin, const ClusterEvent& what) {
  if (plugin == kEveryEvent || plugin == kExtenderSlot) return true;
  if (plugin == kGates) return what.resource == EventResource::TargetPod && what.actions.has(ActionType::PodGatesGone);
  if (plugin == kClaims) {
    return what.resource == EventResource::PersistentVolumeClaim
           && (what.actions.has(ActionType::Add) || what.actions.has(ActionType::Update));
  }
  if (what.resource == EventResource::AssignedPod) return what.actions.has(ActionType::Delete);
  return what.resource == EventResource::Node
         && (what.actions.has(ActionType::Add) || what.actions.has(ActionType::NodeAllocatable));
}

bool has_hint(std::size_t plugin) { return plugin == kFit || plugin == kClaims; }

enum class Where { Absent, Active, Backoff, ErrorBackoff, Unschedulable, Gated, InFlight };

struct NaivePod {
  Where where = Where::Absent;
  std::int64_t since = 0;  // the queue time, in nanoseconds
  std::int64_t stale = 0;
  int arrival = 0;
  int rejections = 0;
  int errors = 0;
  int version = 0;
  std::set<std::size_t> rejectors{};
  std::set<std::size_t> pending{};
  bool gone = false;
  std::vector<ClusterEventPtr> missed{};
};

class NaiveQueue {
 public:
  std::vector<NaivePod> pods = std::vector<NaivePod>(kPods);
  std::set<int> gates;
  std::int64_t now = 0;
  std::int64_t next_leftovers = 30'000'000'000;
  int arrivals = 0;

  std::int64_t end_second(const NaivePod& pod) const {
    static constexpr int kWaits[] = {0, 1, 2, 4, 8, 10};
    const int failures = pod.errors > 0 ? pod.errors : pod.rejections;
    return (pod.since + kWaits[std::min(failures, 5)] * 1'000'000'000LL) / 1'000'000'000;
  }
  bool backing_off(const NaivePod& pod) const {
    return (pod.errors > 0 || pod.rejections > 0) && end_second(pod) >= now / 1'000'000'000;
  }

  // Whether the event requeues the pod. 0: no, 1: after the backoff, 2: at once.
  int worth(int index, const ClusterEvent& what) const {
    const NaivePod& pod = pods[static_cast<std::size_t>(index)];
    if (!what.uid.empty() && what.uid != uid_of(index)) return 0;
    if (what.resource == EventResource::Anything) return 1;
    int worth = 0;
    std::set<std::size_t> all = pod.rejectors;
    all.insert(pod.pending.begin(), pod.pending.end());
    for (const std::size_t plugin : all) {
      if (!is_registered(plugin, what) || (has_hint(plugin) && !helps(what, index))) continue;
      worth = std::max(worth, pod.pending.contains(plugin) ? 2 : 1);
    }
    return worth;
  }

  void enter(int index, Where where) {
    NaivePod& pod = pods[static_cast<std::size_t>(index)];
    if (gates.contains(index)) {
      pod.rejectors.insert(kGates);
      pod.where = Where::Gated;
    } else {
      pod.where = where;
    }
  }
  void requeue(int index, int worth) {
    NaivePod& pod = pods[static_cast<std::size_t>(index)];
    if (worth == 0) return;
    if (worth == 1 && backing_off(pod)) {
      enter(index, pod.errors > 0 ? Where::ErrorBackoff : Where::Backoff);
    } else {
      enter(index, Where::Active);
    }
  }

  void add(int index) {
    NaivePod& pod = pods[static_cast<std::size_t>(index)];
    pod = {.since = now, .stale = now, .arrival = arrivals++, .version = pod.version};
    enter(index, Where::Active);
  }
  void notify(int index, const ClusterEventPtr& what, bool above_limit) {
    NaivePod& pod = pods[static_cast<std::size_t>(index)];
    if (pod.where == Where::InFlight) pod.missed.push_back(what);
    if (pod.where != Where::Unschedulable && pod.where != Where::Gated) return;
    if (above_limit) return;
    if (pod.where == Where::Gated && what->resource != EventResource::Anything && !is_registered(kGates, *what)) return;
    requeue(index, worth(index, *what));
  }
  std::optional<int> pop() {
    for (const Where where : {Where::Active, Where::Backoff}) {
      std::optional<int> best;
      for (int i = 0; i < kPods; ++i) {
        if (pods[static_cast<std::size_t>(i)].where == where && (!best || rank(where, i) < rank(where, *best))) {
          best = i;
        }
      }
      if (!best) continue;
      NaivePod& pod = pods[static_cast<std::size_t>(*best)];
      pod.where = Where::InFlight;
      pod.missed.clear();
      pod.rejectors.clear();
      pod.pending.clear();
      pod.gone = false;
      return best;
    }
    return std::nullopt;
  }
  void fail(int index, const std::set<std::size_t>& rejectors, const std::set<std::size_t>& pending) {
    NaivePod& pod = pods[static_cast<std::size_t>(index)];
    if (pod.gone) {
      pod.where = Where::Absent;
      return;
    }
    pod.rejectors = rejectors;
    pod.pending = pending;
    const bool error = rejectors.empty() && pending.empty();
    pod.errors = error ? pod.errors + 1 : 0;
    pod.rejections += error ? 0 : 1;
    pod.since = now;
    pod.stale = now;
    pod.arrival = arrivals++;
    int best = error ? 1 : 0;
    for (const ClusterEventPtr& what : pod.missed) best = std::max(best, worth(index, *what));
    pod.where = Where::Unschedulable;
    requeue(index, best);
  }
  void tick() {
    for (NaivePod& pod : pods) {
      const bool away = pod.where == Where::Backoff || pod.where == Where::ErrorBackoff;
      if (away && !backing_off(pod)) pod.where = Where::Active;
    }
    if (now < next_leftovers) return;
    while (next_leftovers <= now) next_leftovers += 30'000'000'000;
    for (int i = 0; i < kPods; ++i) {
      NaivePod& pod = pods[static_cast<std::size_t>(i)];
      if (pod.where != Where::Unschedulable && pod.where != Where::Gated) continue;
      if (now - pod.stale <= 300'000'000'000) continue;
      pod.stale = now;
      requeue(i, 1);
    }
  }

 private:
  std::tuple<std::int64_t, int, std::int64_t, int> rank(Where where, int index) const {
    const NaivePod& pod = pods[static_cast<std::size_t>(index)];
    return {where == Where::Backoff ? end_second(pod) : 0, -priority_of(index), pod.since, pod.arrival};
  }
};

struct Step {
  int kind = 0;
  int pod = 0;
  int detail = 0;
};

void showValue(const Step& step, std::ostream& out) {  // NOLINT(readability-identifier-naming): rapidcheck's name
  out << step.kind << "/" << uid_of(step.pod) << "/" << step.detail;
}

// scale() makes the sequences longer. With resize(), short sequences have steps of every kind too.
rc::Gen<std::vector<Step>> steps() {
  const auto step = rc::gen::resize(
      rc::kNominalSize,
      rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 16), rc::gen::inRange(0, kPods), rc::gen::inRange(0, 4096)),
                   [](const std::tuple<int, int, int>& drawn) {
                     return Step{std::get<0>(drawn), std::get<1>(drawn), std::get<2>(drawn)};
                   }));
  return rc::gen::scale(4, rc::gen::container<std::vector<Step>>(step));
}

// Runs both queues through the same steps.
class QueuePair : public QueueFixture {
 public:
  QueuePair() {
    answer = [](const WaitingPod& pod, const ClusterEvent& what) {
      return helps(what, pod_of(pod.uid())) ? QueueingHint::Queue : QueueingHint::Skip;
    };
  }
  void TestBody() override {}

  void run(const std::vector<Step>& all) {
    for (const Step& step : all) {
      take(step);
      compare();
    }
  }
  const std::vector<std::string>& trace() const { return trace_; }

 private:
  WallTime time() const { return at(0) + std::chrono::nanoseconds{naive_.now}; }
  NaivePod& naive(int pod) { return naive_.pods[static_cast<std::size_t>(pod)]; }

  static ClusterEventPtr random_event(int detail, const std::string& uid) {
    ClusterEvent what;
    what.name = std::to_string(detail % 64);
    what.label = "RandomEvent";
    what.uid = uid;
    switch (detail / 64 % 8) {
      case 0: what.resource = EventResource::Anything; break;
      case 1: what.resource = EventResource::AssignedPod, what.actions = ActionType::Delete; break;
      case 2: what.resource = EventResource::AssignedPod, what.actions = ActionType::Add; break;
      case 3:
        what.resource = EventResource::Node, what.actions = {ActionType::NodeTaint, ActionType::NodeAllocatable};
        break;
      case 4: what.resource = EventResource::Node, what.actions = ActionType::NodeTaint; break;
      case 5: what.resource = EventResource::PersistentVolumeClaim, what.actions = ActionType::Update; break;
      case 6: what.resource = EventResource::PersistentVolumeClaim, what.actions = ActionType::Delete; break;
      default: what.resource = EventResource::CsiNode, what.actions = ActionType::Add; break;
    }
    return std::make_shared<const ClusterEvent>(std::move(what));
  }
  static ClusterEventPtr random_update(int detail, int pod) {
    ClusterEvent what;
    what.resource = EventResource::TargetPod;
    what.actions = detail % 2 == 0 ? ActionTypes{ActionType::PodGatesGone} : ActionTypes{ActionType::PodLabel};
    what.name = "0";
    what.label = "TargetPodUpdate";
    what.uid = uid_of(pod);
    return std::make_shared<const ClusterEvent>(std::move(what));
  }
  static std::set<std::size_t> random_plugins(int bits) {
    std::set<std::size_t> plugins;
    if ((bits & 1) != 0) plugins.insert(kFit);
    if ((bits & 2) != 0) plugins.insert(kClaims);
    if ((bits & 12) == 4) plugins.insert(kEveryEvent);
    if ((bits & 12) == 8) plugins.insert(kExtenderSlot);
    return plugins;
  }
  static PluginIndexSet as_set(const std::set<std::size_t>& plugins) {
    PluginIndexSet set;
    for (const std::size_t plugin : plugins) set.add(plugin);
    return set;
  }

  void take(const Step& step) {
    switch (step.kind) {
      case 0:
      case 1: add(step.pod); break;
      case 2:
      case 3:
      case 4: pop(); break;
      case 5:
      case 6:
      case 7: fail(step); break;
      case 8: done(step.pod); break;
      case 9:
      case 10: send_event(step); break;
      case 11: update(step); break;
      case 12: remove(step.pod); break;
      case 13: activate(step.pod); break;
      case 14: toggle_gate(step.pod); break;
      default: wait(step.detail); break;
    }
  }

  void add(int pod) {
    if (naive(pod).where != Where::Absent || assumed_.contains(pod)) return;
    queue.add(object_of(uid_of(pod), priority_of(pod), std::to_string(++naive(pod).version)), time());
    naive_.add(pod);
  }
  void pop() {
    std::vector<Where> before;
    before.reserve(kPods);
    for (const NaivePod& pod : naive_.pods) before.push_back(pod.where);
    const std::optional<WaitingPod> popped = queue.pop(time());
    const std::optional<int> expected = naive_.pop();
    RC_ASSERT(popped.has_value() == expected.has_value());
    if (!popped) return;
    RC_ASSERT(popped->uid() == uid_of(*expected));
    RC_ASSERT(before[static_cast<std::size_t>(*expected)] != Where::ErrorBackoff);
    flying_[*expected] = *popped;
    trace_.push_back("pop " + popped->uid());
  }
  void fail(const Step& step) {
    const auto flying = flying_.find(step.pod);
    if (flying == flying_.end()) return;
    const auto rejectors = random_plugins(step.detail);
    const auto pending = random_plugins(step.detail >> 4 & 3 & ~step.detail);
    NaivePod& known = naive(step.pod);
    if (assumed_.erase(step.pod) != 0) {
      // The binding failed. The events since done() are unknown; the caller provides the object.
      flying->second.object = object_of(uid_of(step.pod), priority_of(step.pod), std::to_string(known.version));
      known.where = Where::InFlight;
      known.missed = {random_event(0, "")};
    }
    const auto where = queue.failed(flying->second, as_set(rejectors), as_set(pending), time());
    flying_.erase(flying);
    naive_.fail(step.pod, rejectors, pending);
    if (!where) return;
    if (*where != Place::Unschedulable) return;
    for (const ClusterEventPtr& what : known.missed) RC_ASSERT(naive_.worth(step.pod, *what) == 0);
  }
  void done(int pod) {
    if (naive(pod).where != Where::InFlight) return;
    queue.done(uid_of(pod));
    if (naive(pod).gone) {
      flying_.erase(pod);
    } else {
      assumed_.insert(pod);
    }
    naive(pod).where = Where::Absent;
  }
  void send_event(const Step& step) {
    const bool targeted = step.detail / 512 == 7;
    const bool bound = !targeted && step.detail / 512 == 6;
    const ClusterEventPtr what = random_event(step.detail, targeted ? uid_of(step.pod) : "");
    const int at_most = priority_of(step.pod);
    if (!queue.awaits_events(what->resource, what->actions)) {
      for (int i = 0; i < kPods; ++i) RC_ASSERT(naive(i).where != Where::InFlight);
    }
    queue.on_event(what, time(), bound ? std::optional<std::int32_t>{at_most} : std::nullopt);
    for (int i = 0; i < kPods; ++i) {
      if (targeted && i != step.pod) continue;
      naive_.notify(i, what, bound && priority_of(i) > at_most);
    }
  }
  void update(const Step& step) {
    NaivePod& known = naive(step.pod);
    if (assumed_.contains(step.pod)) return;
    const bool unchanged = step.detail % 5 == 0 && known.where != Where::Absent;
    if (!unchanged) ++known.version;
    const ClusterEventPtr what = random_update(step.detail, step.pod);
    queue.update(object_of(uid_of(step.pod), priority_of(step.pod), std::to_string(known.version)), what, time());
    known.gone = false;
    if (known.where == Where::Absent) {
      naive_.add(step.pod);
    } else if (!unchanged) {
      naive_.notify(step.pod, what, false);
    }
  }
  void remove(int pod) {
    if (assumed_.contains(pod)) return;
    queue.remove(uid_of(pod), time());
    if (naive(pod).where == Where::InFlight) {
      naive(pod).gone = true;
    } else {
      naive(pod).where = Where::Absent;
    }
  }
  void activate(int pod) {
    queue.activate(std::vector<std::string>{uid_of(pod)}, time());
    switch (naive(pod).where) {
      case Where::Backoff:
      case Where::ErrorBackoff: naive(pod).where = Where::Active; break;
      case Where::Unschedulable:
      case Where::Gated: naive_.enter(pod, Where::Active); break;
      case Where::InFlight: naive(pod).missed.push_back(random_event(0, uid_of(pod))); break;
      case Where::Absent:
      case Where::Active: break;
    }
  }
  void toggle_gate(int pod) {
    if (naive_.gates.erase(pod) != 0) {
      gated.erase(uid_of(pod));
    } else {
      naive_.gates.insert(pod);
      gated.insert(uid_of(pod));
    }
  }
  void wait(int detail) {
    // Mostly fractions of a second; sometimes long enough for unschedulable_timeout.
    naive_.now += detail % 8 == 0 ? detail * 100'000'000LL : detail * 500'000LL;
    const auto deadline = queue.next_deadline();
    const auto before = places();
    queue.tick(time());
    naive_.tick();
    if (places() != before) RC_ASSERT(deadline && *deadline <= time());
  }

  std::vector<std::optional<Place>> places() const {
    std::vector<std::optional<Place>> all;
    all.reserve(kPods);
    for (int i = 0; i < kPods; ++i) all.push_back(place(uid_of(i)));
    return all;
  }

  void compare() {
    std::size_t waiting = 0;
    std::size_t in_flight = 0;
    for (int i = 0; i < kPods; ++i) {
      const auto found = queue.find(uid_of(i));
      std::optional<Place> expected;
      switch (naive(i).where) {
        case Where::Active: expected = Place::Active; break;
        case Where::Backoff:
        case Where::ErrorBackoff: expected = Place::Backoff; break;
        case Where::Unschedulable: expected = Place::Unschedulable; break;
        case Where::Gated: expected = Place::Gated; break;
        case Where::InFlight: ++in_flight; break;
        case Where::Absent: break;
      }
      RC_ASSERT((found ? std::optional{found->place} : std::nullopt) == expected);
      if (!found) continue;
      ++waiting;
      RC_ASSERT(found->pod->object.pod->metadata().resource_version() == std::to_string(naive(i).version));
      trace_.push_back(uid_of(i) + " " + std::string{to_string(found->place)});
    }
    RC_ASSERT(queue.size() == waiting);
    RC_ASSERT(queue.list().size() == waiting);
    RC_ASSERT(queue.in_flight().size() == in_flight);
    RC_ASSERT(in_flight > 0 || queue.in_flight().kept() == 0U);
    RC_ASSERT(queue.size(Place::Active) + queue.size(Place::Backoff) + queue.size(Place::Unschedulable)
                  + queue.size(Place::Gated)
              == waiting);
  }

  NaiveQueue naive_;
  std::map<int, WaitingPod> flying_;  // popped, not yet failed or bound
  std::set<int> assumed_;             // after done(), binding in progress
  std::vector<std::string> trace_;
};

RC_GTEST_PROP(QueueProperty, TheQueueAndTheNaiveQueueGiveTheSameResults, ()) {
  const auto all = *steps();
  QueuePair pair;
  pair.run(all);
  RC_TAG(all.size() / 25 * 25);
}

RC_GTEST_PROP(QueueProperty, TheSameStepsGiveTheSameTrace, ()) {
  const auto all = *steps();
  QueuePair first;
  QueuePair second;
  first.run(all);
  second.run(all);
  RC_ASSERT(first.trace() == second.trace());
}

}  // namespace
}  // namespace rescheduler::scheduler
