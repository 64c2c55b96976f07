// Counts the heap allocations of a decision. A separate test program, because it replaces operator new.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "base/metrics.h"
#include "cluster/testing.h"
#include "config/read.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "scheduler/scheduler.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

// The array and nothrow forms of the standard library call this operator too.
void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;  // NOLINT(cppcoreguidelines-no-malloc)
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }               // NOLINT(cppcoreguidelines-no-malloc)
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }  // NOLINT(cppcoreguidelines-no-malloc)

namespace rescheduler::scheduler {
namespace {

using cluster::testing::node;
using cluster::testing::pod;

WallTime at(int seconds) { return WallTime{std::chrono::seconds{1'700'000'000 + seconds}}; }

// Allocations per decision for replicas of one Deployment, once the first few have been placed.
double per_decision(int nodes) {
  MetricRegistry metrics;
  SchedulerSettings settings;
  settings.profiles = config::default_configuration(config::default_catalog()).placing();
  auto made = Scheduler::make(settings, metrics, at(0));
  EXPECT_TRUE(made);
  Scheduler& scheduler = **made;
  for (int i = 0; i < nodes; ++i) {
    scheduler.upsert(std::make_shared<const api::Node>(node("n" + std::to_string(i)).cpu("64").get()), at(0));
  }
  constexpr int kFirst = 20;
  constexpr int kCounted = 200;
  for (int i = 0; i < kFirst + kCounted; ++i) {
    auto object = std::make_shared<api::Pod>(pod("p" + std::to_string(i)).requests("100m", "100Mi").get());
    object->mutable_spec()->set_scheduler_name(config::kDefaultSchedulerName);
    scheduler.upsert(std::shared_ptr<const api::Pod>(std::move(object)), at(0));
  }
  for (int i = 0; i < kFirst; ++i) EXPECT_EQ(scheduler.decide_next(at(1)).size(), 1U);
  const std::uint64_t before = allocations.load();
  for (int i = 0; i < kCounted; ++i) EXPECT_EQ(scheduler.decide_next(at(1)).size(), 1U);
  const auto counted = static_cast<double>(allocations.load() - before) / kCounted;
  ::testing::Test::RecordProperty("allocations_per_decision_of_" + std::to_string(nodes), std::to_string(counted));
  return counted;
}

TEST(DecisionAllocations, DoNotGrowWithTheNumberOfNodes) {
  const double few = per_decision(100);
  const double many = per_decision(3200);
  // Measured: 41 and 42. A list with one element per node would add thousands; a vector that grows sometimes adds one
  // or two.
  EXPECT_LE(many - few, 5.0) << few << " with 100 nodes, " << many << " with 3200";
  EXPECT_LE(few, 60.0) << few;
}

}  // namespace
}  // namespace rescheduler::scheduler
