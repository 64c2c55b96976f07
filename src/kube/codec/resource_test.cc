#include "kube/codec/resource.h"

#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/metrics.pb.h"

namespace rescheduler::kube {
namespace {

TEST(Resource, KnowsGroupVersionAndPluralOfAKind) {
  const ResourceType& pod = resource_of<api::Pod>();
  EXPECT_EQ(pod.api_version(), "v1");
  EXPECT_EQ(pod.kind, "Pod");
  EXPECT_EQ(pod.plural, "pods");
  EXPECT_TRUE(pod.namespaced);

  const ResourceType& deployment = resource_of<api::Deployment>();
  EXPECT_EQ(deployment.api_version(), "apps/v1");
  EXPECT_EQ(deployment.group, "apps");
}

TEST(Resource, LinksListsAndItems) {
  EXPECT_EQ(resource_of<api::Pod>().list, &resource_of<api::PodList>());
  EXPECT_EQ(resource_of<api::PodList>().item, &resource_of<api::Pod>());
  EXPECT_EQ(resource_of<api::PodList>().list, nullptr);
  EXPECT_EQ(resource_of<api::Binding>().list, nullptr);
}

TEST(Resource, EveryServedKindHasAList) {
  const std::set<std::string_view> posted_only{"Binding", "SubjectAccessReview", "SelfSubjectAccessReview",
                                               "SelfSubjectRulesReview", "TokenReview"};
  for (const ResourceType& type : all_resources()) {
    if (type.plural.empty() || posted_only.contains(type.kind)) continue;
    ASSERT_NE(type.list, nullptr) << type.kind;
    EXPECT_EQ(type.list->kind, std::string(type.kind) + "List");
    EXPECT_EQ(type.list->api_version(), type.api_version());
  }
}

TEST(Resource, IsFoundOnlyByItsGroupVersionAndKind) {
  EXPECT_EQ(find_kind("apps", "Deployment"), &resource_of<api::Deployment>());
  EXPECT_EQ(find_kind("", "Deployment"), nullptr);
  EXPECT_EQ(find_type("apps/v1", "Deployment"), &resource_of<api::Deployment>());
  EXPECT_EQ(find_type("apps/v1beta1", "Deployment"), nullptr);
  EXPECT_EQ(find_type("v1", "Deployment"), nullptr);
}

TEST(Resource, NoTwoKindsShareAName) {
  std::map<std::pair<std::string, std::string>, std::string> names;
  for (const ResourceType& type : all_resources()) {
    EXPECT_TRUE(names.try_emplace({std::string(type.group), std::string(type.kind)}).second) << type.kind;
    EXPECT_EQ(type.message->name(), type.kind);
  }
  EXPECT_GT(names.size(), 70U);
}

TEST(Resource, AKindThatEveryGroupServesMatchesByKindAlone) {
  const ResourceType& options = resource_of<api::DeleteOptions>();
  EXPECT_TRUE(options.matches("apps/v1", "DeleteOptions"));
  EXPECT_FALSE(options.matches("v1", "Pod"));
  EXPECT_FALSE(resource_of<api::Pod>().matches("apps/v1", "Pod"));
}

TEST(Resource, MakesEmptyObjects) {
  const auto object = find_kind("apps", "StatefulSet")->make();
  EXPECT_EQ(object->GetDescriptor(), api::StatefulSet::descriptor());
  EXPECT_EQ(object->ByteSizeLong(), 0U);
}

TEST(Resource, NestedMessagesAreNotResources) {
  EXPECT_EQ(find_resource(*api::PodSpec::descriptor()), nullptr);
  EXPECT_DEATH((void)resource_of(*api::PodSpec::descriptor()), "PodSpec has no");
}

}  // namespace
}  // namespace rescheduler::kube
