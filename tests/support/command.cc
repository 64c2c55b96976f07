#include "support/command.h"

#include <array>
#include <cerrno>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <spawn.h>

#include "base/check.h"

namespace rescheduler::test {

CommandOutcome run_command(const std::vector<std::string>& argv) {
  std::array<int, 2> out{};
  RESCHEDULER_CHECK(pipe2(out.data(), O_CLOEXEC) == 0, "no pipe: errno {}", errno);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int spawned = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  CommandOutcome outcome;
  if (spawned != 0) {
    close(out[0]);
    outcome.exit_code = 127;
    return outcome;
  }
  std::array<char, 16384> buffer{};
  for (ssize_t got = 0; (got = read(out[0], buffer.data(), buffer.size())) > 0;) {
    outcome.output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(out[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace rescheduler::test
