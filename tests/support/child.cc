#include "support/child.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spawn.h>

#include "base/check.h"

namespace rescheduler::test {

Child::Child(const std::vector<std::string>& argv) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  RESCHEDULER_CHECK(pipe2(in.data(), O_CLOEXEC) == 0 && pipe2(out.data(), O_CLOEXEC) == 0, "no pipe: errno {}", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int spawned = posix_spawn(&pid_, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  RESCHEDULER_CHECK(spawned == 0, "{} does not start: errno {}", argv[0], spawned);
  input_ = in[1];
  output_ = out[0];
  reader_ = std::thread([this] { read_output(); });
}

Child::~Child() {
  close(input_);
  signal(SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  reader_.join();
  close(output_);
}

void Child::signal(int number) const {
  ::kill(pid_, number);
  if (number != SIGSTOP) return;
  // A thread of the process that runs on another core may continue for a moment.
  int status = 0;
  while (waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  RESCHEDULER_CHECK(WIFSTOPPED(status), "process {} ended instead of stopping: status {}", pid_, status);
}

std::vector<std::string> Child::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

void Child::read_output() {
  std::string pending;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(output_, buffer.data(), buffer.size())) > 0;) {
    pending.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = pending.find('\n')) != pending.npos; pending.erase(0, end + 1)) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(pending.substr(0, end));
    }
  }
}

}  // namespace rescheduler::test
