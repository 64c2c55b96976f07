#include "sim/controllers/garbage/garbage_collector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/codec/metadata.h"
#include "sim/controllers/garbage/namespace_deletion.h"
#include "sim/controllers/nodes/lifecycle_rig.h"

namespace rescheduler::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::LifecycleRig;

// ConfigMaps can own each other, like objects of any kind, and have no special rules.
class GarbageTest : public ::testing::Test {
 protected:
  LifecycleRig rig;
  const Kind& kind = rig.server.kinds().of<api::ConfigMap>();
  std::vector<std::string> removed;  // in order of deletion
  std::unique_ptr<Store::Subscription> watch = rig.server.store().subscribe(&kind, [this](const Change& change) {
    if (change.what == Change::What::Deleted) removed.push_back(change.after->as<api::ConfigMap>()->metadata().name());
  });

  struct Owned {
    std::string by;
    bool blocks = true;
  };
  void add(const std::string& name, const std::vector<Owned>& owners = {}, const std::string& ns = "shop") {
    api::ConfigMap map;
    map.mutable_metadata()->set_name(name);
    map.mutable_metadata()->set_namespace_(ns);
    for (const Owned& owner : owners) refer(*map.mutable_metadata(), owner);
    (void)rig.server.create(map).value();
  }
  void refer(api::ObjectMeta& metadata, const Owned& owner) {
    const auto found = rig.server.find<api::ConfigMap>("shop", owner.by);
    api::OwnerReference& reference = *metadata.add_owner_references();
    reference.set_api_version("v1");
    reference.set_kind("ConfigMap");
    reference.set_name(owner.by);
    reference.set_uid(found ? found->metadata().uid() : "00000000-0000-4000-8000-00000000dead");
    reference.set_block_owner_deletion(owner.blocks);
  }
  void remove(const std::string& name, const std::string& policy) {
    api::DeleteOptions options;
    options.set_propagation_policy(policy);
    (void)rig.server.remove(kind, "shop", name, options).value();
  }
  bool there(const std::string& name) { return rig.there<api::ConfigMap>(name); }
};

TEST_F(GarbageTest, BackgroundDeletionRemovesTheOwnerBeforeItsDependents) {
  rig.run<GarbageCollector>();
  add("root");
  add("child", {{"root"}});
  add("grandchild", {{"child"}});
  add("stranger");
  remove("root", "Background");
  EXPECT_FALSE(there("root"));
  EXPECT_TRUE(there("child")) << "dependents are not deleted within the same write";
  rig.pass(seconds{1});
  EXPECT_EQ(removed, (std::vector<std::string>{"root", "child", "grandchild"}));
  EXPECT_TRUE(there("stranger"));
}

TEST_F(GarbageTest, ForegroundDeletionRemovesTheDependentsBeforeTheOwner) {
  rig.run<GarbageCollector>();
  add("root");
  add("child", {{"root"}});
  add("grandchild", {{"child"}});
  remove("root", "Foreground");
  EXPECT_TRUE(there("root"));
  rig.pass(seconds{1});
  EXPECT_EQ(removed, (std::vector<std::string>{"grandchild", "child", "root"}));
}

TEST_F(GarbageTest, ForegroundDeletionDoesNotWaitForNonBlockingDependents) {
  rig.run<GarbageCollector>();
  add("root");
  add("free", {{"root", false}});
  const auto held = rig.server.modify<api::ConfigMap>(
      "shop", "free", [](api::ConfigMap& map) { map.mutable_metadata()->add_finalizers("example.com/hold"); });
  ASSERT_TRUE(held);
  remove("root", "Foreground");
  rig.pass(seconds{1});
  EXPECT_FALSE(there("root"));
  ASSERT_TRUE(there("free"));
  EXPECT_TRUE(rig.server.find<api::ConfigMap>("shop", "free")->metadata().has_deletion_timestamp());
}

TEST_F(GarbageTest, ForegroundDeletionWaitsForABlockingDependentWithAFinalizer) {
  rig.run<GarbageCollector>();
  add("root");
  add("held", {{"root"}});
  const auto finalizer = [this](bool on) {
    const auto done = rig.server.modify<api::ConfigMap>("shop", "held", [on](api::ConfigMap& map) {
      map.mutable_metadata()->clear_finalizers();
      if (on) map.mutable_metadata()->add_finalizers("example.com/hold");
    });
    ASSERT_TRUE(done);
  };
  finalizer(true);
  remove("root", "Foreground");
  rig.pass(minutes{5});
  EXPECT_TRUE(there("root"));
  finalizer(false);
  rig.pass(seconds{1});
  EXPECT_EQ(removed, (std::vector<std::string>{"held", "root"}));
}

