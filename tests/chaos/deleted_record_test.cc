// A user who deletes a Migration cancels the move, even if the MigrationController does not know that the Migration was
// written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics.h"
#include "chaos/fabricated_history.h"
#include "migration/migration_controller.h"
#include "sim/frontend/faults.h"

namespace rescheduler::test {
namespace {

using namespace std::chrono_literals;

TEST(ADeletedMigration, IsNotWrittenAgainWhenTheAnswerToItsCreationWasLost) {
  Rng rng(1);
  MetricRegistry metrics;
  FabricatedHistory made;
  made.workload("web", 2);
  sim::WireFaults faults(made.server(), 1);
  sim::Documents documents(made.server());
  sim::LocalApi api(made.server(), documents, &faults);
  migration::MigrationParts parts{
      &api, nullptr, {made.loop().executor(), &made.loop().timers(), &made.agenda(), &rng, &metrics}, {}, {}};
  migration::MigrationController migrator(std::move(parts));
  migrator.follow();
  made.wait(1s);
  migrator.lead();

  faults.add({.verbs = {kube::Verb::Create},
              .resource = "migrations",
              .times = 1,
              .fault = {.lose_response = sim::Loss::Reset}});
  migration::MoveRequest request;
  request.ns = "default";
  request.pod = "web-0";
  request.uid = made.uid_of("web-0");
  request.source = "n";
  request.target = "m";
  migrator.begin(request);
  made.loop().run_for(20ms);
  const auto& moves = made.checker().ledger().moves();
  ASSERT_EQ(moves.size(), 1U);
  made.delete_migration(moves.begin()->second.name);
  made.wait(60s);
  EXPECT_EQ(moves.size(), 1U) << "the record came back";
  EXPECT_TRUE(migrator.under_way().empty());
}

}  // namespace
}  // namespace rescheduler::test
