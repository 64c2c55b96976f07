// The same tests through both frontends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/discovery/server_info.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/authorization.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/proto/policy.pb.h"
#include "sim/frontend/frontend_objects.h"
#include "sim/frontend/frontend_rig.h"

namespace rescheduler::sim {
namespace {

using kube::ApiCall;
using kube::Client;
using kube::Verb;
using kube::WatchEventType;
using testing::ElementsAre;
using testing::HasSubstr;

enum class FrontendKind { Local, Https };

class FrontendsTest : public testing::TestWithParam<FrontendKind> {
 protected:
  FrontendsTest() {
    if (GetParam() == FrontendKind::Local) {
      rig_ = std::make_unique<LocalRig>();
    } else {
      rig_ = std::make_unique<HttpsRig>();
    }
    rig_->run_on_server_thread([this] {
      api::Namespace ns;
      ns.mutable_metadata()->set_name("web");
      EXPECT_TRUE(rig_->server.create(ns));
    });
  }

  Client client() { return Client(rig_->api()); }
  template <class T>
  Result<T> await(net::Task<Result<T>> task) {
    return rig_->await(std::move(task));
  }
  void make_map(const std::string& name, const std::string& value, const std::string& tier = "") {
    auto made = await(client().create(map_of(name, value, tier)));
    ASSERT_TRUE(made) << made.error().message;
  }
  static ApiCall maps_call(Verb verb) {
    ApiCall call;
    call.verb = verb;
    call.resource = &kube::resource_of<api::ConfigMap>();
    call.ns = "web";
    return call;
  }

  std::unique_ptr<FrontendRig> rig_;
};

INSTANTIATE_TEST_SUITE_P(Both,
                         FrontendsTest,
                         testing::Values(FrontendKind::Local, FrontendKind::Https),
                         [](const auto& frontend) {
                           return frontend.param == FrontendKind::Local ? "Local" : "Https";
                         });

TEST_P(FrontendsTest, ACreatedObjectIsReadBackUnchanged) {
  const auto made = await(client().create(map_of("a", "1")));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(made->metadata().uid().empty());
  const auto read = await(client().get<api::ConfigMap>("web", "a"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->SerializeAsString(), made->SerializeAsString());
}

TEST_P(FrontendsTest, BothFrontendsReturnTheSameErrorMessages) {
  make_map("a", "1");
  const auto missing = await(client().get<api::ConfigMap>("web", "b"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::NotFound);
  EXPECT_EQ(missing.error().http_status, 404);
  EXPECT_EQ(missing.error().message, "get configmaps web/b: configmaps \"b\" not found (NotFound)");

  const auto twice = await(client().create(map_of("a", "2")));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Errc::AlreadyExists);
  EXPECT_EQ(twice.error().message, "create configmaps in web: configmaps \"a\" already exists (AlreadyExists)");

  const auto nameless = await(client().get<api::ConfigMap>("web", ""));
  ASSERT_FALSE(nameless);
  EXPECT_EQ(nameless.error().message, "get configmaps in web needs the name of an object, and it is empty");
}

TEST_P(FrontendsTest, AnUpdateOfAnOldVersionIsAConflict) {
  auto made = await(client().create(map_of("a", "1")));
  ASSERT_TRUE(made);
  api::ConfigMap mine = *made;
  api::ConfigMap late = *made;
  (*mine.mutable_data())["v"] = "2";
  ASSERT_TRUE(await(client().update(mine)));
  (*late.mutable_data())["v"] = "3";
  const auto refused = await(client().update(late));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Conflict);
  EXPECT_THAT(refused.error().message, HasSubstr("please apply your changes to the latest version and try again"));
}

TEST_P(FrontendsTest, PatchesOfEveryKindChangeTheObject) {
  make_map("a", "1");
  kube::PatchOptions options;
  const auto merged = await(client().patch<api::ConfigMap>("web", "a", R"({"data":{"m":"1"}})", options));
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->data().at("m"), "1");
  options.kind = kube::PatchKind::Json;
  const auto patched =
      await(client().patch<api::ConfigMap>("web", "a", R"([{"op":"replace","path":"/data/v","value":"j"}])", options));
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_EQ(patched->data().at("v"), "j");
  options.kind = kube::PatchKind::StrategicMerge;
  const auto strategic = await(client().patch<api::ConfigMap>("web", "a", R"({"data":{"m":null}})", options));
  ASSERT_TRUE(strategic) << strategic.error().message;
  EXPECT_FALSE(strategic->data().contains("m"));
  options.kind = kube::PatchKind::Apply;
  const std::string wanted =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"data":{"applied":"yes"}})";
  const auto applied = await(client().patch<api::ConfigMap>("web", "new", wanted, options));
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(applied->data().at("applied"), "yes");
}

