#include "base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler {
namespace {

using testing::HasSubstr;

TEST(Metrics, SameNameAndLabelsAreTheSameCounter) {
  MetricRegistry registry;
  registry.counter("requests_total", "Requests.", {{"verb", "get"}}).add();
  registry.counter("requests_total", "Requests.", {{"verb", "get"}}).add(2);
  registry.counter("requests_total", "Requests.", {{"verb", "list"}}).add();

  EXPECT_EQ(registry.counter("requests_total", "Requests.", {{"verb", "get"}}).value(), 3);
  EXPECT_THAT(registry.text(), HasSubstr("requests_total{verb=\"get\"} 3"));
  EXPECT_THAT(registry.text(), HasSubstr("requests_total{verb=\"list\"} 1"));
}

TEST(Metrics, HistogramsAndGaugesAreServedAsText) {
  MetricRegistry registry;
  registry.gauge("leader", "Whether this is the leader.").set(1);
  registry.histogram("seconds", "Durations.", {0.1, 1}).observe(0.5);

  EXPECT_THAT(registry.text(), HasSubstr("leader 1"));
  EXPECT_THAT(registry.text(), HasSubstr("seconds_bucket{le=\"0.1\"} 0"));
  EXPECT_THAT(registry.text(), HasSubstr("seconds_bucket{le=\"1\"} 1"));
}

}  // namespace
}  // namespace rescheduler