TEST_F(GarbageTest, OrphanDeletionKeepsDependentsAndRemovesTheirOwnerReferences) {
  rig.run<GarbageCollector>();
  add("root");
  add("child", {{"root"}});
  remove("root", "Orphan");
  rig.pass(seconds{1});
  EXPECT_FALSE(there("root"));
  ASSERT_TRUE(there("child"));
  EXPECT_EQ(rig.server.find<api::ConfigMap>("shop", "child")->metadata().owner_references_size(), 0);
}

TEST_F(GarbageTest, ADependentStaysWithItsRemainingOwnerAndLosesTheReferenceToTheDeletedOwner) {
  rig.run<GarbageCollector>();
  add("a");
  add("b");
  add("child", {{"a"}, {"b"}});
  remove("a", "Background");
  rig.pass(seconds{1});
  ASSERT_TRUE(there("child"));
  const auto child = rig.server.find<api::ConfigMap>("shop", "child");
  ASSERT_EQ(child->metadata().owner_references_size(), 1);
  EXPECT_EQ(child->metadata().owner_references(0).name(), "b");
  remove("b", "Foreground");
  rig.pass(seconds{1});
  EXPECT_FALSE(there("child"));
}

TEST_F(GarbageTest, AnObjectWhoseOwnersDoNotExistIsDeleted) {
  add("before", {{"missing"}});
  rig.run<GarbageCollector>();
  add("after", {{"missing"}});
  rig.pass(seconds{1});
  EXPECT_FALSE(there("before"));
  EXPECT_FALSE(there("after"));
}

TEST_F(GarbageTest, AnOwnerInAnotherNamespaceDoesNotCountAsOwner) {
  rig.run<GarbageCollector>();
  (void)rig.server.create(testing::make_namespace("other")).value();
  add("root");
  add("child", {{"root"}}, "other");
  rig.pass(seconds{1});
  EXPECT_FALSE(rig.server.find<api::ConfigMap>("other", "child"));
}

TEST_F(GarbageTest, ADependentOfAnOwnerOfUnknownKindIsNotDeleted) {
  rig.run<GarbageCollector>();
  api::ConfigMap map;
  map.mutable_metadata()->set_name("child");
  map.mutable_metadata()->set_namespace_("shop");
  api::OwnerReference& reference = *map.mutable_metadata()->add_owner_references();
  reference.set_api_version("example.com/v1");
  reference.set_kind("Thing");
  reference.set_name("thing");
  reference.set_uid("00000000-0000-4000-8000-00000000beef");
  (void)rig.server.create(map).value();
  rig.pass(minutes{1});
  EXPECT_TRUE(there("child"));
}

TEST_F(GarbageTest, ForegroundDeletionRemovesACycleOfOwners) {
  rig.run<GarbageCollector>();
  add("a");
  add("b", {{"a"}});
  const auto closed = rig.server.modify<api::ConfigMap>(
      "shop", "a", [this](api::ConfigMap& map) { refer(*map.mutable_metadata(), {"b", true}); });
  ASSERT_TRUE(closed);
  rig.pass(seconds{1});
  EXPECT_TRUE(there("a") && there("b")) << "both owners exist";
  remove("a", "Foreground");
  rig.pass(minutes{1});
  EXPECT_FALSE(there("a"));
  EXPECT_FALSE(there("b"));
}

struct GraphRig {
  LifecycleRig rig;
  std::map<std::string, std::vector<std::string>> owners;
  std::vector<std::string> removed;
  std::unique_ptr<Store::Subscription> watch;

  explicit GraphRig(const std::vector<std::vector<int>>& above) {
    rig.run<GarbageCollector>();
    watch = rig.server.store().subscribe(&rig.server.kinds().of<api::ConfigMap>(), [this](const Change& change) {
      if (change.what == Change::What::Deleted) {
        removed.push_back(change.after->as<api::ConfigMap>()->metadata().name());
      }
    });
    for (std::size_t i = 0; i < above.size(); ++i) add(i, above[i]);
  }
  static std::string name(std::size_t i) { return "m" + std::to_string(i); }
  void add(std::size_t i, const std::vector<int>& above) {
    api::ConfigMap map;
    map.mutable_metadata()->set_name(name(i));
    map.mutable_metadata()->set_namespace_("shop");
    for (const int owner : std::set<int>(above.begin(), above.end())) {
      if (static_cast<std::size_t>(owner) >= i) continue;
      const std::string by = name(static_cast<std::size_t>(owner));
      api::OwnerReference& reference = *map.mutable_metadata()->add_owner_references();
      reference.set_api_version("v1");
      reference.set_kind("ConfigMap");
      reference.set_name(by);
      reference.set_uid(rig.server.find<api::ConfigMap>("shop", by)->metadata().uid());
      reference.set_block_owner_deletion(true);
      owners[name(i)].push_back(by);
    }
    (void)rig.server.create(map).value();
  }
};

