// Counters are integrals; they do not depend on how often they are read.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/load/load_fixture.h"
#include "sim/load/node_text.h"

namespace rescheduler::sim {
namespace {

using std::chrono::milliseconds;

const std::vector<std::string> kProfiles{"700m",
                                         "noisy mean=900m deviation=300m every=15s",
                                         "noisy mean=1 deviation=1 every=1s",
                                         "daily low=100m high=2 peak=00:30",
                                         "ramp from=0 to=3 over=45s after=3s",
                                         "step from=100m to=2500m after=20s for=31s"};

struct Event {
  std::int64_t wait_ms;
  int pod;  // started or stopped; its number selects the profile
};

std::vector<Event> some_events() {
  std::vector<Event> events;
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i)
    events.push_back({*rc::gen::inRange<std::int64_t>(0, 40'000), *rc::gen::inRange(0, 6)});
  return events;
}

// Runs the events. Calls `read_values` after each event and at least every `every` milliseconds; with 0 never.
std::string run(const std::vector<Event>& events,
                std::int64_t every,
                const std::function<void(LoadRig&)>& read_values) {
  LoadRig rig;
  rig.load.node_on("n1", 4 * kCore, 16 * kGi);
  std::vector<LoadModel::PodId> ids(6, LoadModel::kNoPod);
  const auto pass = [&](std::int64_t ms) {
    while (ms > 0) {
      const std::int64_t piece = every > 0 ? std::min(every, ms) : ms;
      rig.agenda.run_for(milliseconds{piece});
      ms -= piece;
      if (every > 0) read_values(rig);
    }
  };
  for (const Event& event : events) {
    pass(event.wait_ms);
    auto& id = ids[static_cast<std::size_t>(event.pod)];
    if (id == LoadModel::kNoPod) {
      const auto number = static_cast<std::size_t>(event.pod);
      id = rig.run(LoadRig::pod("p" + std::to_string(number), kProfiles[number]));
    } else {
      rig.load.stop(id);
      id = LoadModel::kNoPod;
    }
    if (every > 0) read_values(rig);
  }
  pass(30'000);
  std::string seen = node_metrics_text(*rig.load.node_counters("n1"));
  seen += fmt::format("node {}\n", rig.load.node_sample("n1")->cpu);
  for (const auto key : rig.load.pod_keys("web")) {
    const auto sample = rig.load.pod_sample("web", key.substr(4));
    if (sample) seen += fmt::format("{} {} {}\n", key, sample->total.window, sample->total.cpu);
  }
  return seen;
}

RC_GTEST_PROP(LoadProperty, CountersDoNotDependOnHowOftenTheyAreRead, ()) {
  const auto events = some_events();
  const auto every = *rc::gen::inRange<std::int64_t>(50, 20'000);
  const std::string unread = run(events, 0, [](LoadRig&) {});
  const std::string read = run(events, every, [](LoadRig& rig) {
    (void)rig.load.node_usage("n1");
    (void)rig.load.node_counters("n1");
  });
  RC_ASSERT(unread == read);
}

RC_GTEST_PROP(LoadProperty, CountersNeverDecreaseAndAreTheIntegralOfTheUsage, ()) {
  auto events = some_events();
  for (Event& event : events) event.wait_ms -= event.wait_ms % 100;
  std::int64_t integral = 0, usage = 0;
  NodeCounters before;
  bool grows = true, adds_up = true, integrates = true;
  // Every event is at a multiple of 100 ms, and each multiple is sampled, so the sum is exact.
  (void)run(events, 100, [&](LoadRig& rig) {
    const auto counters = *rig.load.node_counters("n1");
    grows = grows && counters.idle >= before.idle && counters.user >= before.user && counters.system >= before.system
            && counters.iowait >= before.iowait && counters.waiting >= before.waiting;
    if (before.now != 0) integral += usage * (counters.now - before.now);
    integrates = integrates && counters.user + counters.system == integral;
    std::int64_t pods = 0;
    for (const auto key : rig.load.pod_keys("web")) pods += rig.load.pod_usage("web", key.substr(4))->cpu;
    usage = rig.load.node_usage("n1")->cpu;
    adds_up = adds_up && pods == usage && usage <= 4 * kCore;
    before = counters;
  });
  RC_ASSERT(grows);
  RC_ASSERT(adds_up);
  RC_ASSERT(integrates);
}

}  // namespace
}  // namespace rescheduler::sim
