#include "migration/migration_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/value/time.h"

namespace rescheduler::migration {
namespace {

using testing::HasSubstr;

api::Migration example() {
  MoveRequest request;
  request.ns = "default";
  request.pod = "load-balance-test-abc123";
  request.uid = "u";
  request.source = "worker-1";
  request.target = "worker-3";
  api::Migration made = to_migration(request, "m");
  made.mutable_status()->mutable_workload()->set_kind("Deployment");
  made.mutable_status()->mutable_workload()->set_name("load-balance-test");
  made.mutable_status()->set_mode("Coordinated");
  return made;
}

Step doing(StepType what) {
  Step step;
  step.what = what;
  return step;
}

std::string text(const std::optional<LogLine>& line, Language language) {
  return line ? text_of(line->phrase.in(language), line->fields) : std::string();
}
std::string chinese(const std::optional<LogLine>& line) { return text(line, Language::Chinese); }

// The texts that the guides search for with grep.
TEST(MigrationReporter, ChineseLogLinesHaveTheTextsOfTheGuides) {
  const WallTime now{};
  const api::Migration one = example();
  Step begins = doing(StepType::Write);
  begins.status = entering(one, Phase::Preparing, "", now);
  EXPECT_THAT(chinese(log_line_for(one, begins)),
              HasSubstr(R"("开始Deployment协调重调度" deployment="default/load-balance-test")"));
  Step mark = doing(StepType::MarkWorkload);
  mark.node = "worker-1";
  EXPECT_THAT(chinese(log_line_for(one, mark)),
              HasSubstr(R"("成功添加节点偏好" preferredNode="worker-3" avoidNode="worker-1")"));
  Step budget = doing(StepType::CreateBudget);
  budget.name = "load-balance-test-rescheduler-pdb";
  EXPECT_THAT(chinese(log_line_for(one, budget)),
              HasSubstr(R"("创建临时PDB保护服务" pdb="load-balance-test-rescheduler-pdb")"));
  EXPECT_THAT(chinese(log_line_for(one, doing(StepType::Evict))),
              HasSubstr(R"("优雅驱逐Pod成功" pod="default/load-balance-test-abc123")"));
  Step replaced = doing(StepType::Write);
  replaced.status = concluded_status(one, MoveResult::Succeeded, "", now);
  replaced.status.set_landed("worker-3");
  replaced.status.set_replacement("load-balance-test-def456");
  EXPECT_THAT(chinese(log_line_for(one, replaced)),
              HasSubstr(R"("Deployment Controller已重建Pod" newPod="load-balance-test-def456" targetNode="worker-3")"));
  api::Migration last = one;
  *last.mutable_status() = ended(one, MoveResult::Succeeded, "", now);
  EXPECT_THAT(chinese(last_log_line(last)), HasSubstr("完成协调重调度"));
  *last.mutable_status() = ended(one, MoveResult::Failed, "why", now);
  EXPECT_THAT(chinese(last_log_line(last)), HasSubstr("协调重调度失败，回退"));
}

TEST(MigrationReporter, LogsARefusedStepButNotARefusedNomination) {
  const StepRefusal refusal{true, "not allowed to evict: pods/eviction is forbidden"};
  EXPECT_THAT(chinese(log_line_for(example(), StepType::Evict, refusal)),
              HasSubstr(R"("驱逐源Pod失败" pod="default/load-balance-test-abc123" err="not allowed to evict)"));
  EXPECT_THAT(chinese(log_line_for(example(), StepType::Preflight, refusal)), HasSubstr("驱逐源Pod失败"));
  EXPECT_THAT(chinese(log_line_for(example(), StepType::MarkWorkload, refusal)), HasSubstr("迁移步骤被拒绝"));
  EXPECT_EQ(log_line_for(example(), StepType::Nominate, refusal), std::nullopt);
}

TEST(MigrationReporter, EnglishLogLinesNameTheStepAndAPreflightIsNotLogged) {
  EXPECT_THAT(text(log_line_for(example(), doing(StepType::Evict)), Language::English), HasSubstr("\"pod evicted\""));
  EXPECT_EQ(text(log_line_for(example(), doing(StepType::Preflight)), Language::English), "");
}

TEST(MigrationReporter, AReplicaIsUnavailableFromItsEvictionUntilItsReplacementIsReady) {
  api::Migration one = example();
  const WallTime then{std::chrono::seconds{1'700'000'000}};
  EXPECT_EQ(unavailable_seconds(one), 0);
  kube::set_time(*one.mutable_status()->mutable_evicted(), then);
  *one.mutable_status() = concluded_status(one, MoveResult::Succeeded, "", then + std::chrono::seconds{4});
  *one.mutable_status() = ended(one, MoveResult::Succeeded, "", then + std::chrono::seconds{9});
  EXPECT_DOUBLE_EQ(unavailable_seconds(one), 4);
}

}  // namespace
}  // namespace rescheduler::migration
