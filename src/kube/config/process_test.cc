#include "kube/config/process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/temp_directory.h"

namespace rescheduler::kube {
namespace {

using namespace std::chrono_literals;

ProcessRequest script(const TempDirectory& directory, const std::string& body) {
  ProcessRequest request;
  request.path = directory.write_script("script", body);
  request.argv = {"script", "one", "two words; $HOME"};
  request.env = {"PATH=/usr/bin:/bin", "DIR=" + directory.path()};
  return request;
}

TEST(Process, PassesArgumentsAndEnvironmentUnchangedAndNoInput) {
  const TempDirectory directory;
  auto request = script(directory, "printf '%s|' \"$@\" \"$DIR\" \"$SECRET_LESS\"; wc -c; echo oops >&2; exit 3\n");
  const auto outcome = run_process(request, {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->out, "one|two words; $HOME|" + directory.path() + "||0\n");
  EXPECT_EQ(outcome->err, "oops\n");
  EXPECT_EQ(outcome->exit_code, 3);
  EXPECT_EQ(outcome->signal, 0);
}

TEST(Process, InheritsNoFileDescriptors) {
  const TempDirectory directory;
  const int leak = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, so that it could leak
  ASSERT_GE(leak, 0);
  const auto outcome =
      run_process(script(directory, fmt::format("[ -e /proc/self/fd/{} ] && echo leaked\n", leak)), {});
  ::close(leak);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->out, "");
}

TEST(Process, ReportsTheSignalThatEndedTheProcess) {
  const TempDirectory directory;
  const auto outcome = run_process(script(directory, "kill -9 $$\n"), {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->signal, 9);
}

TEST(Process, StopsAProcessAfterTheTimeout) {
  const TempDirectory directory;
  auto request = script(directory, "exec sleep 600\n");
  request.timeout = 50ms;
  const auto outcome = run_process(request, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::Timeout);
  EXPECT_EQ(outcome.error().message, "did not end within 0.05 s and was stopped");
}

TEST(Process, StopsAProcessThatPrintsTooMuch) {
  const TempDirectory directory;
  auto request = script(directory, "exec cat /dev/zero\n");
  request.most_out = 1000;
  const auto outcome = run_process(request, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "printed more than 1000 bytes");
  request = script(directory, "printf 1234\n");
  request.most_out = 4;
  EXPECT_EQ(run_process(request, {})->out, "1234");
}

TEST(Process, KeepsOnlyTheBeginningOfLongErrorOutput) {
  const TempDirectory directory;
  auto request = script(directory, "head -c 1000000 /dev/zero | tr '\\0' x >&2; echo done\n");
  request.most_err = 100;
  const auto outcome = run_process(request, {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->out, "done\n");
  EXPECT_EQ(outcome->err, std::string(100, 'x'));
}

TEST(Process, DoesNotWaitForDescendantsThatKeepThePipeOpen) {
  const TempDirectory directory;
  const std::string hold = directory.at("hold");
  ASSERT_EQ(::mkfifo(hold.c_str(), 0600), 0);
  // The background child keeps stdout open until the fifo is closed, which happens after the check.
  const auto outcome = run_process(script(directory, "echo answer; cat \"$DIR/hold\" & exit 0\n"), {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->out, "answer\n");
  ::close(::open(hold.c_str(), O_WRONLY));
}

// The script and its child both hold a fifo open for writing: the read ends when both have exited.
TEST(Process, AStopRequestKillsTheWholeProcessGroup) {
  const TempDirectory directory;
  const std::string alive = directory.at("alive");
  ASSERT_EQ(::mkfifo(alive.c_str(), 0600), 0);
  const auto request = script(directory, "exec 3>\"$DIR/alive\"; sleep 600 & echo ready >&3; wait\n");
  Result<ProcessOutcome> outcome = fail(Errc::Internal, "not run");
  std::jthread runner([&](std::stop_token stop) { outcome = run_process(request, stop); });
  const int fd = ::open(alive.c_str(), O_RDONLY);
  char buffer[64];
  ASSERT_EQ(::read(fd, buffer, sizeof buffer), 6);  // "ready\n": both processes run
  runner.request_stop();
  runner.join();
  EXPECT_EQ(outcome.error().code, Errc::Cancelled);
  EXPECT_EQ(::read(fd, buffer, sizeof buffer), 0);
  ::close(fd);
}

TEST(Process, SaysWhyTheProcessCannotStart) {
  const TempDirectory directory;
  ProcessRequest request;
  request.path = directory.at("nothing");
  request.argv = {"nothing"};
  const auto outcome = run_process(request, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "cannot be started: No such file or directory");
}

}  // namespace
}  // namespace rescheduler::kube
