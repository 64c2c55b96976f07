// Compares LoadTracker after a random history with a model that computes the result from the whole history.
#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cluster/testing.h"
#include "usage/load_tracker.h"

namespace rescheduler::usage {
namespace {

using cluster::kCpuLoad;
using cluster::Loads;
using cluster::testing::node;
using std::chrono::seconds;

constexpr WallTime kStart{seconds{1'800'000'000}};
const std::vector<std::string> kNodes{"a", "b", "c"};

int pick(int least, int most) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most)); }

struct ModelReservation {
  std::size_t node = 0;
  Loads load{};
  WallTime at{};
};

// The whole history, without the shortcuts of LoadTracker.
struct History {
  std::map<std::string, ModelReservation> reservations{};
  std::map<std::pair<std::size_t, std::size_t>, std::pair<WallTime, double>> newest{};  // by node and resource

  double reserved(std::size_t where, std::size_t resource, const LoadTrackerSettings& settings, WallTime now) const {
    const auto sample = newest.find({where, resource});
    const bool fresh = sample != newest.end() && sample->second.first >= now - settings.rules.freshness;
    double sum = 0.0;
    for (const auto& [key, one] : reservations) {
      if (one.node != where) continue;
      const auto averaged = settings.resources[resource].averaged;
      // A reservation is over when every fresh sample contains it, even if there is no sample.
      const double late = unseen(now - settings.rules.freshness - one.at, averaged, settings.smoothing);
      const double left = fresh ? unseen(sample->second.first - one.at, averaged, settings.smoothing) : 1.0;
      if (!fresh && late == 0.0) continue;
      sum += one.load[resource] * left;
    }
    return sum;
  }
};

RC_GTEST_PROP(LoadTracker, AfterAnyHistoryTheLoadsEqualThoseOfTheModel, ()) {
  cluster::Cluster cluster;
  for (const std::string& name : kNodes) cluster.upsert_node(node(name));
  LoadTrackerSettings settings;
  settings.smoothing.kind = pick(0, 2) == 0 ? Smoothing::None : Smoothing::Ewma;
  for (ResourceSettings& one : settings.resources) one.averaged = seconds{60};  // all reservations end at the same age
  LoadTracker tracker(settings, cluster);
  History history;
  WallTime now = kStart;

  const int steps = pick(1, 60);
  for (int step = 0; step < steps; ++step) {
    now += seconds{pick(0, 40)};
    const auto where = static_cast<std::size_t>(pick(0, 3));
    const std::string key = "p" + std::to_string(pick(0, 8));
    switch (pick(0, 4)) {
      case 0: {
        Loads load{};
        load[0] = pick(0, 100) / 100.0;
        load[1] = pick(0, 100) / 100.0;
        const auto known = history.reservations.find(key);
        const bool live = known != history.reservations.end();
        if (live && known->second.node == where) break;  // a repeated call changes nothing
        history.reservations[key] = {where, load, now};
        tracker.reserve(key, *cluster.find_node(kNodes[where]), load, now);
        break;
      }
      case 1:
        history.reservations.erase(key);
        tracker.release(key);
        break;
      case 2: {
        const auto resource = static_cast<std::size_t>(pick(0, 2));
        const WallTime at = now - seconds{pick(0, 30)};
        const double value = pick(-10, 150) / 100.0;
        if (value >= -settings.rules.rounding) {
          auto& newest = history.newest[{where, resource}];
          if (at > newest.first) newest = {at, std::max(value, 0.0)};
        }
        tracker.take({{{.node = kNodes[where], .resource = resource, .value = value, .at = at}}, {}}, "s", now);
        break;
      }
      default: break;
    }
    if (pick(0, 4) != 0) continue;
    now += seconds{pick(0, 200)};
  }
  tracker.look(now);

  for (std::size_t where = 0; where < kNodes.size(); ++where) {
    const cluster::NodeLoad& load = cluster.node(*cluster.find_node(kNodes[where])).load;
    for (std::size_t r = 0; r < 2; ++r) {
      const auto sample = history.newest.find({where, r});
      const bool fresh = sample != history.newest.end() && sample->second.first >= now - settings.rules.freshness;
      RC_ASSERT(load.knows(r) == fresh);
      if (fresh && settings.smoothing.kind == Smoothing::None) RC_ASSERT(load.used[r] == sample->second.second);
      RC_ASSERT(load.reserved[r] >= 0.0);
      const double expected = history.reserved(where, r, settings, now);
      // A reservation without samples may stay whole from the time when every fresh sample contains it until it is
      // dropped.
      if (fresh) {
        RC_ASSERT(std::abs(load.reserved[r] - expected) < 1e-9);
      } else {
        RC_ASSERT(load.reserved[r] >= expected - 1e-9);
      }
    }
  }
}

RC_GTEST_PROP(LoadTracker, ReleasingTheNewReservationsRestoresTheLoads, ()) {
  cluster::Cluster cluster;
  for (const std::string& name : kNodes) cluster.upsert_node(node(name));
  LoadTracker tracker(LoadTrackerSettings{}, cluster);
  const auto load_of = [&](std::size_t where) { return cluster.node(*cluster.find_node(kNodes[where])).load; };
  const bool round_robin_count = pick(0, 2) == 0;
  if (round_robin_count) tracker.fall_back(cluster::LoadBasis::RoundRobin, "turns", kStart);
  std::vector<std::string> keys;
  const auto place = [&](const std::string& prefix, int count) {
    for (int i = 0; i < count; ++i) {
      Loads load{};
      load[kCpuLoad] = pick(0, 1000) / 997.0;
      keys.push_back(prefix + std::to_string(i));
      tracker.reserve(keys.back(), *cluster.find_node(kNodes[static_cast<std::size_t>(pick(0, 3))]), load, kStart);
    }
  };
  place("stays", pick(0, 10));
  std::vector<cluster::NodeLoad> before;
  for (std::size_t where = 0; where < kNodes.size(); ++where) before.push_back(load_of(where));

  keys.clear();
  place("goes", pick(1, 20));
  while (!keys.empty()) {
    const auto one = keys.begin() + pick(0, static_cast<int>(keys.size()));
    tracker.release(*one);
    keys.erase(one);
  }
  for (std::size_t where = 0; where < kNodes.size(); ++where) {
    RC_ASSERT(load_of(where).reserved == before[where].reserved);
    RC_ASSERT(load_of(where).round_robin_count == before[where].round_robin_count);
  }
}

}  // namespace
}  // namespace rescheduler::usage
