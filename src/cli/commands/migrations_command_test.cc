#include "cli/commands/migrations_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "migration/record.h"

namespace rescheduler::cli {
namespace {

using testing::HasSubstr;

api::Migration example() {
  migration::MoveRequest request;
  request.ns = "web";
  request.pod = "api-0";
  request.uid = "u";
  request.source = "worker-1";
  request.target = "worker-3";
  request.strategy = "LoadBalancing";
  request.reason = "worker-1 is at 91 %";
  api::Migration made = migration::to_migration(request, "api-0-x");
  const WallTime then{std::chrono::seconds{1'700'000'000}};
  made.mutable_metadata()->mutable_creation_timestamp()->set_seconds(1'700'000'000);
  *made.mutable_status() = migration::entering(made, migration::Phase::Preparing, "it begins", then);
  *made.mutable_status() =
      migration::ended(made, migration::MoveResult::Succeeded, "ready", then + std::chrono::seconds{9});
  made.mutable_status()->set_landed("worker-3");
  made.mutable_status()->set_replacement("api-1");
  return made;
}

TEST(MigrationsCommand, ListsMigrationsAsATable) {
  const WallTime now{std::chrono::seconds{1'700'000'300}};
  EXPECT_THAT(departures({example()}, now),
              testing::MatchesRegex("NAMESPACE +POD +FROM +TO +PHASE +LANDED +MODE +STRATEGY +AGE\n"
                                    "web +api-0 +worker-1 +worker-3 +Succeeded +worker-3 +LoadBalancing +5m\n"));
}

TEST(MigrationsCommand, ShowsEveryStepWithItsTime) {
  const std::string text = travel_report(example());
  EXPECT_THAT(text, HasSubstr("worker-1 -> worker-3"));
  EXPECT_THAT(text, HasSubstr("became    api-1 on worker-3"));
  EXPECT_THAT(text, HasSubstr("22:13:20.000  Preparing    it begins"));
  EXPECT_THAT(text, HasSubstr("22:13:29.000  Succeeded    ready"));
}

}  // namespace
}  // namespace rescheduler::cli
