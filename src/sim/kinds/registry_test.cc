#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/proto/events.pb.h"
#include "sim/kinds/custom/custom_version.h"
#include "sim/kinds/kind.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {
namespace {

CustomObject definition(std::string_view versions) {
  CustomObject object;
  object.mutable_metadata()->set_name("migrations.rescheduler.io");
  object.set_content(R"({"spec":{"group":"rescheduler.io","scope":"Namespaced","names":{"plural":"migrations",)"
                     R"("singular":"migration","kind":"Migration","shortNames":["mig"]},"versions":)"
                     + std::string(versions) + "}}");
  return object;
}

TEST(KindRegistry, FindsBuiltInKindsByResourceKindAndType) {
  const KindRegistry registry;
  const Kind* pods = registry.find("", "v1", "pods");
  ASSERT_NE(pods, nullptr);
  EXPECT_EQ(pods, &registry.of<api::Pod>());
  EXPECT_EQ(pods, registry.find_kind("", "", "Pod"));
  EXPECT_EQ(registry.find("", "v2", "pods"), nullptr);
  EXPECT_EQ(registry.find("metrics.k8s.io", "", "pods")->kind, "PodMetrics");
  EXPECT_EQ(registry.find("rbac.authorization.k8s.io", "v1", "roles")->type, nullptr);
}

TEST(KindRegistry, ServesCoreEventsAsAViewOfTheStoredEvents) {
  const KindRegistry registry;
  const Kind& stored = registry.of<api::Event>();
  EXPECT_EQ(stored.group, "events.k8s.io");
  EXPECT_EQ(stored.stored_as, nullptr);
  EXPECT_EQ(&registry.find("", "v1", "events")->stored(), &stored);
}

TEST(KindRegistry, SortsTheServedKindsByGroupVersionAndPlural) {
  const KindRegistry registry;
  const auto served = registry.served();
  ASSERT_GT(served.size(), 40U);
  for (std::size_t i = 1; i < served.size(); ++i) {
    EXPECT_LT(std::tie(served[i - 1]->group, served[i - 1]->version, served[i - 1]->plural),
              std::tie(served[i]->group, served[i]->version, served[i]->plural));
  }
}

TEST(KindRegistry, KeepsThePointerToAReplacedKindValid) {
  KindRegistry registry;
  const auto before = registry.revision();
  registry.define(definition(R"([{"name":"v1","served":true,"storage":true}])"));
  const Kind* first = registry.find("rescheduler.io", "v1", "migrations");
  ASSERT_NE(first, nullptr);
  EXPECT_FALSE(first->has_status);
  EXPECT_GT(registry.revision(), before);
  registry.define(definition(R"([{"name":"v1","served":true,"storage":true,"subresources":{"status":{}}}])"));
  EXPECT_EQ(registry.find("rescheduler.io", "v1", "migrations"), first);
  EXPECT_TRUE(first->has_status);
  registry.withdraw("rescheduler.io", "migrations");
  EXPECT_EQ(registry.find("rescheduler.io", "v1", "migrations"), nullptr);
  EXPECT_EQ(registry.find_kind("rescheduler.io", "v1", "Migration"), nullptr);
  EXPECT_EQ(first->kind, "Migration");
}

TEST(KindRegistry, StoresAllVersionsUnderTheFirstStorageVersion) {
  KindRegistry registry;
  registry.define(definition(R"([{"name":"v1alpha1","served":true,"storage":true},)"
                             R"({"name":"v1","served":true,"storage":false}])"));
  const Kind* alpha = registry.find("rescheduler.io", "v1alpha1", "migrations");
  EXPECT_EQ(&registry.find("rescheduler.io", "v1", "migrations")->stored(), alpha);
  EXPECT_EQ(registry.find("rescheduler.io", "", "migrations")->version, "v1");
  registry.define(definition(R"([{"name":"v1alpha1","served":false,"storage":false},)"
                             R"({"name":"v1","served":true,"storage":true}])"));
  EXPECT_EQ(registry.find("rescheduler.io", "v1alpha1", "migrations"), nullptr);
  EXPECT_EQ(&registry.find("rescheduler.io", "v1", "migrations")->stored(), alpha);
}

TEST(KindRegistry, IgnoresADefinitionOfABuiltInKind) {
  KindRegistry registry;
  CustomObject rogue;
  rogue.set_content(R"({"spec":{"group":"apps","names":{"plural":"deployments","kind":"Deployment"},)"
                    R"("versions":[{"name":"v1","served":true,"storage":true}]}})");
  registry.define(rogue);
  EXPECT_FALSE(registry.find("apps", "v1", "deployments")->custom);
}

TEST(KindRegistry, PrefersStableAndThenHigherVersions) {
  EXPECT_TRUE(is_preferred_version("v1", "v1beta2"));
  EXPECT_TRUE(is_preferred_version("v2", "v1"));
  EXPECT_TRUE(is_preferred_version("v10", "v2"));
  EXPECT_TRUE(is_preferred_version("v1beta2", "v2alpha1"));
  EXPECT_TRUE(is_preferred_version("v1beta10", "v1beta2"));
  EXPECT_TRUE(is_preferred_version("v1alpha1", "foo"));
  EXPECT_TRUE(is_preferred_version("bar", "foo"));
  EXPECT_FALSE(is_preferred_version("v1", "v1"));
}

}  // namespace
}  // namespace rescheduler::sim
