// Events as kubectl shows them, written to a cluster.
#include <gtest/gtest.h>

#include "kube/events/event_recorder.h"
#include "kube/proto/events.pb.h"
#include "support/cluster.h"
#include "support/objects.h"
#include "support/skip.h"

namespace rescheduler::test {
namespace {

class Events : public ClusterTest {};
RESCHEDULER_ON_EVERY_CLUSTER(Events);

TEST_P(Events, ARepeatedEventBecomesOneSeries) {
  auto pod = await(client().create(pod_of(ns(), "p", "")));
  ASSERT_TRUE(pod) << pod.error().message;

  kube::EventRecorderSettings settings;
  settings.reporter = {"rescheduler.io/test", "test-1"};
  kube::EventRecorder recorder(live().api(), settings, live().services());
  kube::EventRecord record;
  record.regarding = kube::ref_to(*pod);
  record.reason = "Rescheduled";
  record.action = "Moving";
  record.note = "moved because the test says so";
  for (int times = 0; times < 5; ++times) recorder.record(record);
  record.note = "another reason";
  record.type = kube::EventType::Warning;
  recorder.record(record);
  ASSERT_TRUE(await(recorder.flush()));

  auto events = await(client().list<api::Event>(ns()));
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 2U) << "five equal events are one series";
  for (const auto& event : *events) {
    EXPECT_EQ(event->regarding().name(), "p");
    EXPECT_EQ(event->reporting_controller(), "rescheduler.io/test");
    EXPECT_EQ(event->series().count(), event->type() == "Warning" ? 0 : 5) << event->note();
  }
  const auto described = cluster().kubectl({"describe", "pod", "p", "-n", ns()});
  if (!described && described.error().code == Errc::NotFound) RESCHEDULER_SKIP("kubectl") << described.error().message;
  ASSERT_TRUE(described) << described.error().message;
  EXPECT_NE(described->find("moved because the test says so"), std::string::npos);
}

}  // namespace
}  // namespace rescheduler::test
