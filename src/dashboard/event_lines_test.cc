#include "dashboard/event_lines.h"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "kube/proto/events.pb.h"

namespace rescheduler::dashboard {
namespace {

std::shared_ptr<api::Event> event(const std::string& name) {
  auto made = std::make_shared<api::Event>();
  made->mutable_metadata()->set_name(name);
  made->set_reason("Said");
  made->set_type("Normal");
  return made;
}

TEST(EventLines, TheLatestEventComesFirstWhicheverFieldHoldsItsTime) {
  const auto series = event("series");
  series->mutable_event_time()->set_seconds(10);
  series->mutable_series()->set_count(4);
  series->mutable_series()->mutable_last_observed_time()->set_seconds(400);
  series->set_reporting_controller("rescheduler-dashboard");
  const auto old = event("old");
  old->mutable_deprecated_last_timestamp()->set_seconds(300);
  old->set_deprecated_count(7);
  old->mutable_deprecated_source()->set_component("kubelet");
  old->set_type("Warning");
  const auto once = event("once");
  once->mutable_event_time()->set_seconds(200);

  const auto lines = boost::json::parse(event_lines({once, series, old}, 10));
  ASSERT_EQ(lines.as_array().size(), 3u);
  EXPECT_EQ(lines.at(0).at("at").as_string(), "1970-01-01T00:06:40Z");
  EXPECT_EQ(lines.at(0).at("count").as_int64(), 4);
  EXPECT_EQ(lines.at(0).at("by").as_string(), "rescheduler-dashboard");
  EXPECT_EQ(lines.at(1).at("count").as_int64(), 7);
  EXPECT_EQ(lines.at(1).at("by").as_string(), "kubelet");
  EXPECT_TRUE(lines.at(1).at("warning").as_bool());
  EXPECT_EQ(lines.at(2).at("count").as_int64(), 1);
  EXPECT_FALSE(lines.at(2).at("warning").as_bool());
  EXPECT_EQ(boost::json::parse(event_lines({once, series, old}, 1)).as_array().size(), 1u);
}

TEST(EventLines, HostileTextOfANoteStaysTextInJson) {
  const auto hostile = event("hostile");
  const std::string note = "</script><img src=x onerror=alert(1)>\"\\ \u202e";
  hostile->set_note(note);
  const auto lines = boost::json::parse(event_lines({hostile}, 1));
  EXPECT_EQ(lines.at(0).at("text").as_string(), note);
  EXPECT_TRUE(lines.at(0).at("at").is_null());
}

}  // namespace
}  // namespace rescheduler::dashboard
