#include "migration/measurement.h"

#include <map>

#include <gtest/gtest.h>

#include "kube/value/time.h"

namespace rescheduler::migration {
namespace {

using namespace std::chrono_literals;

class MoveMeasurementTest : public testing::Test {
 protected:
  MoveMeasurementTest() {
    migration_.mutable_spec()->set_source("a");
    migration_.mutable_spec()->set_target("b");
  }
  void end(MoveResult result) {
    auto& status = *migration_.mutable_status();
    kube::set_time(*status.mutable_started(), kBegan);
    kube::set_time(*status.mutable_finished(), kBegan + 2s);
    status.set_phase(std::string(name_of(result)));
    status.set_result(std::string(name_of(result)));
    status.set_measured(measured_at_end(migration_));
  }
  std::optional<std::string> after(std::chrono::nanoseconds since) {
    return measured_after(migration_, meter_, 10min, kBegan + 2s + since);
  }

  static constexpr WallTime kBegan{1'000'000s};
  std::map<std::string, std::string> loads_{{"a", R"({"cpu":0.9})"}, {"b", R"({"cpu":0.2})"}};
  NodeMeter meter_ = [this](const std::string& node) { return loads_[node]; };
  api::Migration migration_{};
};

TEST_F(MoveMeasurementTest, TheLoadOfEachNodeIsRecordedOnceBeforeAndOnceAfterTheMove) {
  migration_.mutable_status()->set_measured(measured_before(migration_, meter_));
  EXPECT_EQ(migration_.status().measured(), R"({"load":{"source":{"node":"a","before":{"cpu":9E-1}},)"
                                            R"("target":{"node":"b","before":{"cpu":2E-1}}}})");
  end(MoveResult::Succeeded);
  EXPECT_NE(migration_.status().measured().find(R"("seconds":2E0)"), std::string::npos)
      << migration_.status().measured();
  EXPECT_FALSE(after(9min)) << "the effect does not show yet";
  EXPECT_FALSE(after(31min)) << "too late: the load no longer shows the effect of the move";
  loads_ = {{"a", R"({"cpu":0.6})"}, {"b", R"({"cpu":0.5})"}};
  const auto record = after(10min);
  ASSERT_TRUE(record);
  EXPECT_NE(record->find(R"("before":{"cpu":9E-1},"after":{"cpu":6E-1})"), std::string::npos) << *record;
  EXPECT_NE(record->find(R"("before":{"cpu":2E-1},"after":{"cpu":5E-1})"), std::string::npos) << *record;
  migration_.mutable_status()->set_measured(*record);
  EXPECT_FALSE(after(11min)) << "already recorded";
}

TEST_F(MoveMeasurementTest, NothingIsRecordedWithoutLoadDataWithoutAMoveOrAfterAnUnreadableRecord) {
  EXPECT_EQ(measured_before(migration_, {}), "");
  const NodeMeter without_data = [](const std::string&) { return std::string(); };
  EXPECT_EQ(measured_before(migration_, without_data), "");
  migration_.mutable_status()->set_measured(measured_before(migration_, meter_));
  end(MoveResult::Refused);
  EXPECT_FALSE(after(10min));
  end(MoveResult::Succeeded);
  migration_.mutable_status()->set_measured("no JSON at all");
  EXPECT_FALSE(after(10min));
}

}  // namespace
}  // namespace rescheduler::migration
