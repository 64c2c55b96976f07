#include "sim/kinds/custom/custom_version.h"
#include "sim/kinds/rules_fixture.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {
namespace {

using testing::expect_faults;
using testing::RulesFixture;

constexpr std::string_view kSchema =
    R"({"type":"object","required":["spec"],"properties":{"spec":{"type":"object","required":["pod"],"properties":{)"
    R"("pod":{"type":"string","minLength":1,"maxLength":5},"mode":{"type":"string","enum":["Evict","Surge"],)"
    R"("default":"Evict"},"tries":{"type":"integer","minimum":1,"maximum":9},"port":{"x-kubernetes-int-or-string":true},)"
    R"("nodes":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","pattern":"^n[0-9]+$"}},)"
    R"("labels":{"type":"object","additionalProperties":{"type":"string"}},"free":{"type":"object",)"
    R"("x-kubernetes-preserve-unknown-fields":true},"note":{"type":"string","nullable":true}}},)"
    R"("status":{"type":"object","properties":{"phase":{"type":"string"}}}}})";

std::string definition(std::string_view more = "") {
  return fmt::format(
      R"({{"metadata":{{"name":"migrations.rescheduler.io"}},"spec":{{"group":"rescheduler.io","scope":"Namespaced",)"
      R"("names":{{"plural":"migrations","kind":"Migration"}},"versions":[{{"name":"v1","served":true,"storage":true,)"
      R"("subresources":{{"status":{{}}}},"additionalPrinterColumns":[{{"name":"Phase","type":"string","jsonPath":)"
      R"(".status.phase"}}],"selectableFields":[{{"jsonPath":".spec.mode"}}],"schema":{{"openAPIV3Schema":{}}}}}]{}}}}})",
      kSchema, more);
}

struct MigrationRules : RulesFixture {
  MigrationRules() {
    const auto created = create("customresourcedefinitions.apiextensions.k8s.io", definition());
    EXPECT_TRUE(created.faults.empty()) << fmt::format("{}", fmt::join(created.faults, "\n"));
    kinds.define(static_cast<const CustomObject&>(*created.object));
  }
  std::vector<std::string> faults(std::string_view spec) const {
    return create("migrations.rescheduler.io", fmt::format(R"({{"spec":{}}})", spec)).faults;
  }
  std::string stored(std::string_view json) const {
    return static_cast<const CustomObject&>(*create("migrations.rescheduler.io", json).object).content();
  }
};

TEST(CustomResourceDefinitions, AreEstablishedOnCreation) {
  const RulesFixture rules;
  const auto created = rules.create("customresourcedefinitions.apiextensions.k8s.io", definition());
  const std::string& content = static_cast<const CustomObject&>(*created.object).content();
  for (const char* part : {R"("type":"Established")", R"("type":"NamesAccepted")", R"("storedVersions":["v1"])",
                           R"("listKind":"MigrationList")", R"("singular":"migration")"}) {
    EXPECT_NE(content.find(part), std::string::npos) << part << " in " << content;
  }
}

TEST(CustomResourceDefinitions, DefineTheNamesColumnsAndSubresourcesOfTheKind) {
  const MigrationRules rules;
  const Kind& kind = rules.kind("migrations.rescheduler.io");
  EXPECT_EQ(kind.list_kind, "MigrationList");
  EXPECT_TRUE(kind.has_status);
  EXPECT_FALSE(kind.has_scale);
  EXPECT_TRUE(kind.namespaced);
  ASSERT_EQ(kind.definition->columns.size(), 1U);
  EXPECT_EQ(kind.definition->columns[0].json_path, ".status.phase");
}

TEST(CustomResourceDefinitions, AreRejectedWhenTheyAreInvalid) {
  const RulesFixture rules;
  const auto faults = [&](std::string_view json) {
    return rules.create("customresourcedefinitions.apiextensions.k8s.io", json).faults;
  };
  expect_faults(faults(R"({"metadata":{"name":"x"},"spec":{"group":"io","scope":"Local","names":{"plural":"as","kind":)"
                       R"("A"},"versions":[{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":)"
                       R"({"type":"object"}}}]}})"),
                {"metadata.name: Invalid value: \"x\": must be spec.names.plural+\".\"+spec.group",
                 "spec.group: Invalid value: \"io\": should be a domain with at least one dot",
                 "spec.scope: Unsupported value: \"Local\": supported values: \"Cluster\", \"Namespaced\"",
                 "spec.versions: Invalid value: ["});
  expect_faults(
      faults(R"({"metadata":{"name":"as.a.b"},"spec":{"group":"a.b","scope":"Cluster","names":{"plural":"as",)"
             R"("kind":"A"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
             R"({"type":"object","properties":{"spec":{"type":"string","pattern":"("}}}}}]}})"),
      {"spec.versions[0].schema.openAPIV3Schema: Invalid value: \"schema\": properties[spec].pattern: "});
}