TEST_P(FrontendsTest, ADryRunStoresNothing) {
  kube::WriteOptions dry;
  dry.dry_run = true;
  ASSERT_TRUE(await(client().create(map_of("a", "1"), dry)));
  const auto read = await(client().get<api::ConfigMap>("web", "a"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::NotFound);
}

TEST_P(FrontendsTest, ListsAreFilteredBySelectorsAndSplitIntoPages) {
  for (int i = 0; i < 5; ++i) make_map("m" + std::to_string(i), "x", i % 2 == 0 ? "even" : "odd");
  kube::ListSettings odd;
  odd.label_selector = "tier=odd";
  const auto some = await(client().list<api::ConfigMap>("web", odd));
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_THAT(names_of(*some), ElementsAre("m1", "m3"));
  kube::ListSettings paged;
  paged.page = 2;
  const auto all = await(client().list<api::ConfigMap>("web", paged));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_THAT(names_of(*all), ElementsAre("m0", "m1", "m2", "m3", "m4"));
  kube::ListSettings by_field;
  by_field.field_selector = "metadata.name=m4";
  const auto one = await(client().list<api::ConfigMap>("", by_field));
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_THAT(names_of(*one), ElementsAre("m4"));
}

TEST_P(FrontendsTest, ADeleteChecksTheUidAndRemovesTheObject) {
  make_map("a", "1");
  make_map("b", "1");
  kube::DeleteSettings other;
  other.uid = "not-this-one";
  const auto refused = await(client().remove<api::ConfigMap>("web", "a", other));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Conflict);
  ASSERT_TRUE(await(client().remove<api::ConfigMap>("web", "a")));
  EXPECT_FALSE(await(client().get<api::ConfigMap>("web", "a")));
  ASSERT_TRUE(await(client().remove_all<api::ConfigMap>("web", {})));
  EXPECT_FALSE(await(client().get<api::ConfigMap>("web", "b")));
}

TEST_P(FrontendsTest, AnUnknownResourceIsNotFound) {
  kube::ResourceType unknown = kube::resource_of<api::ConfigMap>();
  unknown.plural = "gadgets";
  ApiCall call;
  call.verb = Verb::List;
  call.resource = &unknown;
  const auto listed = await(rig_->api().list(call, [](const ObjectPtr&) {}));
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, Errc::NotFound);
}

net::Task<Result<std::vector<std::string>>> follow(kube::Api& api, ApiCall call, std::size_t enough) {
  std::vector<std::string> seen;
  auto stream = co_await api.watch(std::move(call));
  if (!stream) co_return fail(std::move(stream.error()));
  while (seen.size() < enough) {
    auto events = co_await (*stream)->next();
    if (!events) co_return fail(std::move(events.error()));
    if (events->empty()) break;
    for (const kube::WatchEvent& event : *events) seen.push_back(event_text(event));
  }
  co_return seen;
}

TEST_P(FrontendsTest, AWatchReturnsTheChangesSinceAResourceVersion) {
  const auto first = await(client().create(map_of("a", "1", "x")));
  ASSERT_TRUE(first);
  api::ConfigMap changed = *first;
  (*changed.mutable_data())["v"] = "2";
  ASSERT_TRUE(await(client().update(changed)));
  make_map("b", "1", "y");
  ASSERT_TRUE(await(client().patch<api::ConfigMap>("web", "a", R"({"metadata":{"labels":{"tier":"y"}}})")));
  ApiCall call = maps_call(Verb::Watch);
  call.resource_version = first->metadata().resource_version();
  call.label_selector = "tier=x";
  EXPECT_THAT(*await(follow(rig_->api(), call, 2)), ElementsAre("MODIFIED a", "DELETED a"));
  call.label_selector = "";
  EXPECT_THAT(*await(follow(rig_->api(), call, 3)), ElementsAre("MODIFIED a", "ADDED b", "MODIFIED a"));
}

TEST_P(FrontendsTest, AnObjectThatStopsMatchingIsReportedAtTheVersionOfThatChange) {
  const auto first = await(client().create(map_of("a", "1", "x")));
  ASSERT_TRUE(first);
  const auto moved = await(client().patch<api::ConfigMap>("web", "a", R"({"metadata":{"labels":{"tier":"y"}}})"));
  ASSERT_TRUE(moved);
  ApiCall call = maps_call(Verb::Watch);
  call.resource_version = first->metadata().resource_version();
  call.label_selector = "tier=x";
  const auto versions = await(versions_of(rig_->api(), call));
  ASSERT_TRUE(versions) << versions.error().message;
  EXPECT_THAT(*versions,
              ElementsAre(moved->metadata().resource_version() + "=" + moved->metadata().resource_version()));
}

TEST_P(FrontendsTest, AStreamingListEndsWithABookmark) {
  make_map("a", "1");
  make_map("b", "1");
  ApiCall call = maps_call(Verb::Watch);
  call.send_initial_events = true;
  call.resource_version_match = "NotOlderThan";
  EXPECT_THAT(*await(follow(rig_->api(), call, 3)), ElementsAre("ADDED a", "ADDED b", "BOOKMARK end"));
}

TEST_P(FrontendsTest, AWatchSendsABookmarkEveryMinuteAndEndsAfterItsTimeout) {
  make_map("a", "1");
  ApiCall call = maps_call(Verb::Watch);
  call.watch_for = std::chrono::seconds{150};
  EXPECT_THAT(*await(follow(rig_->api(), call, 100)), ElementsAre("ADDED a", "BOOKMARK", "BOOKMARK"));
}

