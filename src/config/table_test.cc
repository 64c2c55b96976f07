// docs/development.md says that a new setting needs only a member and one line of a table. An example checks this.
#include "config/table.h"

#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"

namespace rescheduler::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

enum class Colour { Red, Blue };

struct Wheel {
  int spokes = 12;
};

struct Lamp {
  bool bright = true;
};

struct Bicycle {
  std::string name = "none";
  Colour colour = Colour::Blue;
  double load = 50;
  std::chrono::nanoseconds rest = 90s;
  std::chrono::seconds limit{3};
  std::optional<std::int32_t> seat{};
  std::vector<std::string> bells{"ping"};
  std::vector<Wheel> wheels{};
  std::map<std::string, Wheel> spares{};
  Wheel stand{.spokes = 3};
  Lamp lamp{};
  std::string owner{};
};

const Table& wheel_table() {
  static const Table table =
      table_of<Wheel>({field<&Wheel::spokes>("spokes", between(0, 99), {"how many", "多少"}).zero_is_unset()});
  return table;
}

void check(kube::YamlReader& from, Bicycle& bicycle) {
  if (bicycle.wheels.size() > 2) from.problem("wheels", "are too many");
}

const Table& bicycle_table() {
  using S = Bicycle;
  static const Table lamp = table_of<Lamp>({field<&Lamp::bright>("bright", {"is it", "是否明亮"})});
  static const Table owner = table_of<S>({field<&S::owner>("name", {"who", "谁"})});
  static const Table table = table_of<S>(
      {
          field<&S::name>("name", {"its name", "名称"}),
          word<&S::colour>("colour", {{"red", Colour::Red}, {"blue", Colour::Blue}}, {"its colour", "颜色"}),
          field<&S::load>("load", kPercentage, {"how full", "负载"}),
          field<&S::rest>("rest", at_least(1s), {"how long", "多久"}),
          field<&S::limit>("limitSeconds", between(1, 10), {"at most", "最多"}),
          field<&S::seat>("seat", {"which", "哪个"}),
          field<&S::bells>("bells", {"sounds", "铃声"}).one_of({"ping", "x", "z"}).printed_if([](const S& one) {
            return one.name != "mute";
          }),
          list<&S::wheels>("wheels", wheel_table(), {"all", "全部"}),
          map<&S::spares>("spares", {"others", "备用"}, "PLACE", wheel_table(), {"there", "那里"}),
          section<&S::stand>("stand", wheel_table(), {"of it", "支架"}),
          embedded<&S::lamp>(lamp),
          group<S>("owner", owner, {"whose", "归属"}).only_changed(),
      },
      check);
  return table;
}

struct ReadResult {
  Bicycle bicycle{};
  std::vector<std::string> problems{};
};

ReadResult read(std::string_view text) {
  ReadResult answer;
  kube::YamlProblems problems("f");
  const auto document = kube::parse_yaml(text, "f");
  kube::YamlReader from(*document, problems);
  if (read_fields(bicycle_table(), from, &answer.bicycle)) from.refuse_unknown_fields();
  for (const auto& remark : problems.remarks()) answer.problems.push_back(remark.text);
  return answer;
}

std::string printed(const Bicycle& bicycle) {
  kube::YamlWriter to;
  print_fields(bicycle_table(), &bicycle, to);
  return to.text();
}

constexpr std::string_view kEverything = R"(name: a
colour: red
load: 12.5
rest: "2s"
limitSeconds: 7
seat: -4
bells: [x, z]
wheels:
- spokes: 20
- spokes: 12
spares:
  front:
    spokes: 4
stand:
  spokes: 5
bright: false
owner:
  name: me
)";

TEST(Table, ReadValuesArePrintedUnchanged) {
  const ReadResult whole = read(kEverything);
  EXPECT_THAT(whole.problems, IsEmpty());
  EXPECT_EQ(whole.bicycle.colour, Colour::Red);
  EXPECT_EQ(whole.bicycle.rest, 2s);
  EXPECT_EQ(whole.bicycle.seat, -4);
  EXPECT_EQ(whole.bicycle.wheels.size(), 2U);
  EXPECT_EQ(whole.bicycle.spares.at("front").spokes, 4);
  EXPECT_FALSE(whole.bicycle.lamp.bright);
  EXPECT_EQ(whole.bicycle.owner, "me");
  EXPECT_EQ(printed(whole.bicycle), kEverything);
}

