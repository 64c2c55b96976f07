#include "kube/config/exec_source.h"

#include <fcntl.h>
#include <future>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/temp_directory.h"
#include "net/event_loop.h"

namespace rescheduler::kube {
namespace {

using namespace std::chrono_literals;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

// A plugin that is a shell script, the loop of its callers, and a clock that does not advance.
class ExecSourceTest : public testing::Test {
 protected:
  ExecPlugin plugin(const std::string& body) const {
    ExecPlugin made;
    made.command = directory_.write_script("plugin", body);
    made.api_version = kV1;
    made.inherited_env = {"PATH=/usr/bin:/bin", "DIR=" + directory_.path()};
    return made;
  }

  // A script that counts its runs in the file "runs" and returns token t1, t2, ...
  static std::string counting(const std::string& more_status = "", const std::string& before = "") {
    return "echo run >> \"$DIR/runs\"\n" + before + "\nn=$(wc -l < \"$DIR/runs\" | tr -d ' ')\n"
           + "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":"
             "\"t'$n'\""
           + more_status + "}}'\n";
  }

  std::string token_of(ExecSource& source) {
    const auto answer = loop_.await_result(source.current());
    return answer ? answer->token.reveal() : "error: " + answer.error().message;
  }

  std::string error_of(ExecPlugin made, ExecLimits limits = {}) {
    ExecSource source(std::move(made), clock_, loop_.executor(), limits);
    const auto answer = loop_.await_result(source.current());
    return answer ? "answered" : answer.error().message;
  }

  TempDirectory directory_;
  ManualClock clock_;
  net::EventLoop loop_;
};

TEST_F(ExecSourceTest, KeepsTheAnswerUntilShortlyBeforeItExpires) {
  // ManualClock starts at 2023-11-14T22:13:20Z.
  ExecSource source(plugin(counting(",\"expirationTimestamp\":\"2023-11-14T22:23:20Z\"")), clock_, loop_.executor(),
                    {});
  EXPECT_EQ(token_of(source), "t1");
  clock_.advance(9min + 49s);
  EXPECT_EQ(token_of(source), "t1");
  clock_.advance(1s);
  EXPECT_EQ(token_of(source), "t2");
}

TEST_F(ExecSourceTest, KeepsAnAnswerWithoutExpiryUntilARejection) {
  ExecSource source(plugin(counting()), clock_, loop_.executor(), {});
  EXPECT_EQ(token_of(source), "t1");
  clock_.advance(24h * 365);
  EXPECT_EQ(token_of(source), "t1");
  source.rejected();
  EXPECT_EQ(token_of(source), "t2");
  source.rejected();
  EXPECT_EQ(token_of(source), "t2") << "a late rejection of t1 must not run the plugin again";
  clock_.advance(1s);
  source.rejected();
  EXPECT_EQ(token_of(source), "t3");
}

net::Task<void> deliver(ExecSource& source, std::promise<Result<ExecAnswer>>& into) {
  auto answer = co_await source.current();
  into.set_value(std::move(answer));
}

net::Task<Result<int>> nothing() { co_return 0; }

TEST_F(ExecSourceTest, CallersShareOneRun) {
  const std::string go = directory_.at("go");
  ASSERT_EQ(::mkfifo(go.c_str(), 0600), 0);
  ExecSource source(plugin(counting("", "cat \"$DIR/go\"")), clock_, loop_.executor(), {});
  std::array<std::promise<Result<ExecAnswer>>, 5> answers;
  for (auto& answer : answers) net::spawn(loop_.executor(), "caller", deliver(source, answer));
  ASSERT_TRUE(loop_.await_result(nothing()));  // now all five calls wait, and the loop is free
  ::close(::open(go.c_str(), O_WRONLY));       // lets the script continue
  for (auto& answer : answers) {
    const auto got = answer.get_future().get();
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->token.reveal(), "t1");
  }
  EXPECT_EQ(directory_.read("runs"), "run\n");
}

TEST_F(ExecSourceTest, ACancelledCallerDoesNotCancelTheRunOfOtherCallers) {
  const std::string go = directory_.at("go");
  ASSERT_EQ(::mkfifo(go.c_str(), 0600), 0);
  ExecSource source(plugin(counting("", "cat \"$DIR/go\"")), clock_, loop_.executor(), {});
  std::promise<Result<ExecAnswer>> first;
  std::promise<Result<ExecAnswer>> second;
  net::Job job = net::spawn(loop_.executor(), "first", deliver(source, first));
  net::spawn(loop_.executor(), "second", deliver(source, second));
  job.cancel();
  EXPECT_EQ(first.get_future().get().error().code, Errc::Cancelled);
  ::close(::open(go.c_str(), O_WRONLY));
  const auto got = second.get_future().get();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->token.reveal(), "t1");
}

