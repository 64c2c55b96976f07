#include "sim/controllers/event_writer.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_common.pb.h"
#include "kube/proto/events.pb.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Fixture {
  Fixture() {
    api::Namespace ns;
    ns.mutable_metadata()->set_name("default");
    EXPECT_TRUE(server.create(ns));
  }
  std::vector<std::shared_ptr<const api::Event>> events() {
    std::vector<std::shared_ptr<const api::Event>> found;
    server.store().for_each(server.kinds().of<api::Event>(), "", "", [&](const VersionPtr& version) {
      found.push_back(version->as<api::Event>());
      return true;
    });
    return found;
  }
  Agenda agenda;
  Server server{agenda, Rng(1)};
};

kube::ObjectRef pod(const std::string& name) { return {"v1", "Pod", "default", name, "uid-" + name}; }

void write_event(EventWriter& writer, const std::string& name, const std::string& text) {
  writer.note(pod(name), kube::EventType::Normal, "Started", "Start", text, "kubelet");
}

TEST(EventWriter, WritesAnEventAtTheSameVirtualTimeButNotInsideTheCall) {
  Fixture cluster;
  EventWriter writer(cluster.server);
  write_event(writer, "web", "Started container main");
  EXPECT_TRUE(cluster.events().empty()) << "note() can be called during another write";
  cluster.agenda.run_for(seconds{0});
  ASSERT_EQ(cluster.events().size(), 1);
  const auto event = cluster.events()[0];
  EXPECT_EQ(event->regarding().name(), "web");
  EXPECT_EQ(event->reason(), "Started");
  EXPECT_EQ(event->note(), "Started container main");
  EXPECT_EQ(event->reporting_controller(), "kubelet");
}

TEST(EventWriter, SetsTheCoreApiFieldsLikeKubernetesControllers) {
  Fixture cluster;
  EventWriter writer(cluster.server);
  write_event(writer, "web", "Started container main");
  writer.note({pod("other"), {}, kube::EventType::Normal, "Started", "Start", "x"}, {"kubelet", "node-1"});
  cluster.agenda.run_for(seconds{0});
  ASSERT_EQ(cluster.events().size(), 2);
  const auto other = cluster.events()[0];
  const auto event = cluster.events()[1];
  EXPECT_EQ(event->deprecated_source().component(), "kubelet");
  EXPECT_FALSE(event->deprecated_source().has_host());
  EXPECT_EQ(event->reporting_instance(), "");
  EXPECT_EQ(other->deprecated_source().host(), "node-1");
  EXPECT_EQ(other->reporting_instance(), "node-1");
  EXPECT_EQ(event->deprecated_count(), 1);
  EXPECT_TRUE(event->has_deprecated_first_timestamp());
  EXPECT_TRUE(event->has_deprecated_last_timestamp());
  EXPECT_FALSE(event->has_event_time());
  EXPECT_FALSE(event->has_series());
  EXPECT_FALSE(event->has_action());
}

TEST(EventWriter, RepeatedEventsAreCountedAndTheCountIsWrittenPeriodically) {
  Fixture cluster;
  EventWriter writer(cluster.server);
  for (int i = 0; i < 10; ++i) {
    write_event(writer, "web", "again");
    cluster.agenda.run_for(seconds{1});
  }
  ASSERT_EQ(cluster.events().size(), 1);
  EXPECT_EQ(cluster.events()[0]->deprecated_count(), 2);
  cluster.agenda.run_for(minutes{2});
  ASSERT_EQ(cluster.events().size(), 1);
  EXPECT_EQ(cluster.events()[0]->deprecated_count(), 10);
}

TEST(EventWriter, TheNumberOfEventsPerObjectIsLimited) {
  Fixture cluster;
  EventWriter writer(cluster.server);
  for (int i = 0; i < 500; ++i) write_event(writer, "web", "number " + std::to_string(i));
  write_event(writer, "other", "hello");
  cluster.agenda.run_for(seconds{1});
  EXPECT_EQ(cluster.events().size(), 26);
}

TEST(EventWriter, AnEventIsDeletedOneHourAfterItsLastOccurrence) {
  Fixture cluster;
  EventWriter writer(cluster.server);
  write_event(writer, "once", "one");
  write_event(writer, "twice", "two");
  cluster.agenda.run_for(minutes{4});
  write_event(writer, "twice", "two");
  cluster.agenda.run_for(minutes{58});
  ASSERT_EQ(cluster.events().size(), 1);
  EXPECT_EQ(cluster.events()[0]->regarding().name(), "twice");
  cluster.agenda.run_for(minutes{5});
  EXPECT_TRUE(cluster.events().empty());
}

TEST(EventWriter, EventsOfClientsAlsoExpire) {
  Fixture cluster;
  EventWriter writer(cluster.server, {.enabled = false});
  write_event(writer, "web", "not written");
  api::Event event =
      kube::to_event(kube::within_limits({pod("web"), {}, kube::EventType::Normal, "Moved", "Move", "by hand"}),
                     {"by-hand", cluster.agenda.wall_now(), cluster.agenda.wall_now(), 1}, {"rescheduler", "x"});
  ASSERT_TRUE(cluster.server.create(event));
  cluster.agenda.run_for(minutes{59});
  EXPECT_EQ(cluster.events().size(), 1);
  cluster.agenda.run_for(minutes{2});
  EXPECT_TRUE(cluster.events().empty());
}

TEST(EventWriter, NothingIsWrittenAfterTheWriterIsDestroyed) {
  Fixture cluster;
  {
    EventWriter writer(cluster.server);
    write_event(writer, "web", "too late");
  }
  cluster.agenda.run_for(minutes{120});
  EXPECT_TRUE(cluster.events().empty());
}

}  // namespace
}  // namespace rescheduler::sim
