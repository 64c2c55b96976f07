#include "cli/daemon/installation_monitor.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "base/log.h"
#include "base/rng.h"
#include "kube/proto/authorization.pb.h"
#include "kube/proto/events.pb.h"
#include "sim/time/pacer.h"
#include "support/scripted_api.h"

namespace rescheduler::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const kube::Permission kEvict{"", "pods", "eviction", "create", "", "to move a pod"};
const kube::Permission kBind{"", "pods", "binding", "create", "", "to place a pod"};
const kube::Permission kList{"", "pods", "", "list", "", "to know which pods run"};

class InstallationMonitorTest : public testing::Test {
 protected:
  InstallationMonitorTest() {
    set_log_sink([](LogLevel, std::string_view line, void* to) { static_cast<Lines*>(to)->emplace_back(line); },
                 &lines_);
    api_.answer_creates_of(kube::resource_of<api::SelfSubjectAccessReview>(),
                           [this](const kube::Message& asked, kube::Message& answer) { review(asked, answer); });
    InstallationMonitorSettings settings;
    settings.permissions = {kEvict, kBind, kList};
    settings.problems = [this] { return problems_; };
    settings.leads = [this] { return leads_; };
    settings.lease = {
        .api_version = "coordination.k8s.io/v1", .kind = "Lease", .ns = "kube-system", .name = "rescheduler-scheduler"};
    settings.host = "test";
    monitor_ = std::make_unique<InstallationMonitor>(api_, std::move(settings), services());
  }
  ~InstallationMonitorTest() override {
    (void)loop_.await_result(ended());
    set_log_sink(nullptr, nullptr);
  }
  net::Task<Result<void>> ended() {
    co_await monitor_->stop(1s);
    co_return Result<void>{};
  }
  void review(const kube::Message& asked, kube::Message& answer) {
    const auto& what = static_cast<const api::SelfSubjectAccessReview&>(asked).spec().resource_attributes();
    const std::string text =
        what.verb() + " " + what.resource() + (what.has_subresource() ? "/" + what.subresource() : "");
    checked_.push_back(text);
    static_cast<api::SelfSubjectAccessReview&>(answer).mutable_status()->set_allowed(!denied_.contains(text));
  }
  kube::LoopServices services() { return {loop_.executor(), &loop_.timers(), &agenda_, &rng_, &metrics_}; }
  std::vector<std::string> notes() const {
    std::vector<std::string> all;
    for (const api::Event& one : api_.all<api::Event>()) all.push_back(one.reason() + ": " + one.note());
    return all;
  }
  std::ptrdiff_t lines_with(std::string_view text) const {
    return std::ranges::count_if(lines_,
                                 [text](const std::string& line) { return line.find(text) != std::string::npos; });
  }

  using Lines = std::vector<std::string>;
  Lines lines_;
  std::vector<InstallationProblem> problems_;
  bool leads_ = true;
  std::set<std::string> denied_;
  std::vector<std::string> checked_;
  Rng rng_{1};
  MetricRegistry metrics_;
  sim::Agenda agenda_;
  test::ScriptedApi api_;
  sim::VirtualLoop loop_{agenda_};
  std::unique_ptr<InstallationMonitor> monitor_;
};

TEST_F(InstallationMonitorTest, AProblemIsReportedOnceInEveryPlaceUntilItIsFixed) {
  EXPECT_THAT(metrics_.text(), HasSubstr("rescheduler_installation_problem{part=\"definition\"} 0"));
  problems_ = {definition_missing()};
  monitor_->follow();
  loop_.run_for(60s);
  EXPECT_EQ(lines_with("the installation is incomplete"), 1);
  EXPECT_EQ(lines_with("no pods are moved"), 1);
  EXPECT_THAT(notes(), ElementsAre("InstallationIncomplete: the CustomResourceDefinition of Migration "
                                   "(rescheduler.io/v1alpha1) is not installed: no pods are moved; run: kubectl apply "
                                   "-f manifests/rescheduler/rbac.yaml"));
  EXPECT_THAT(metrics_.text(), HasSubstr("rescheduler_installation_problem{part=\"definition\"} 1"));
  EXPECT_THAT(monitor_->text("definition").value_or(""), HasSubstr("kubectl apply -f manifests/rescheduler/rbac.yaml"));
  EXPECT_FALSE(monitor_->text("permissions"));
  problems_.clear();
  loop_.run_for(2s);
  EXPECT_FALSE(monitor_->text("definition"));
  EXPECT_EQ(lines_with("the installation is complete again"), 1);
  EXPECT_THAT(metrics_.text(), HasSubstr("rescheduler_installation_problem{part=\"definition\"} 0"));
}

TEST_F(InstallationMonitorTest, OnlyTheLeaderWritesEventsAndANewLeaderDoes) {
  problems_ = {definition_missing()};
  leads_ = false;
  monitor_->follow();
  loop_.run_for(30s);
  EXPECT_TRUE(monitor_->text("definition"));
  EXPECT_THAT(notes(), IsEmpty());
  leads_ = true;
  loop_.run_for(2s);
  EXPECT_EQ(notes().size(), 1U);
}

TEST_F(InstallationMonitorTest, MissingPermissionsAreOneProblemAndOnlyTheyAreCheckedAgainSoon) {
  denied_ = {"create pods/eviction", "create pods/binding"};
  monitor_->follow();
  loop_.run_for(2s);
  EXPECT_THAT(checked_, testing::UnorderedElementsAre("create pods/eviction", "create pods/binding", "list pods"));
  EXPECT_EQ(monitor_->text("permissions"),
            "rescheduler has no permission to create pods/eviction, needed to move a pod; 2 permissions are missing in "
            "total; run: kubectl apply -f manifests/rescheduler/rbac.yaml");
  checked_.clear();
  loop_.run_for(15s);
  EXPECT_THAT(checked_, testing::UnorderedElementsAre("create pods/eviction", "create pods/binding"));
  EXPECT_EQ(lines_with("\"permission missing\" permission=\"create pods/eviction\""), 1);
  EXPECT_EQ(lines_with("the installation is incomplete"), 1);
  denied_.clear();
  loop_.run_for(16s);
  EXPECT_FALSE(monitor_->text("permissions"));
  checked_.clear();
  denied_ = {"list pods"};
  loop_.run_for(10min);
  EXPECT_THAT(monitor_->text("permissions").value_or(""), HasSubstr("list pods")) << "a permission was removed later";
}

TEST_F(InstallationMonitorTest, PermissionsThatCannotBeCheckedAreNotMissing) {
  api_.before_each([](const kube::ApiCall&) { return Error{Errc::Unavailable, "the server is away"}; });
  denied_ = {"list pods"};
  monitor_->follow();
  loop_.run_for(60s);
  EXPECT_FALSE(monitor_->text("permissions"));
  EXPECT_EQ(lines_with("permissions could not be checked"), 1);
  api_.before_each({});
  loop_.run_for(16s);
  EXPECT_TRUE(monitor_->text("permissions"));
}

}  // namespace
}  // namespace rescheduler::cli
