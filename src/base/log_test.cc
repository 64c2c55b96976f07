#include "base/log.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace rescheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

constexpr Phrase kEvicted{"pod evicted", "优雅驱逐Pod成功"};

class Log : public testing::Test {
 protected:
  Log() {
    set_log_sink([](LogLevel, std::string_view line,
                    void* context) { static_cast<std::vector<std::string>*>(context)->emplace_back(line); },
                 &lines_);
  }
  ~Log() override {
    set_log_sink(nullptr, nullptr);
    set_log_verbosity(0);
    set_log_language(Language::English);
  }
  std::vector<std::string> lines_;
};

TEST_F(Log, LinesBelowTheLevelAreNotWritten) {
  set_log_level(LogLevel::Warning);
  log_info("quiet {}", 1);
  log_info(kEvicted);
  log_warning("heard {}", 2);
  log_error("heard {}", 3);
  EXPECT_THAT(lines_, ElementsAre("heard 2", "heard 3"));
}

TEST_F(Log, MessagesAreTranslatedButFieldsAreNot) {
  log_info(kEvicted, {{"pod", "web/api-0"}, {"node", std::string("n1")}, {"left", 3}, {"last", false}});
  set_log_language(Language::Chinese);
  log_warning(kEvicted, {{"pod", "web/api-0"}});
  EXPECT_THAT(lines_, ElementsAre(R"("pod evicted" pod="web/api-0" node="n1" left=3 last=false)",
                                  R"("优雅驱逐Pod成功" pod="web/api-0")"));
}

TEST_F(Log, AHigherVerbosityWritesMoreLines) {
  log_verbosely(2, kEvicted);
  log_debug("inside");
  EXPECT_THAT(lines_, ElementsAre());
  set_log_verbosity(2);
  log_verbosely(2, kEvicted);
  log_verbosely(4, kEvicted);
  log_debug("inside");
  EXPECT_THAT(lines_, ElementsAre(R"("pod evicted")"));
  set_log_verbosity(4);
  log_debug("inside");
  EXPECT_THAT(lines_, ElementsAre(R"("pod evicted")", "inside"));
}

LogRecord record(LogLevel level, std::string_view message, bool structured, LogFields fields = {}) {
  // 2023-11-14T22:13:20.000123Z
  return {level, message, fields, structured, std::source_location::current(), 1'700'000'000'000'123, 7};
}

TEST_F(Log, TheTextFormatMatchesKlog) {
  EXPECT_THAT(render(record(LogLevel::Info, "a line", false), LogFormat::Text),
              testing::MatchesRegex(R"(I1114 22:13:20\.000123       7 log_test\.cc:[0-9]+\] a line)"));
  const std::vector<LogField> err{{"err", "no\tway"}};
  EXPECT_THAT(render(record(LogLevel::Error, "it \"failed\"\n", true, err), LogFormat::Text),
              EndsWith(R"(] "it \"failed\"\n" err="no\tway")"));
  EXPECT_EQ(render(record(LogLevel::Warning, "w", false), LogFormat::Text).front(), 'W');
  EXPECT_EQ(render(record(LogLevel::Debug, "d", false), LogFormat::Text).front(), 'I');
}

TEST_F(Log, JsonLinesHoldTimeLevelCallerMessageAndFields) {
  const std::vector<LogField> fields{{"pod", "x"}, {"moves", 3}, {"share", 0.5}};
  const std::string line = render(record(LogLevel::Info, "a \"b\"", true, fields), LogFormat::Json);
  EXPECT_THAT(line, testing::StartsWith(R"({"ts":1700000000000.123,"level":"info","caller":"log_test.cc:)"));
  EXPECT_THAT(line, EndsWith(R"("msg":"a \"b\"","pod":"x","moves":3,"share":0.5})"));
}

}  // namespace
}  // namespace rescheduler
