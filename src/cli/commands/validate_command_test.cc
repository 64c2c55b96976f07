#include "cli/commands/validate_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kHead = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

TEST(Validate, AValidFileIsPrintedInFull) {
  const Verdict verdict = validate(kHead, "f.yaml");
  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_EQ(verdict.complaints, "");
  EXPECT_THAT(verdict.output, StartsWith(kHead));
  EXPECT_THAT(verdict.output, HasSubstr("- schedulerName: rescheduler-scheduler\n"));
  EXPECT_EQ(validate(verdict.output, "again").output, verdict.output);
}

TEST(Validate, NotesAreNotPartOfTheOutput) {
  const Verdict verdict = validate(std::string(kHead) + "parallelism: 8\n", "f.yaml");
  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_EQ(verdict.complaints,
            "f.yaml:3:14: note: parallelism: has no effect here: one thread makes all scheduling decisions\n");
  EXPECT_THAT(verdict.output, HasSubstr("parallelism: 8\n"));
}

TEST(Validate, EveryErrorIsOneLineWithFileLineAndColumn) {
  std::string text = kHead;
  std::string expected;
  for (int i = 0; i < 30; ++i) {  // more than an error message can hold
    text += "a" + std::to_string(i) + ": 1\n";
    expected += "f.yaml:" + std::to_string(3 + i) + ":1: a" + std::to_string(i) + ": unknown field\n";
  }
  const Verdict verdict = validate(text, "f.yaml");
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_EQ(verdict.output, "");
  EXPECT_EQ(verdict.complaints, expected);
}

TEST(Validate, InvalidYamlIsAnErrorThatNamesTheFileOnce) {
  const Verdict verdict = validate("a: [\n", "f.yaml");
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_THAT(verdict.complaints, StartsWith("f.yaml:"));
  EXPECT_EQ(verdict.complaints.find("f.yaml", 1), std::string::npos) << verdict.complaints;
}

}  // namespace
}  // namespace rescheduler::cli
