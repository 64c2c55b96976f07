// The typed client against an API server: every call, and every refusal that a caller must be able to distinguish.
#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "support/cluster.h"
#include "support/objects.h"

namespace rescheduler::test {
namespace {

class Calls : public ClusterTest {};
RESCHEDULER_ON_EVERY_CLUSTER(Calls);

TEST_P(Calls, CreateGetUpdateAndDeleteWorkAndAStaleUpdateIsAConflict) {
  auto created = await(client().create(config_map(ns(), "a", {{"k", "1"}})));
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_FALSE(created->metadata().uid().empty());

  auto read = await(client().get<api::ConfigMap>(ns(), "a"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->metadata().uid(), created->metadata().uid());

  (*read->mutable_data())["k"] = "2";
  auto updated = await(client().update(*read));
  ASSERT_TRUE(updated) << updated.error().message;
  EXPECT_EQ(updated->data().at("k"), "2");

  auto stale = await(client().update(*read));
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, Errc::Conflict) << stale.error().message;

  ASSERT_TRUE(await(client().remove<api::ConfigMap>(ns(), "a")));
  auto gone = await(client().get<api::ConfigMap>(ns(), "a"));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, Errc::NotFound) << gone.error().message;
}

TEST_P(Calls, EachKindOfRefusalHasItsErrorCode) {
  ASSERT_TRUE(await(client().create(config_map(ns(), "a", {}))));
  auto twice = await(client().create(config_map(ns(), "a", {})));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Errc::AlreadyExists) << twice.error().message;

  auto invalid = await(client().create(config_map(ns(), "Not_A_Name", {})));
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error().code, Errc::Invalid) << invalid.error().message;
  EXPECT_NE(invalid.error().message.find("Not_A_Name"), std::string::npos);

  kube::DeleteSettings other;
  other.uid = "11111111-2222-3333-4444-555555555555";
  auto wrong_uid = await(client().remove<api::ConfigMap>(ns(), "a", other));
  ASSERT_FALSE(wrong_uid);
  EXPECT_EQ(wrong_uid.error().code, Errc::Conflict) << wrong_uid.error().message;

  auto nowhere = await(client().create(config_map("no-such-namespace", "a", {})));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Errc::NotFound) << nowhere.error().message;
}

TEST_P(Calls, EveryPatchTypeIsApplied) {
  ASSERT_TRUE(await(client().create(config_map(ns(), "a", {{"k", "1"}}))));
  auto patched = [&](kube::PatchKind kind, std::string text) {
    kube::PatchOptions options;
    options.kind = kind;
    return await(client().patch<api::ConfigMap>(ns(), "a", std::move(text), options));
  };
  auto merged = patched(kube::PatchKind::Merge, R"({"data":{"m":"2"}})");
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->data().at("m"), "2");
  EXPECT_EQ(merged->data().at("k"), "1");

  auto json = patched(kube::PatchKind::Json, R"([{"op":"remove","path":"/data/k"}])");
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_FALSE(json->data().contains("k"));

  auto strategic = patched(kube::PatchKind::StrategicMerge, R"({"metadata":{"labels":{"s":"3"}}})");
  ASSERT_TRUE(strategic) << strategic.error().message;
  EXPECT_EQ(strategic->metadata().labels().at("s"), "3");

  auto applied = patched(kube::PatchKind::Apply,
                         R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"applied":"4"}})");
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(applied->data().at("applied"), "4");
}

TEST_P(Calls, ADryRunChangesNothing) {
  kube::WriteOptions dry;
  dry.dry_run = true;
  ASSERT_TRUE(await(client().create(config_map(ns(), "a", {}), dry)));
  EXPECT_FALSE(await(client().get<api::ConfigMap>(ns(), "a")));

  ASSERT_TRUE(await(client().create(config_map(ns(), "a", {}))));
  kube::DeleteSettings dry_delete;
  dry_delete.dry_run = true;
  ASSERT_TRUE(await(client().remove<api::ConfigMap>(ns(), "a", dry_delete)));
  EXPECT_TRUE(await(client().get<api::ConfigMap>(ns(), "a")));
}

TEST_P(Calls, ListsReadAllPagesAndListAndDeleteHonourSelectors) {
  for (int number = 0; number < 7; ++number) {
    auto map = config_map(ns(), fmt::format("m{}", number), {});
    (*map.mutable_metadata()->mutable_labels())["parity"] = number % 2 == 0 ? "even" : "odd";
    ASSERT_TRUE(await(client().create(map)));
  }
  kube::ListSettings settings;
  settings.page = 2;
  settings.label_selector = "parity";
  auto all = await(client().list<api::ConfigMap>(ns(), settings));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->size(), 7U);
  settings.label_selector = "parity in (odd)";
  EXPECT_EQ(await(client().list<api::ConfigMap>(ns(), settings))->size(), 3U);
  settings.field_selector = "metadata.name=m3";
  EXPECT_EQ(await(client().list<api::ConfigMap>(ns(), settings))->size(), 1U);

  settings.field_selector.clear();
  settings.label_selector = "parity=even";
  ASSERT_TRUE(await(client().remove_all<api::ConfigMap>(ns(), settings)));
  settings.label_selector = "parity";
  EXPECT_EQ(await(client().list<api::ConfigMap>(ns(), settings))->size(), 3U);
}

