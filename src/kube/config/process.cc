#include "kube/config/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <spawn.h>

namespace rescheduler::kube {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Poll interval for stop requests, and for an exit that does not close the pipes.
constexpr std::chrono::milliseconds kLook{20};

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  void reset() {
    if (fd_ >= 0) (void)::close(fd_);  // end of a pipe: no data can be lost
    fd_ = -1;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  Pipe made{Descriptor(ends[0]), Descriptor(ends[1])};
  // Only the parent's end: a command may not expect a non-blocking stdout.
  if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return std::nullopt;
  return made;
}

// RAII for the two parameter objects of posix_spawn.
class SpawnPlan {
 public:
  SpawnPlan(int out, int err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);  // the child must not inherit our sockets
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // Returns 0 or the errno.
  int start(const ProcessRequest& request, pid_t& pid) const {
    std::vector<char*> argv = pointers(request.argv);
    std::vector<char*> env = pointers(request.env);
    return ::posix_spawn(&pid, request.path.c_str(), &actions_, &attributes_, argv.data(), env.data());
  }

 private:
  static std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> list;
    for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));  // posix_spawn only reads
    list.push_back(nullptr);
    return list;
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// A started command. It is reaped exactly once, at the latest by the destructor.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() { kill_and_reap(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool ended() {
    if (!status_) wait(WNOHANG);
    return status_.has_value();
  }
  int status() const { return *status_; }

  void kill_and_reap() {
    if (status_) return;           // the pid may already belong to another process
    (void)::kill(-pid_, SIGKILL);  // fails only if the group does not exist any more
    wait(0);
  }

 private:
  void wait(int flags) {
    int status = 0;
    pid_t got = 0;
    do {
      got = ::waitpid(pid_, &status, flags);
    } while (got < 0 && errno == EINTR);
    if (got == pid_) status_ = status;
    if (got < 0) status_ = 0x7F00;  // reaped elsewhere: report exit code 127
  }

  pid_t pid_;
  std::optional<int> status_;
};

// Reads some of the available output and closes the pipe at its end. Output above `most` is read and dropped, so that
// the command does not block. The number of reads is limited, so that the caller can check the deadline.
void drain(Descriptor& pipe, std::string& into, std::size_t most) {
  std::array<char, 16384> piece{};
  for (int pieces = 0; pieces < 64 && pipe.get() >= 0; ++pieces) {
    const ssize_t count = ::read(pipe.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      pipe.reset();
      return;
    }
    into.append(piece.data(), std::min(static_cast<std::size_t>(count), most - std::min(most, into.size())));
  }
}

void wait_for_output(const Descriptor& out, const Descriptor& err, SteadyClock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now());
  const auto wait = std::clamp(left, std::chrono::milliseconds{1}, kLook);
  // poll() ignores negative descriptors, so closed pipes need no special case. An error just returns early.
  std::array<pollfd, 2> pipes{pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}};
  (void)::poll(pipes.data(), pipes.size(), static_cast<int>(wait.count()));
}

Result<void> collect(Child& child,
                     Pipe& out,
                     Pipe& err,
                     const ProcessRequest& request,
                     const std::stop_token& stop,
                     ProcessOutcome& outcome) {
  const auto deadline = SteadyClock::now() + request.timeout;
  for (;;) {
    const bool ended = child.ended();  // checked before draining, so that no output before the exit is lost
    drain(out.read_end, outcome.out, request.most_out + 1);
    drain(err.read_end, outcome.err, request.most_err);
    if (outcome.out.size() > request.most_out) {
      return fail(Errc::Invalid, "printed more than {} bytes", request.most_out);
    }
    if (ended) return {};
    if (stop.stop_requested()) return fail(Errc::Cancelled, "was stopped because this process is shutting down");
    if (SteadyClock::now() >= deadline) {
      return fail(Errc::Timeout, "did not end within {} s and was stopped",
                  std::chrono::duration<double>(request.timeout).count());
    }
    wait_for_output(out.read_end, err.read_end, deadline);
  }
}

}  // namespace

Result<ProcessOutcome> run_process(const ProcessRequest& request, std::stop_token stop) {
  auto out = make_pipe();
  auto err = make_pipe();
  if (!out || !err) {
    return fail(Errc::Unavailable, "cannot make a pipe: {}", std::generic_category().message(errno));
  }
  pid_t pid = 0;
  const SpawnPlan plan(out->write_end.get(), err->write_end.get());
  if (const int problem = plan.start(request, pid); problem != 0) {
    return fail(Errc::Unavailable, "cannot be started: {}", std::generic_category().message(problem));
  }
  Child child(pid);
  out->write_end.reset();
  err->write_end.reset();
  ProcessOutcome outcome;
  if (auto collected = collect(child, *out, *err, request, stop, outcome); !collected) {
    child.kill_and_reap();
    return fail(std::move(collected.error()));
  }
  if (WIFSIGNALED(child.status())) outcome.signal = WTERMSIG(child.status());
  outcome.exit_code = WIFEXITED(child.status()) ? WEXITSTATUS(child.status()) : -1;
  return outcome;
}

}  // namespace rescheduler::kube
