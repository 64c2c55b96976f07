#include "kube/config/yaml_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/config/yaml_reader.h"

namespace rescheduler::kube {
namespace {

TEST(YamlWriter, WritesNestedMapsAndListsInBlockStyle) {
  YamlWriter yaml;
  yaml.field("kind", "Example");
  yaml.field("count", 3);
  yaml.field("share", 0.5);
  yaml.field("on", true);
  yaml.field("names", std::vector<std::string>{"a", "1"});
  yaml.open("profiles");
  for (const char* name : {"one", "two words"}) {
    yaml.item();
    yaml.field("name", name);
    yaml.open("more");
    yaml.field("path", "/etc/x.yaml");
    yaml.close();
  }
  yaml.close();
  yaml.json("raw", R"({"a":[1]})");
  EXPECT_EQ(yaml.text(), R"(kind: Example
count: 3
share: 0.5
"on": true
names: [a, "1"]
profiles:
- name: one
  more:
    path: /etc/x.yaml
- name: "two words"
  more:
    path: /etc/x.yaml
raw: {"a":[1]}
)");
}

TEST(YamlWriter, QuotesTextThatWouldNotBeReadAsAString) {
  for (const char* value : {"",   "true", "No", "null", "~", "12",   "1e3",  "-", "- a", "a: b",
                            "#c", "'",    "\"", "a\nb", "*", "0x1F", ".inf", "[", "{",   "a,b"}) {
    YamlWriter yaml;
    yaml.field("value", value);
    const auto document = parse_yaml(yaml.text(), "test");
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(scalar_type(*document->find("value")), ScalarType::String) << yaml.text();
    EXPECT_EQ(document->find("value")->text, value);
  }
}

RC_GTEST_PROP(YamlWriter, AnyAsciiTextIsReadBackUnchanged, ()) {
  const auto value = *rc::gen::container<std::string>(rc::gen::inRange<char>(32, 127));
  YamlWriter yaml;
  yaml.field("value", value);
  const auto document = parse_yaml(yaml.text(), "test");
  RC_ASSERT(document.has_value());
  RC_ASSERT(document->find("value")->text == value);
}

}  // namespace
}  // namespace rescheduler::kube
