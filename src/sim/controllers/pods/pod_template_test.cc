#include "sim/controllers/pods/pod_template.h"

#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::sim {
namespace {

api::PodTemplateSpec with_labels(const std::vector<std::pair<std::string, std::string>>& labels) {
  api::PodTemplateSpec made;
  for (const auto& [key, value] : labels) (*made.mutable_metadata()->mutable_labels())[key] = value;
  made.mutable_spec()->add_containers()->set_image("app:1");
  return made;
}

TEST(PodTemplate, EqualTemplatesHaveEqualHashesRegardlessOfInsertionOrder) {
  const auto a = with_labels({{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}});
  const auto b = with_labels({{"d", "4"}, {"c", "3"}, {"b", "2"}, {"a", "1"}});
  EXPECT_EQ(template_hash(a, 0), template_hash(b, 0));
  EXPECT_TRUE(same_template(a, b));
  EXPECT_EQ(template_hash(with_labels({{"a", "1"}}), 0), "f54f7dfd6") << "the hash must never change between versions";
}

TEST(PodTemplate, AChangedTemplateOrCollisionCountChangesTheHash) {
  const auto a = with_labels({{"a", "1"}});
  auto b = a;
  b.mutable_spec()->mutable_containers(0)->set_image("app:2");
  EXPECT_NE(template_hash(a, 0), template_hash(b, 0));
  EXPECT_NE(template_hash(a, 0), template_hash(a, 1));
  EXPECT_FALSE(same_template(a, b));
}

TEST(PodTemplate, TheComparisonOfTemplatesIgnoresThePodTemplateHashLabel) {
  EXPECT_TRUE(same_template(with_labels({{"a", "1"}}), with_labels({{"a", "1"}, {"pod-template-hash", "x"}})));
}

TEST(PodTemplate, HashesUseOnlyCharactersThatFormNoWords) {
  for (int i = 0; i < 200; ++i) {
    const std::string hash = content_hash("x" + std::to_string(i), 0);
    EXPECT_EQ(hash.find_first_not_of("bcdfghjklmnpqrstvwxz2456789"), std::string::npos) << hash;
  }
}

}  // namespace
}  // namespace rescheduler::sim
