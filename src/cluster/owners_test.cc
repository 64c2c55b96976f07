#include "cluster/owners.h"

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/testing.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::cluster::testing {
namespace {

struct OwnersTest : ::testing::Test {
  static WireLabels wire(const Texts& pairs) { return {pairs.begin(), pairs.end()}; }
  void service(const std::string& ns, const std::string& name, const Texts& selector) {
    owners.upsert_service(ns, name, wire(selector));
  }
  void workload(const std::string& kind, const std::string& name, const Texts& selector) {
    api::LabelSelector made;
    for (const auto& [key, value] : selector) (*made.mutable_match_labels())[key] = value;
    owners.upsert_workload(kind, "default", name, made);
  }
  // The selector as text; "none" if no owner selects the pod.
  std::string siblings(const PodBuilder& of) {
    const auto selector = owners.siblings_of(of);
    return selector ? cluster.interner().selectors.selector(*selector).to_string() : "none";
  }
  Cluster cluster;
  Owners& owners = cluster.owners();
};

TEST_F(OwnersTest, APodWithoutServiceAndControllerHasNoSiblings) {
  service("default", "web", {{"app", "web"}});
  EXPECT_EQ(siblings(pod("p")), "none");
  EXPECT_EQ(siblings(pod("p").label("app", "db")), "none");
  EXPECT_EQ(siblings(pod("p").in("red").label("app", "web")), "none");
}

TEST_F(OwnersTest, TheSelectorsOfAllServicesOfAPodAreCombined) {
  service("default", "web", {{"app", "web"}});
  service("default", "front", {{"tier", "front"}});
  service("default", "everything", {});
  EXPECT_EQ(siblings(pod("p").label("app", "web")), "app=web");
  EXPECT_EQ(siblings(pod("p").label("app", "web").label("tier", "front")), "app=web,tier=front");
}

TEST_F(OwnersTest, AChangedOrDeletedServiceChangesTheSiblings) {
  service("default", "web", {{"app", "web"}});
  service("default", "web", {{"app", "db"}});
  EXPECT_EQ(siblings(pod("p").label("app", "web")), "none");
  EXPECT_EQ(siblings(pod("p").label("app", "db")), "app=db");
  owners.remove_service("default", "web");
  EXPECT_EQ(siblings(pod("p").label("app", "db")), "none");
}

TEST_F(OwnersTest, TheSelectorOfTheControllerCountsIfItsKindIsKnown) {
  workload("ReplicaSet", "web", {{"hash", "1"}});
  workload("StatefulSet", "db", {{"app", "db"}});
  owners.upsert_replication_controller("default", "old", wire({{"app", "old"}}));
  EXPECT_EQ(siblings(pod("p").owner("apps/v1", "ReplicaSet", "web")), "hash=1");
  EXPECT_EQ(siblings(pod("p").owner("apps/v1", "StatefulSet", "db")), "app=db");
  EXPECT_EQ(siblings(pod("p").owner("v1", "ReplicationController", "old")), "app=old");
  EXPECT_EQ(siblings(pod("p").owner("v1", "ReplicaSet", "web")), "none");
  EXPECT_EQ(siblings(pod("p").owner("example.com/v1", "StatefulSet", "db")), "none");
  EXPECT_EQ(siblings(pod("p").owner("apps/v1", "ReplicaSet", "gone")), "none");
  owners.remove_workload("ReplicaSet", "default", "web");
  EXPECT_EQ(siblings(pod("p").owner("apps/v1", "ReplicaSet", "web")), "none");
}

TEST_F(OwnersTest, AnOwnerThatIsNotTheControllerIsIgnored) {
  workload("ReplicaSet", "web", {{"hash", "1"}});
  EXPECT_EQ(siblings(pod("p").merge(
                R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web"}]}})")),
            "none");
}

}  // namespace
}  // namespace rescheduler::cluster::testing