TEST_F(ExecSourceTest, DestroyingTheSourceEndsARunningPlugin) {
  const std::string alive = directory_.at("alive");
  ASSERT_EQ(::mkfifo(alive.c_str(), 0600), 0);
  std::promise<Result<ExecAnswer>> answer;
  auto source = std::make_unique<ExecSource>(plugin("exec 3>\"$DIR/alive\"; sleep 600\n"), clock_, loop_.executor(),
                                             ExecLimits{});
  net::Job job = net::spawn(loop_.executor(), "caller", deliver(*source, answer));
  const int fd = ::open(alive.c_str(), O_RDONLY);  // returns when the script has opened the other end
  job.cancel();
  EXPECT_EQ(answer.get_future().get().error().code, Errc::Cancelled);
  source.reset();
  char byte = 0;
  EXPECT_EQ(::read(fd, &byte, 1), 0);  // no process holds the other end any more
  ::close(fd);
}

TEST_F(ExecSourceTest, PassesTheDocumentedEnvironment) {
  ExecPlugin made =
      plugin("printf '%s' \"$KUBERNETES_EXEC_INFO\" > \"$DIR/info\"; printf '%s' \"$EXTRA,$DIR\" > \"$DIR/extra\"\n"
             + counting());
  made.env.emplace_back("EXTRA", Secret("value"));
  made.inherited_env.push_back("EXTRA=hidden");
  made.inherited_env.push_back("KUBERNETES_EXEC_INFO=stale");
  const std::string info = exec_info_json(made);
  ExecSource source(std::move(made), clock_, loop_.executor(), {});
  EXPECT_EQ(token_of(source), "t1");
  EXPECT_EQ(directory_.read("info"), info);
  EXPECT_EQ(directory_.read("extra"), "value," + directory_.path());
}

TEST_F(ExecSourceTest, FindsABareCommandNameOnlyInPath) {
  ExecPlugin made = plugin(counting());
  made.command = "plugin";
  made.inherited_env = {"PATH=relative:" + directory_.path() + ":/usr/bin:/bin", "DIR=" + directory_.path()};
  EXPECT_EQ(error_of(made), "answered");
  made.inherited_env = {"PATH=/nonexistent"};
  made.install_hint = "Install it from example.com.";
  EXPECT_EQ(error_of(made), "exec plugin plugin: not found in PATH; Install it from example.com.");
  made.inherited_env = {};
  made.install_hint = "";
  EXPECT_EQ(error_of(made), "exec plugin plugin: not found in PATH; install it, or correct the command");
  made.command = directory_.write("not-executable", "x");
  EXPECT_EQ(error_of(made),
            "exec plugin " + made.command + ": no such executable file; install it, or correct the command");
}

TEST_F(ExecSourceTest, SaysWhyThePluginFailed) {
  const std::string prefix = "exec plugin " + directory_.at("plugin") + ": ";
  EXPECT_EQ(error_of(plugin("echo; echo 'please log' >&2; echo '  in again ' >&2; exit 7\n")),
            prefix + "ended with exit code 7: please log   in again");
  EXPECT_EQ(error_of(plugin("exit 1\n")), prefix + "ended with exit code 1: the plugin printed no reason");
  EXPECT_EQ(error_of(plugin("kill -15 $$\n")), prefix + "ended by signal 15: the plugin printed no reason");
  EXPECT_EQ(error_of(plugin("echo garbage-with-t0ken\n")), prefix + "its output is not a JSON object");
  EXPECT_EQ(error_of(plugin("exec cat /dev/zero\n"), ExecLimits{60s, 5000}), prefix + "printed more than 5000 bytes");
  EXPECT_EQ(error_of(plugin("exec sleep 600\n"), ExecLimits{40ms, 5000}),
            prefix + "did not end within 0.04 s and was stopped");
  EXPECT_THAT(error_of(plugin("head -c 9000 /dev/zero | tr '\\0' y >&2; exit 1\n")),
              testing::EndsWith(std::string(500, 'y') + " ..."));
}

TEST_F(ExecSourceTest, AFailureIsNotCached) {
  ExecSource source(plugin("[ -e \"$DIR/ok\" ] || exit 1\n" + counting()), clock_, loop_.executor(), {});
  EXPECT_THAT(token_of(source), testing::HasSubstr("ended with exit code 1"));
  directory_.write("ok", "");
  EXPECT_EQ(token_of(source), "t1");
}

}  // namespace
}  // namespace rescheduler::kube
