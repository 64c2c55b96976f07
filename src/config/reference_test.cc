#include "config/reference.h"

#include <set>

#include <gmock/gmock.h>

namespace rescheduler::config {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

const ReferenceField* find(const std::vector<ReferenceField>& all, std::string_view section, std::string_view path) {
  for (const ReferenceField& field : all) {
    if (field.section == section && field.path == path) return &field;
  }
  return nullptr;
}

bool is_chinese(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0xE4; });
}

TEST(Reference, EveryFieldHasAMeaningInBothLanguages) {
  std::set<std::string> fields;
  for (const ReferenceField& field : reference_fields(default_catalog())) {
    const std::string key = field.section + " " + field.path;
    fields.insert(key);
    EXPECT_FALSE(field.meaning.english.empty()) << key;
    EXPECT_TRUE(is_chinese(field.meaning.chinese)) << key;
  }
  EXPECT_GT(fields.size(), 150U);
}

TEST(Reference, FieldsHaveTheTypesDefaultsAndRangesOfTheReader) {
  const auto all = reference_fields(default_catalog());
  const auto* threshold = find(all, "Rescheduler", "cpuThreshold");
  ASSERT_NE(threshold, nullptr);
  EXPECT_EQ(threshold->type, "number");
  EXPECT_EQ(threshold->usual, "80");
  EXPECT_EQ(threshold->range, "above 0 to 100");
  const auto* interval = find(all, "Rescheduler", "reschedulingInterval");
  ASSERT_NE(interval, nullptr);
  EXPECT_EQ(interval->type, "duration");
  EXPECT_EQ(interval->usual, "30s");
  const auto* kind = find(all, "Rescheduler", "load.sources[].kind");
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(kind->range, "prometheus, metrics-server and file");
  const auto* lease = find(all, "KubeSchedulerConfiguration", "leaderElection.leaseDuration");
  ASSERT_NE(lease, nullptr);
  EXPECT_EQ(lease->usual, "15s");
  EXPECT_NE(find(all, "KubeSchedulerConfiguration", "profiles[].plugins.POINT.enabled[].weight"), nullptr);
  EXPECT_NE(find(all, "Podrescheduling", "recovery.rules.crashLoop.restarts"), nullptr);
}

TEST(Reference, BothPagesHaveARowForEachField) {
  const auto rows = [](const std::string& page) {
    std::size_t count = 0;
    for (auto at = page.find("\n| `"); at != std::string::npos; at = page.find("\n| `", at + 1)) ++count;
    return count;
  };
  const std::size_t fields = reference_fields(default_catalog()).size();
  EXPECT_EQ(rows(reference_page(default_catalog(), Language::English)), fields);
  EXPECT_EQ(rows(reference_page(default_catalog(), Language::Chinese)), fields);
  EXPECT_THAT(reference_page(default_catalog(), Language::Chinese), HasSubstr("大于 0 至 100"));
}

TEST(Reference, TheOriginOfAValueIsTheFileUnlessAFlagOverridesTheFile) {
  constexpr std::string_view kText = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaseDuration: 20s, resourceName: other}
profiles:
- plugins: {multiPoint: {enabled: [{name: Rescheduler}]}}
  pluginConfig:
  - name: Rescheduler
    args: {cpuThreshold: 70, load: {interval: 5s}}
)";
  RunOptions options;
  options.config = "a.yaml";
  options.leader_elect_lease_duration = "30s";
  options.kube_api_qps = 7;  // no effect, because there is a file
  const auto origins = value_origins(kText, "a.yaml", options);
  EXPECT_THAT(origins, Contains(Pair("profiles[0].pluginConfig[0].args.cpuThreshold", Origin::File)));
  EXPECT_THAT(origins, Contains(Pair("profiles[0].pluginConfig[0].args.load.interval", Origin::File)));
  EXPECT_THAT(origins, Contains(Pair("leaderElection.leaseDuration", Origin::Flag)));
  EXPECT_THAT(origins, Contains(Pair("leaderElection.resourceName", Origin::File)));
  EXPECT_THAT(origins, Not(Contains(Key("clientConnection.qps"))));
  EXPECT_THAT(origins, Not(Contains(Key("profiles[0].pluginConfig[0].args.memoryThreshold"))));
}

}  // namespace
}  // namespace rescheduler::config