TEST(CustomKinds, ValidateObjectsAgainstTheSchema) {
  const MigrationRules rules;
  expect_faults(rules.faults(R"({"pod":"a"})"), {});
  expect_faults(rules.create("migrations.rescheduler.io", "{}").faults, {"spec: Required value"});
  for (const auto& [spec, fault] : std::vector<std::pair<std::string, std::string>>{
           {R"({})", "spec.pod: Required value"},
           {R"({"pod":""})", "spec.pod: Invalid value: \"\": spec.pod in body should be at least 1 chars long"},
           {R"({"pod":"abcdef"})", "spec.pod: Too long: may not be more than 5 bytes"},
           {R"({"pod":7})",
            "spec.pod: Invalid value: \"integer\": spec.pod in body must be of type string: \"integer\""},
           {R"({"pod":null})", "spec.pod: Invalid value: \"null\": spec.pod in body must be of type string: \"null\""},
           {R"({"pod":"a","mode":"Run"})",
            "spec.mode: Unsupported value: \"Run\": supported values: \"Evict\", \"Surge\""},
           {R"({"pod":"a","tries":0})",
            "spec.tries: Invalid value: 0: spec.tries in body should be greater than or equal to 1"},
           {R"({"pod":"a","tries":10})",
            "spec.tries: Invalid value: 10: spec.tries in body should be less than or equal to 9"},
           {R"({"pod":"a","tries":1.5})",
            "spec.tries: Invalid value: \"number\": spec.tries in body must be of type integer: \"number\""},
           {R"({"pod":"a","port":true})",
            "spec.port: Invalid value: \"boolean\": spec.port in body must be of type integer,string: \"boolean\""},
           {R"({"pod":"a","nodes":[]})",
            "spec.nodes: Invalid value: 0: spec.nodes in body should have at least 1 items"},
           {R"({"pod":"a","nodes":["n1","n2","n3"]})", "spec.nodes: Too many: 3: must have at most 2 items"},
           {R"({"pod":"a","nodes":["x"]})",
            "spec.nodes[0]: Invalid value: \"x\": spec.nodes[0] in body should match '^n[0-9]+$'"},
           {R"({"pod":"a","labels":{"k":1}})",
            "spec.labels.k: Invalid value: \"integer\": spec.labels.k in body must be of type string: \"integer\""}}) {
    expect_faults(rules.faults(spec), {fault});
  }
  expect_faults(rules.faults(R"({"pod":"a","note":null,"port":"http","free":{"x":[1]}})"), {});
}

TEST(CustomKinds, PruneUnknownFieldsAndSetDefaults) {
  const MigrationRules rules;
  EXPECT_EQ(rules.stored(R"({"spec":{"pod":"a","typo":1,"free":{"kept":1},"labels":{"k":"v"}},"other":2})"),
            R"({"spec":{"free":{"kept":1},"labels":{"k":"v"},"mode":"Evict","pod":"a"}})");
}

TEST(CustomKinds, RejectUnknownFieldsInStrictMode) {
  const MigrationRules rules;
  const auto object = object_from_json(rules.kind("migrations.rescheduler.io"),
                                       R"({"metadata":{"name":"m"},"spec":{"pod":"a","typo":1,"free":{"x":1}}})", true);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().message,
            "Migration in version \"v1\" cannot be handled as a Migration: strict decoding error: unknown field "
            "\"spec.typo\"");
}

TEST(CustomKinds, UpdateStatusAndSpecSeparately) {
  const MigrationRules rules;
  const Kind& kind = rules.kind("migrations.rescheduler.io");
  const auto created = rules.create("migrations.rescheduler.io", R"({"spec":{"pod":"a"},"status":{"phase":"Done"}})");
  EXPECT_EQ(static_cast<const CustomObject&>(*created.object).content(), R"({"spec":{"mode":"Evict","pod":"a"}})");
  const MessagePtr sent = RulesFixture::read(
      kind,
      R"({"metadata":{"name":"x","labels":{"a":"b"}},"spec":{"mode":"Surge","pod":"b"},"status":{"phase":"Done"}})");
  MessagePtr by_status(sent->New());
  by_status->CopyFrom(*sent);
  kind.rules.on_status_update(*created.object, *by_status);
  EXPECT_EQ(static_cast<const CustomObject&>(*by_status).content(),
            R"({"spec":{"mode":"Evict","pod":"a"},"status":{"phase":"Done"}})");
  EXPECT_TRUE(kube::metadata_of(*by_status).labels().empty());
  EXPECT_FALSE(kind.rules.spec_differs(*created.object, *by_status));
  kind.rules.on_update(*created.object, *sent);
  EXPECT_EQ(static_cast<const CustomObject&>(*sent).content(), R"({"spec":{"mode":"Surge","pod":"b"}})");
  EXPECT_TRUE(kind.rules.spec_differs(*created.object, *sent));
}

TEST(CustomKinds, SupportTheirSelectableFields) {
  const MigrationRules rules;
  const Kind& kind = rules.kind("migrations.rescheduler.io");
  const auto created = rules.create("migrations.rescheduler.io", R"({"spec":{"pod":"a"}})");
  EXPECT_EQ(kind.rules.selectable_fields, std::vector<std::string>{"spec.mode"});
  std::string scratch;
  EXPECT_EQ(*kind.rules.field(*created.object, "spec.mode", scratch), "Evict");
}

}  // namespace
}  // namespace rescheduler::sim