TEST_P(Calls, ASecondBindingOfAPodIsAConflict) {
  ASSERT_TRUE(await(client().create(pod_of(ns(), "p", ""))));
  auto bound = await(client().create_sub<api::Pod>(ns(), "p", "binding", binding_to(ns(), "p", "some-node")));
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(await(client().get<api::Pod>(ns(), "p"))->spec().node_name(), "some-node");
  auto again = await(client().create_sub<api::Pod>(ns(), "p", "binding", binding_to(ns(), "p", "other-node")));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::Conflict) << again.error().message;
}

TEST_P(Calls, AnEvictionThatThePodDisruptionBudgetForbidsIsReturnedAsThrottled) {
  auto pod = pod_of(ns(), "p", "some-node");
  (*pod.mutable_metadata()->mutable_labels())["app"] = "web";
  auto created = await(client().create(pod));
  ASSERT_TRUE(created) << created.error().message;
  // The API server checks the PodDisruptionBudget of running pods only.
  ASSERT_TRUE(await(client().patch<api::Pod>(ns(), "p", R"({"status":{"phase":"Running"}})", status_patch())));
  api::PodDisruptionBudget budget;
  budget.mutable_metadata()->set_namespace_(ns());
  budget.mutable_metadata()->set_name("b");
  budget.mutable_spec()->mutable_min_available()->set_int_val(1);
  (*budget.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "web";
  ASSERT_TRUE(await(client().create(budget)));

  api::Eviction eviction;
  eviction.mutable_metadata()->set_namespace_(ns());
  eviction.mutable_metadata()->set_name("p");
  eviction.mutable_delete_options()->mutable_preconditions()->set_uid(created->metadata().uid());
  kube::WriteOptions once;
  once.repeat = kube::Repeat::Never;
  auto refused = await(client().create_sub<api::Pod>(ns(), "p", "eviction", eviction, once));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Throttled) << refused.error().message;
  EXPECT_NE(refused.error().message.find("disruption budget"), std::string::npos) << refused.error().message;

  ASSERT_TRUE(await(client().remove<api::PodDisruptionBudget>(ns(), "b")));
  ASSERT_TRUE(eventually(
      [&] { return await(client().create_sub<api::Pod>(ns(), "p", "eviction", eviction, once)).has_value(); }));
  EXPECT_TRUE(await(client().get<api::Pod>(ns(), "p"))->metadata().has_deletion_timestamp());
}

TEST_P(Calls, AScaleIsReadAndWrittenThroughItsSubresource) {
  ASSERT_TRUE(await(client().create(deployment_of(ns(), "d", 2))));
  kube::ApiCall call;
  call.verb = kube::Verb::Get;
  call.resource = &kube::resource_of<api::Deployment>();
  call.ns = ns();
  call.name = "d";
  call.subresource = "scale";
  api::Scale scale;
  auto read = live().await(live().api().call(call, &scale));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(scale.spec().replicas(), 2);
  scale.mutable_spec()->set_replicas(3);
  scale.mutable_metadata()->clear_resource_version();  // the deployment controller writes at the same time
  call.verb = kube::Verb::Update;
  call.body = &scale;
  auto written = live().await(live().api().call(call, nullptr));
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(await(client().get<api::Deployment>(ns(), "d"))->spec().replicas(), 3);
}

// The in-process API encodes nothing.
class Encodings : public ClusterTest {};
INSTANTIATE_TEST_SUITE_P(Embedded, Encodings, testing::Values(Tier::Embedded));
INSTANTIATE_TEST_SUITE_P(Real, Encodings, testing::Values(Tier::Real));

TEST_P(Encodings, JsonAndProtobufGiveTheSameObject) {
  ASSERT_TRUE(await(client().create(elaborate_pod(ns(), "p"))));
  ASSERT_TRUE(await(client().create(deployment_of(ns(), "d", 2))));
  // Controllers write at the same time, so two reads are compared only if they have the same resourceVersion.
  const auto same = [&]<class T>(const std::string& path, const std::string& name) {
    T from_json;
    Result<T> from_protobuf;
    ASSERT_TRUE(eventually([&] {
      auto text = live().await(live().api().get_text(path, "application/json"));
      from_protobuf = await(client().get<T>(ns(), name));
      return text && kube::from_json(*text, from_json) && from_protobuf
             && from_json.metadata().resource_version() == from_protobuf->metadata().resource_version();
    }));
    from_protobuf->DiscardUnknownFields();
    EXPECT_EQ(kube::to_json(from_json), kube::to_json(*from_protobuf));
  };
  same.operator()<api::Pod>(fmt::format("/api/v1/namespaces/{}/pods/p", ns()), "p");
  same.operator()<api::Deployment>(fmt::format("/apis/apps/v1/namespaces/{}/deployments/d", ns()), "d");
}

}  // namespace
}  // namespace rescheduler::test