// For any acyclic graph, any deleted object and both policies: exactly the objects without a remaining owner are
// deleted. With Foreground, the deleted object is removed last, and no object is removed before dependents that it
// alone owns. (A dependent with another remaining owner drops the reference to the waiting owner and can outlive it, as
// in a real cluster.)
RC_GTEST_PROP(Garbage, ExactlyTheObjectsWithoutARemainingOwnerAreDeleted, ()) {
  const auto above =
      *rc::gen::container<std::vector<std::vector<int>>>(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10)));
  RC_PRE(!above.empty() && above.size() <= 12);
  GraphRig graph(above);
  const auto first = *rc::gen::inRange<std::size_t>(0, above.size());
  const bool foreground = *rc::gen::arbitrary<bool>();
  api::DeleteOptions options;
  options.set_propagation_policy(foreground ? "Foreground" : "Background");
  (void)graph.rig.server.remove(graph.rig.server.kinds().of<api::ConfigMap>(), "shop", GraphRig::name(first), options)
      .value();
  graph.rig.pass(minutes{5});

  std::set<std::string> expected{GraphRig::name(first)};
  for (std::size_t i = 0; i < above.size(); ++i) {
    const auto by = graph.owners.find(GraphRig::name(i));
    if (by == graph.owners.end()) continue;
    if (std::ranges::all_of(by->second, [&](const auto& owner) { return expected.contains(owner); })) {
      expected.insert(GraphRig::name(i));
    }
  }
  RC_ASSERT(std::set<std::string>(graph.removed.begin(), graph.removed.end()) == expected);
  if (!foreground) return;
  RC_ASSERT(graph.removed.back() == GraphRig::name(first));
  for (const auto& [dependent, by] : graph.owners) {
    const auto gone = std::ranges::find(graph.removed, dependent);
    if (gone == graph.removed.end() || by.size() > 1) continue;
    RC_ASSERT(gone < std::ranges::find(graph.removed, by.front()));
  }
}

TEST_F(GarbageTest, ANamespaceIsRemovedAfterAllItsObjectsAreDeleted) {
  rig.run<NamespaceDeletion>();
  rig.run_kubelets();
  rig.add_node("n1");
  add("one");
  add("two");
  rig.add_pod(testing::make_pod("a"));
  (void)rig.server.remove(rig.server.kinds().of<api::Namespace>(), "", "shop", {}).value();
  const auto going = rig.server.find<api::Namespace>("", "shop");
  ASSERT_TRUE(going);
  EXPECT_EQ(going->status().phase(), "Terminating");
  rig.pass(std::chrono::milliseconds{500});
  EXPECT_FALSE(there("one"));
  EXPECT_TRUE(rig.pod("a")) << "the pod has a grace period";
  EXPECT_TRUE(rig.server.find<api::Namespace>("", "shop"));
  rig.pass(minutes{1});
  EXPECT_FALSE(rig.pod("a"));
  EXPECT_FALSE(rig.server.find<api::Namespace>("", "shop"));
  EXPECT_TRUE(rig.server.find<api::Namespace>("", "kube-node-lease"));
}

TEST_F(GarbageTest, NamespaceDeletionWaitsForObjectsWithFinalizers) {
  rig.run<NamespaceDeletion>();
  add("held");
  const auto hold = [this](bool on) {
    const auto done = rig.server.modify<api::ConfigMap>("shop", "held", [on](api::ConfigMap& map) {
      map.mutable_metadata()->clear_finalizers();
      if (on) map.mutable_metadata()->add_finalizers("example.com/hold");
    });
    ASSERT_TRUE(done);
  };
  hold(true);
  (void)rig.server.remove(rig.server.kinds().of<api::Namespace>(), "", "shop", {}).value();
  rig.pass(minutes{10});
  EXPECT_TRUE(rig.server.find<api::Namespace>("", "shop"));
  hold(false);
  rig.pass(seconds{20});
  EXPECT_FALSE(rig.server.find<api::Namespace>("", "shop"));
}

}  // namespace
}  // namespace rescheduler::sim
