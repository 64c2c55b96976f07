#include "sim/controllers/pods/pod_index.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "kube/proto/core.pb.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

struct Fixture {
  Fixture() {
    for (const char* name : {"a", "b"}) {
      api::Namespace ns;
      ns.mutable_metadata()->set_name(name);
      EXPECT_TRUE(server.create(ns));
    }
  }
  void add(const std::string& ns, const std::string& name, const std::string& app, const std::string& owner) {
    api::Pod pod;
    pod.mutable_metadata()->set_name(name);
    pod.mutable_metadata()->set_namespace_(ns);
    (*pod.mutable_metadata()->mutable_labels())["app"] = app;
    auto& container = *pod.mutable_spec()->add_containers();
    container.set_name("main");
    container.set_image("app");
    if (!owner.empty()) {
      auto& reference = *pod.mutable_metadata()->add_owner_references();
      reference.set_api_version("apps/v1");
      reference.set_kind("ReplicaSet");
      reference.set_name(owner);
      reference.set_uid("uid-" + owner);
      reference.set_controller(true);
    }
    const auto made = server.create(pod);
    ASSERT_TRUE(made) << made.error().message;
  }
  void remove(const std::string& ns, const std::string& name) {
    api::DeleteOptions options;
    options.set_grace_period_seconds(0);
    ASSERT_TRUE(server.remove(server.kinds().of<api::Pod>(), ns, name, options));
  }

  Agenda agenda;
  Server server{agenda, Rng(1)};
};

std::set<std::string> names(PodIndex::Pods pods) {
  std::set<std::string> found;
  for (const PodView* pod : pods) found.insert(pod->key());
  return found;
}

kube::LabelSelector app_is(const std::string& value) { return *kube::LabelSelector::parse("app=" + value); }

TEST(PodIndex, ContainsPodsThatWereCreatedBeforeTheIndex) {
  Fixture cluster;
  cluster.add("a", "one", "web", "set");
  const PodIndex index(cluster.server);
  EXPECT_EQ(names(index.of_owner("uid-set")), (std::set<std::string>{"a/one"}));
}

TEST(PodIndex, NotifiesSubscribersWithThePodBeforeAndAfterAChange) {
  Fixture cluster;
  PodIndex index(cluster.server);
  std::vector<std::string> notified;
  auto subscription = index.subscribe([&](const PodView* before, const PodView* after) {
    notified.push_back((before ? std::string(before->label("app")) : "-") + ">"
                       + (after ? std::string(after->label("app")) : "-"));
  });
  cluster.add("a", "one", "web", "");
  ASSERT_TRUE(cluster.server.modify<api::Pod>(
      "a", "one", [](api::Pod& pod) { (*pod.mutable_metadata()->mutable_labels())["app"] = "db"; }));
  cluster.remove("a", "one");
  EXPECT_EQ(notified, (std::vector<std::string>{"->web", "web>db", "db>-"}));
  subscription.reset();
  cluster.add("a", "two", "web", "");
  EXPECT_EQ(notified.size(), 3);
}

TEST(PodIndex, PodsOfOneTemplateShareTheirLabelsAndTheirOwner) {
  Fixture cluster;
  const PodIndex index(cluster.server);
  cluster.add("a", "one", "web", "set");
  cluster.add("a", "two", "web", "set");
  EXPECT_EQ(&index.find("a", "one")->labels(), &index.find("a", "two")->labels());
  EXPECT_EQ(index.find("a", "one")->owner(), index.find("a", "two")->owner());
  EXPECT_LE(sizeof(PodView), 176U);
}

TEST(PodIndex, ANodeNamedByARequiredAffinityIsTheTargetNodeOfAnUnboundPod) {
  Fixture cluster;
  const PodIndex index(cluster.server);
  api::Pod pod;
  pod.mutable_metadata()->set_name("daemon");
  pod.mutable_metadata()->set_namespace_("a");
  auto& container = *pod.mutable_spec()->add_containers();
  container.set_name("main");
  container.set_image("app");
  auto& field = *pod.mutable_spec()
                     ->mutable_affinity()
                     ->mutable_node_affinity()
                     ->mutable_required_during_scheduling_ignored_during_execution()
                     ->add_node_selector_terms()
                     ->add_match_fields();
  field.set_key("metadata.name");
  field.set_operator_("In");
  field.add_values("n7");
  ASSERT_TRUE(cluster.server.create(pod));
  EXPECT_EQ(index.find("a", "daemon")->target_node(), "n7");
  EXPECT_EQ(index.find("a", "daemon")->node(), "");
  EXPECT_TRUE(index.on_node("n7").empty());
}

// Compares the index with a plain list of the expected pods.
TEST(PodIndex, EveryListMatchesTheModelAfterRandomChanges) {
  struct Known {
    std::string app, owner;
  };
  Fixture cluster;
  const PodIndex index(cluster.server);
  Rng rng(3);
  std::map<std::pair<std::string, std::string>, Known> model;
  for (int round = 0; round < 3000; ++round) {
    const std::string ns = rng.below(2) == 0 ? "a" : "b";
    const std::string name = "p" + std::to_string(rng.below(40));
    const std::string app = "x" + std::to_string(rng.below(3));
    const auto known = model.find({ns, name});
    if (known == model.end()) {
      const std::string owner = rng.below(2) == 0 ? "" : "s" + std::to_string(rng.below(3));
      cluster.add(ns, name, app, owner);
      model[{ns, name}] = {app, owner};
    } else if (rng.below(2) == 0) {
      cluster.remove(ns, name);
      model.erase(known);
    } else {
      const bool release = rng.below(2) == 0;
      ASSERT_TRUE(cluster.server.modify<api::Pod>(ns, name, [&](api::Pod& pod) {
        (*pod.mutable_metadata()->mutable_labels())["app"] = app;
        if (release) pod.mutable_metadata()->clear_owner_references();
      }));
      known->second.app = app;
      if (release) known->second.owner.clear();
    }
    if (round % 50 != 0) continue;
    ASSERT_EQ(index.size(), model.size());
    for (const std::string value : {"0", "1", "2"}) {
      std::set<std::string> of_owner, selected, everywhere, orphans;
      for (const auto& [key, pod] : model) {
        const std::string path = key.first + "/" + key.second;
        if (pod.owner == "s" + value) of_owner.insert(path);
        if (pod.app != "x" + value) continue;
        everywhere.insert(path);
        if (key.first == "a") selected.insert(path);
        if (key.first == "a" && pod.owner.empty()) orphans.insert(path);
      }
      ASSERT_EQ(names(index.of_owner("uid-s" + value)), of_owner);
      ASSERT_EQ(names(index.select("a", app_is("x" + value))), selected);
      ASSERT_EQ(names(index.select("", app_is("x" + value))), everywhere);
      ASSERT_EQ(names(index.orphans("a", app_is("x" + value))), orphans);
    }
  }
}

}  // namespace
}  // namespace rescheduler::sim
