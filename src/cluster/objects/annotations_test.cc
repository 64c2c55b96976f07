#include "cluster/objects/annotations.h"

#include <gtest/gtest.h>

#include "kube/proto/meta.pb.h"

namespace rescheduler::cluster {
namespace {

TEST(OptOut, IsReadFromEitherKeyAsLabelOrAnnotation) {
  for (const std::string_view key : {kReschedulingKey, kOwnReschedulingKey}) {
    for (const bool label : {true, false}) {
      const auto meaning = [&](const char* value) {
        api::ObjectMeta meta;
        (label ? *meta.mutable_labels() : *meta.mutable_annotations())[std::string(key)] = value;
        const OptOutValue found = opt_out_value(meta);
        if (found.meaning != OptOut::No) {
          EXPECT_EQ(found.key, key);
          EXPECT_EQ(found.value, value);
        }
        return found.meaning;
      };
      EXPECT_EQ(meaning("disabled"), OptOut::Disabled) << key;
      EXPECT_EQ(meaning("enabled"), OptOut::No) << key;
      EXPECT_EQ(meaning("Disabled"), OptOut::Unclear) << key;
      EXPECT_EQ(meaning(""), OptOut::Unclear) << "an empty value is unclear and protects the object";
    }
  }
  EXPECT_EQ(opt_out_of({}), OptOut::No);
}

TEST(OptOut, TheMostCarefulOfSeveralValuesCounts) {
  api::ObjectMeta meta;
  (*meta.mutable_labels())[std::string(kReschedulingKey)] = "enabled";
  (*meta.mutable_labels())[std::string(kOwnReschedulingKey)] = "nonsense";
  EXPECT_EQ(opt_out_of(meta), OptOut::Unclear);
  (*meta.mutable_annotations())[std::string(kReschedulingKey)] = "disabled";
  EXPECT_EQ(opt_out_of(meta), OptOut::Disabled);
  (*meta.mutable_annotations())[std::string(kOwnReschedulingKey)] = "nonsense";
  EXPECT_EQ(opt_out_of(meta), OptOut::Disabled);
}

TEST(EvictionMarks, AreReadAsTheProgramsThatDefineThemReadThem) {
  using namespace std::chrono_literals;
  const auto marks = [](std::string_view key, const char* value) {
    api::ObjectMeta pod;
    (*pod.mutable_annotations())[std::string(key)] = value;
    return eviction_marks_of(pod);
  };
  EXPECT_TRUE(marks(kSafeToEvictKey, "false").unsafe_to_evict);
  for (const char* other : {"true", "", "False"}) EXPECT_EQ(marks(kSafeToEvictKey, other), EvictionMarks{}) << other;
  EXPECT_EQ(marks(kDoNotDisruptKey, "true").do_not_disrupt, std::chrono::nanoseconds::max());
  EXPECT_EQ(marks(kDoNotDisruptKey, "5m").do_not_disrupt, 5min);
  for (const char* other : {"false", "", "True", "-5m", "soon"}) {
    EXPECT_EQ(marks(kDoNotDisruptKey, other), EvictionMarks{}) << other;
  }
  for (const char* any : {"", "true", "false"}) EXPECT_TRUE(marks(kPreferNoEvictionKey, any).prefer_no_eviction);
  EXPECT_EQ(eviction_marks_of({}), EvictionMarks{});
}

TEST(DrainAllowance, ListsClassesAndKeepsTheFirstUnknownName) {
  const auto allowance = [](const char* value) {
    api::ObjectMeta node;
    (*node.mutable_annotations())[std::string(kDrainAllowsKey)] = value;
    return drain_allowance_of(node);
  };
  EXPECT_EQ(drain_allowance_of({}).classes, DrainClasses{});
  EXPECT_EQ(allowance("").classes, DrainClasses{});
  const DrainAllowance two = allowance("local-storage, bare-pod");
  EXPECT_TRUE(two.classes.contains(DrainClass::LocalStorage));
  EXPECT_TRUE(two.classes.contains(DrainClass::BarePod));
  EXPECT_FALSE(two.classes.contains(DrainClass::Critical));
  EXPECT_EQ(two.unknown, "");
  const DrainAllowance typo = allowance("local,critical,,all");
  EXPECT_TRUE(typo.classes.contains(DrainClass::Critical));
  EXPECT_EQ(typo.unknown, "local");
}

TEST(Maintenance, IsRequestedOnlyByTheValueTrue) {
  for (const std::string_view key : {kMaintenanceKey, kOwnMaintenanceKey}) {
    api::ObjectMeta node;
    EXPECT_FALSE(requests_maintenance(node));
    (*node.mutable_labels())[std::string(key)] = "true";
    EXPECT_TRUE(requests_maintenance(node));
    EXPECT_FALSE(unclear_maintenance(node));
    (*node.mutable_labels())[std::string(key)] = "yes";
    EXPECT_FALSE(requests_maintenance(node));
    EXPECT_TRUE(unclear_maintenance(node));
  }
}

}  // namespace
}  // namespace rescheduler::cluster