TEST_P(FrontendsTest, AWatchFromAForgottenVersionIsExpired) {
  make_map("a", "1");
  const auto old = await(client().get<api::ConfigMap>("web", "a"));
  ASSERT_TRUE(old);
  rig_->run_on_server_thread([this] { rig_->server.store().forget_history(); });
  make_map("b", "1");
  rig_->run_on_server_thread([this] { rig_->server.store().forget_history(); });
  ApiCall call = maps_call(Verb::Watch);
  call.resource_version = old->metadata().resource_version();
  const auto seen = await(follow(rig_->api(), call, 1));
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, Errc::Expired);
}

TEST_P(FrontendsTest, PodsAreBoundAndEvictedThroughTheirSubresources) {
  ASSERT_TRUE(await(client().create(node_of("n1"))));
  ASSERT_TRUE(await(client().create(pod_of("p"))));
  api::Binding binding;
  binding.mutable_metadata()->set_name("p");
  binding.mutable_metadata()->set_namespace_("web");
  binding.mutable_target()->set_kind("Node");
  binding.mutable_target()->set_name("n1");
  const auto bound = await(client().create_sub<api::Pod>("web", "p", "binding", binding));
  ASSERT_TRUE(bound) << bound.error().message;
  const auto pod = await(client().get<api::Pod>("web", "p"));
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->spec().node_name(), "n1");
  const auto again = await(client().create_sub<api::Pod>("web", "p", "binding", binding));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::Conflict);

  api::Eviction eviction;
  eviction.mutable_metadata()->set_name("p");
  eviction.mutable_metadata()->set_namespace_("web");
  const auto evicted = await(client().create_sub<api::Pod>("web", "p", "eviction", eviction));
  ASSERT_TRUE(evicted) << evicted.error().message;
}

TEST_P(FrontendsTest, ADeploymentIsScaledThroughTheScaleSubresource) {
  ASSERT_TRUE(await(client().create(deployment_of("d", 2))));
  kube::PatchOptions options;
  options.subresource = "scale";
  ApiCall call;
  call.verb = Verb::Patch;
  call.resource = &kube::resource_of<api::Deployment>();
  call.ns = "web";
  call.name = "d";
  call.subresource = "scale";
  call.patch = R"({"spec":{"replicas":5}})";
  api::Scale scale;
  const auto scaled = await(rig_->api().call(call, &scale));
  ASSERT_TRUE(scaled) << scaled.error().message;
  EXPECT_EQ(scale.spec().replicas(), 5);
  EXPECT_EQ(await(client().get<api::Deployment>("web", "d"))->spec().replicas(), 5);
  call.subresource = "colour";
  const auto nothing = await(rig_->api().call(call, &scale));
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, Errc::NotFound);
}

TEST_P(FrontendsTest, TheStatusSubresourceChangesOnlyTheStatus) {
  ASSERT_TRUE(await(client().create(pod_of("p"))));
  kube::PatchOptions options;
  options.subresource = "status";
  const auto patched = await(client().patch<api::Pod>(
      "web", "p", R"({"status":{"phase":"Running"},"spec":{"nodeName":"elsewhere"}})", options));
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_EQ(patched->status().phase(), "Running");
  EXPECT_EQ(patched->spec().node_name(), "");
}

TEST_P(FrontendsTest, EveryAccessReviewIsAllowed) {
  api::SelfSubjectAccessReview review;
  review.mutable_spec()->mutable_resource_attributes()->set_verb("delete");
  const auto answered = await(client().create(review));
  ASSERT_TRUE(answered) << answered.error().message;
  EXPECT_TRUE(answered->status().allowed());
  EXPECT_EQ(answered->spec().resource_attributes().verb(), "delete");
}

TEST_P(FrontendsTest, TheClientDiscoversTheServerVersionAndResources) {
  const auto version = await(kube::read_server_version(rig_->api()));
  ASSERT_TRUE(version) << version.error().message;
  EXPECT_EQ(version->git_version, "v1.36.4-embedded");
  EXPECT_TRUE(kube::check_supported(*version));
  const auto resources = await(kube::discover_resources(rig_->api()));
  ASSERT_TRUE(resources) << resources.error().message;
  EXPECT_TRUE(resources->allows("", "v1", "pods", "watch"));
  EXPECT_TRUE(resources->allows("", "v1", "pods/eviction", "create"));
  EXPECT_TRUE(resources->allows("apps", "v1", "deployments/scale", "patch"));
  EXPECT_FALSE(resources->allows("metrics.k8s.io", "v1beta1", "nodes", "watch"));
  EXPECT_EQ(await(rig_->api().get_text("/readyz", "*/*")).value(), "ok");
  const auto nowhere = await(rig_->api().get_text("/nowhere", "*/*"));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "get /nowhere: the server answered 404 with \"404 page not found\"");
}

}  // namespace
}  // namespace rescheduler::sim
