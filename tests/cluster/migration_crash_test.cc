// A leader may die after any write of a move. The next leader reads only the state of the cluster, finishes every move
// and removes the objects, labels and annotations of the migration.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/value/time.h"
#include "support/migrator.h"

namespace rescheduler::test {
namespace {

using migration::MoveMode;
using testing::IsEmpty;

class InterruptedMoves : public MigrationTest {
 protected:
  struct Case {
    std::string app{};
    MoveMode mode = MoveMode::Coordinated;
    int replicas = 1;
    int least_ready = 0;
    std::string pod_differs{};  // of a bare pod
  };

  bool is_ready(const std::string& name) {
    const api::Pod seen = pod(name);
    const auto* ready = condition_of(seen, "Ready");
    return ready != nullptr && ready->status() == "True";
  }
  void set_up(const Case& what) {
    if (what.mode != MoveMode::Direct) {
      deploy(what.app, what.replicas);
      return;
    }
    settings_.direct = true;
    add_pod(what.app, what.pod_differs);
    ASSERT_TRUE(eventually([&] { return is_ready(what.app); }));
  }

  // Interrupts a move after each of its writes, one write at a time. Returns the number of writes.
  int interrupt_everywhere(const Case& what, bool second_leader) {
    set_up(what);
    const std::string hash = what.mode == MoveMode::Direct ? "" : template_hash(what.app);
    for (int write = 1;; ++write) {
      SCOPED_TRACE(fmt::format("{} after write {}", second_leader ? "another instance leads" : "killed", write));
      const bool died = interrupt(what, write, second_leader);
      if (HasFailure()) return write;
      if (what.mode != MoveMode::Direct) {
        EXPECT_EQ(template_hash(what.app), hash);
      }
      if (!died) return write - 1;
    }
  }

  bool interrupt(const Case& what, int write, bool second_leader) {
    const api::Pod pod = pods_of(what.app).front();
    const std::string target = other_node(pod.spec().node_name());
    auto request = move_request_for(pod, target);
    request.mode = what.mode;
    AvailabilityWatch watch(cluster(), ns(), {what.app});
    EXPECT_TRUE(eventually([&] { return watch.samples() > 0; }));
    const std::size_t before = migrations().size();
    TestMigrator& first = start_migrator({.crash_after = write, .only_loses_lead = second_leader});
    first.begin(request);
    const auto interrupted = [&] { return second_leader ? !first.leads() : first.dead(); };
    EXPECT_TRUE(eventually([&] { return interrupted() || !first.outcomes().empty(); }));
    const bool died = interrupted();
    if (!second_leader) kill_migrator();
    const std::size_t written = second_leader ? first.writes().size() : 0;
    start_migrator();
    EXPECT_TRUE(eventually([&] { return migrations().size() == before + 1; })) << "there is no Migration";
    if (HasFailure()) return died;
    EXPECT_TRUE(all_ended()) << "after write " << write;
    migrator().sweep();
    EXPECT_TRUE(eventually([&] { return leftovers().empty(); })) << testing::PrintToString(leftovers());
    if (second_leader && died) {
      EXPECT_EQ(first.writes().size(), written) << "an instance that is not the leader has written";
    }
    if (what.mode != MoveMode::Direct) {
      EXPECT_TRUE(available(what.app, what.replicas));
    }
    EXPECT_TRUE(eventually([&] { return pods_of(what.app).size() == static_cast<std::size_t>(what.replicas); }));
    const auto record = last_migration();
    EXPECT_EQ(record.status().phase(), "Succeeded") << record.status().message();
    EXPECT_EQ(record.status().landed(), target);
    watch.stop();
    EXPECT_GE(watch.least_ready(what.app), what.least_ready);
    kill_migrator();
    if (second_leader) kill_migrator();
    return died;
  }

  api::Migration last_migration() {
    const auto all = migrations();
    return *std::ranges::max_element(all, {}, [](const api::Migration& one) {
      return std::pair(kube::wall_time(one.status().finished()), one.metadata().name());
    });
  }

  void expect_writes(const Case& what, int least) {
    for (const bool second_leader : {false, true}) {
      const int writes = interrupt_everywhere({second_leader ? what.app + "-2" : what.app, what.mode, what.replicas,
                                               what.least_ready, differs(what, second_leader)},
                                              second_leader);
      EXPECT_GE(writes, least);
      RecordProperty(second_leader ? "writes_with_second_leader" : "writes", writes);
      if (HasFailure()) return;
    }
  }
  static std::string differs(const Case& what, bool second) {
    if (what.mode != MoveMode::Direct) return {};
    const std::string ports =
        what.pod_differs.empty()
            ? ""
            : fmt::format(R"(, "spec": {{"containers": [{{"name": "main", "image": "registry.example/app:1",
                "ports": [{{"containerPort": 80, "hostPort": {}}}]}}]}})",
                          second ? 31082 : 31081);
    return fmt::format(R"({{"metadata": {{"labels": {{"app": "{}"}}}}{}}})", second ? what.app + "-2" : what.app,
                       ports);
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(InterruptedMoves);

TEST_P(InterruptedMoves, ACoordinatedMoveSucceedsAfterAnInterruptionAtAnyWrite) {
  settings_.protect_unprotected = true;
  expect_writes({"web", MoveMode::Coordinated, 2, 1}, 12);
}

TEST_P(InterruptedMoves, AMakeBeforeBreakMoveSucceedsAfterAnInterruptionAtAnyWrite) {
  expect_writes({"solo", MoveMode::MakeBeforeBreak, 1, 1}, 11);
}

TEST_P(InterruptedMoves, ADirectMoveThatCopiesFirstSucceedsAfterAnInterruptionAtAnyWrite) {
  expect_writes({"bare", MoveMode::Direct, 1, 1}, 10);
}

TEST_P(InterruptedMoves, ADirectMoveThatEvictsFirstSucceedsAfterAnInterruptionAtAnyWrite) {
  expect_writes({"ported", MoveMode::Direct, 1, 0, "ports"}, 10);
}

}  // namespace
}  // namespace rescheduler::test