TEST(Table, UnsetFieldsAndAZeroThatMeansUnsetGiveTheDefault) {
  const ReadResult nothing = read("stand: {spokes: 0}\n");
  EXPECT_THAT(nothing.problems, IsEmpty());
  EXPECT_EQ(nothing.bicycle.stand.spokes, 3);
  EXPECT_EQ(printed(nothing.bicycle), printed(Bicycle{}));
  EXPECT_THAT(printed(Bicycle{}), testing::Not(testing::HasSubstr("owner")))
      << "printed only if it differs from the default";
  EXPECT_THAT(printed(Bicycle{.name = "mute"}), testing::Not(testing::HasSubstr("bells")));
}

TEST(Table, EachFieldIsCheckedForItsTypeAndRange) {
  EXPECT_THAT(read("load: 0\n").problems, ElementsAre("load: must be a percentage above 0 and up to 100"));
  EXPECT_THAT(read("colour: green\n").problems,
              ElementsAre("colour: 'green' is not a valid value; valid values are red and blue"));
  EXPECT_THAT(read("rest: 1ms\n").problems, ElementsAre("rest: must be at least 1s"));
  EXPECT_THAT(read("rest: soon\n").problems, ElementsAre("rest: must be a duration such as 30s or 1m30s"));
  EXPECT_THAT(read("limitSeconds: 11\n").problems, ElementsAre("limitSeconds: must be between 1 and 10"));
  EXPECT_THAT(read("wheels: [{spokes: 100}]\n").problems, ElementsAre("wheels[0].spokes: must be between 0 and 99"));
  EXPECT_THAT(read("spares: {rear: {tyre: 1}}\n").problems, ElementsAre("spares.rear.tyre: unknown field"));
  EXPECT_THAT(read("owner: {age: 1}\n").problems, ElementsAre("owner.age: unknown field"));
  EXPECT_THAT(read("bells: [x, y]\n").problems,
              ElementsAre("bells: 'y' is not a valid value; valid values are ping, x and z"));
  EXPECT_THAT(read("bells: [x, x]\n").problems, ElementsAre("bells: 'x' is listed twice"));
  EXPECT_THAT(read("saddle: 1\n").problems, ElementsAre("saddle: unknown field"));
  EXPECT_THAT(read("wheels: [{}, {}, {}]\n").problems, ElementsAre("wheels: are too many"));
}

TEST(Table, TheSchemaHasEachFieldWithItsRange) {
  EXPECT_EQ(schema_of(bicycle_table()),
            R"({"type":"object","additionalProperties":false,"properties":{"name":{"type":"string"},)"
            R"("colour":{"enum":["red","blue"]},"load":{"type":"number","exclusiveMinimum":0,"maximum":100},)"
            R"("rest":{"type":"string","pattern":"^([0-9.]+(ns|us|ms|s|m|h))+$"},)"
            R"("limitSeconds":{"type":"integer","minimum":1,"maximum":10},"seat":{"type":"integer"},)"
            R"("bells":{"type":"array","items":{"enum":["ping","x","z"]}},"wheels":{"type":"array","items":)"
            R"({"type":"object","additionalProperties":false,"properties":{"spokes":{"type":"integer","minimum":0,)"
            R"("maximum":99}}}},"spares":{"type":"object","additionalProperties":{"type":"object",)"
            R"("additionalProperties":false,"properties":{"spokes":{"type":"integer","minimum":0,"maximum":99}}}},)"
            R"("stand":{"type":"object","additionalProperties":false,"properties":{"spokes":{"type":"integer",)"
            R"("minimum":0,"maximum":99}}},"bright":{"type":"boolean"},"owner":{"type":"object",)"
            R"("additionalProperties":false,"properties":{"name":{"type":"string"}}}}})");
}

TEST(Table, TheReferenceHasARowForEachField) {
  std::vector<ReferenceField> rows;
  add_reference(bicycle_table(), "Bicycle", rows);
  std::vector<std::string> lines;
  for (const ReferenceField& row : rows) {
    EXPECT_EQ(row.section, "Bicycle");
    EXPECT_FALSE(row.meaning.english.empty() || row.meaning.chinese.empty()) << row.path;
    lines.push_back(row.path + "|" + row.type + "|" + row.usual + "|" + row.range);
  }
  EXPECT_THAT(lines,
              ElementsAre("name|string|none|", "colour|word|blue|red and blue", "load|number|50|above 0 to 100",
                          "rest|duration|1m30s|at least 1s", "limitSeconds|integer|3|1 to 10", "seat|integer|none|",
                          "bells|list of strings|ping|ping, x and z", "wheels|list||",
                          "wheels[].spokes|integer|12|0 to 99", "spares|object||", "spares.PLACE|object||",
                          "spares.PLACE.spokes|integer|12|0 to 99", "stand|object||", "stand.spokes|integer|3|0 to 99",
                          "bright|boolean|true|", "owner|object||", "owner.name|string||"));
}

}  // namespace
}  // namespace rescheduler::config
