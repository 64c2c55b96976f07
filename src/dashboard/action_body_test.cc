#include "dashboard/action_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::dashboard {
namespace {

using ::testing::HasSubstr;

TEST(ActionBody, EachActionIsReadFromItsBody) {
  const auto move = read_move(R"({"namespace":"shop","pod":"web","to":"node-b"})");
  ASSERT_TRUE(move) << move.error().message;
  EXPECT_EQ(move->to, "node-b");
  EXPECT_EQ(move->mode, "Automatic");
  EXPECT_FALSE(read_maintenance(R"({"node":"a","on":false})")->on);
  EXPECT_EQ(read_pause(R"({"paused":true,"reason":"a release"})")->reason, "a release");
  EXPECT_EQ(read_demo_action(R"({"do":"setStrategy","strategy":"LoadBalancing","mode":"observe"})")->mode, "observe");
}

TEST(ActionBody, AnInvalidBodyIsAnErrorWithTheReason) {
  const auto complaint = [](const char* body) { return read_move(body).error().message; };
  EXPECT_THAT(complaint(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(complaint("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(complaint("{} {}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(complaint(R"({"namespace":"shop","pod":"web"})"), HasSubstr("to is missing"));
  EXPECT_THAT(complaint(R"({"namespace":"shop","pod":7,"to":"b"})"), HasSubstr("pod must be a string"));
  EXPECT_THAT(complaint(R"({"namespace":"","pod":"web","to":"b"})"), HasSubstr("namespace is empty"));
  EXPECT_THAT(complaint(R"({"namespace":"shop","pod":"web","to":"b","mode":"Quick"})"),
              HasSubstr("mode must be one of"));
  EXPECT_THAT(complaint(R"({"namespace":"shop","pod":"web","to":"b","force":true})"), HasSubstr("an unknown field"));
  EXPECT_THAT(read_pause(R"({"paused":"yes"})").error().message, HasSubstr("must be true or false"));
  EXPECT_THAT(read_demo_action(R"({"do":"rm -rf"})").error().message, HasSubstr("do must be one of"));
  const std::string deep(1000, '[');
  EXPECT_FALSE(read_move(deep));
  EXPECT_THAT(read_apply(R"({"plan":")" + std::string(2000, 'x') + R"("})").error().message, HasSubstr("too long"));
}

}  // namespace
}  // namespace rescheduler::dashboard
