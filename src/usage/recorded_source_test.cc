#include "usage/recorded_source.h"

#include <gmock/gmock.h>

#include "kube/config/temp_directory.h"
#include "net/event_loop.h"

namespace rescheduler::usage {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

const std::vector<std::string> kResources{"cpu", "memory"};
constexpr const char* kLines = R"({"at": "2026-05-04T12:00:00Z", "node": "a", "resource": "cpu", "value": 0.1}
{"at": "2026-05-04T12:00:00Z", "node": "a", "resource": "memory", "value": 1}

{"at": "2026-05-04T12:00:30Z", "node": "a", "resource": "cpu", "value": 0.9}
)";
constexpr WallTime kNoon{seconds{1'777'896'000}};

std::string refusal(std::string_view lines) {
  const auto parsed = parse_recorded(lines, kResources);
  return parsed ? "read" : parsed.error().message;
}

std::map<std::size_t, double> values(Source& source, WallTime now) {
  net::EventLoop loop;
  const auto reading = loop.await_result<Reading>(source.read(nullptr, now));
  std::map<std::size_t, double> by_resource;
  for (const Sample& one : reading->samples) by_resource[one.resource] = one.value;
  return by_resource;
}

TEST(RecordedSource, ReturnsTheNewestSampleOfEachResourceThatIsNotInTheFuture) {
  const kube::TempDirectory directory;
  auto source = make_recorded_source(directory.write("load.jsonl", kLines), kResources, RecordedTime::AsWritten);
  ASSERT_TRUE(source) << source.error().message;
  using Values = std::map<std::size_t, double>;
  EXPECT_EQ(values(**source, kNoon - seconds{1}), Values{});
  EXPECT_EQ(values(**source, kNoon + seconds{29}), (Values{{0, 0.1}, {1, 1.0}}));
  EXPECT_EQ(values(**source, kNoon + seconds{30}), (Values{{0, 0.9}, {1, 1.0}}));
}

TEST(RecordedSource, CanShiftTheRecordedTimesToTheFirstReading) {
  auto source = make_recorded_source(*parse_recorded(kLines, kResources), RecordedTime::FromFirstReading);
  const WallTime later = kNoon + std::chrono::hours{1000};
  EXPECT_EQ(values(*source, later).at(0), 0.1);
  EXPECT_EQ(values(*source, later + seconds{30}).at(0), 0.9);
  net::EventLoop loop;
  const auto reading = loop.await_result<Reading>(source->read(nullptr, later + seconds{31}));
  EXPECT_EQ(reading->newest(), later + seconds{30});
}

TEST(RecordedSource, EachErrorNamesItsLine) {
  EXPECT_EQ(refusal(kLines), "read");
  const std::string line = R"({"at": "2026-05-04T12:00:00Z", "node": "a", "resource": "cpu", "value": 0.1})";
  EXPECT_THAT(refusal("\n{"), HasSubstr("line 2: "));
  EXPECT_THAT(refusal(line + "\n" + line), HasSubstr("line 2: node a has two values for cpu at the same time"));
  EXPECT_THAT(refusal(line + "\n" + R"({"at": "2026-05-04T11:00:00Z", "node": "a", "resource": "cpu", "value": 1})"),
              HasSubstr("line 2: its time is before"));
  EXPECT_THAT(refusal(R"({"at": "noon", "node": "a", "resource": "cpu", "value": 1})"), HasSubstr("line 1: at: "));
  EXPECT_THAT(refusal(R"({"at": "2026-05-04T11:00:00Z", "node": "a", "resource": "gpu", "value": 1})"),
              HasSubstr("line 1: resource \"gpu\" is not measured"));
  EXPECT_THAT(refusal(R"({"at": "2026-05-04T11:00:00Z", "node": "a", "resource": "cpu", "value": "1"})"),
              HasSubstr("line 1: value is not a number"));
  EXPECT_THAT(refusal(R"({"at": "2026-05-04T11:00:00Z", "resource": "cpu", "value": 1})"),
              HasSubstr("node is missing"));
}

TEST(RecordedSource, AMissingFileIsNamedInTheError) {
  const auto source = make_recorded_source("/does/not/exist", kResources, RecordedTime::AsWritten);
  ASSERT_FALSE(source);
  EXPECT_THAT(source.error().message, HasSubstr("/does/not/exist"));
}

}  // namespace
}  // namespace rescheduler::usage
