// A child process whose output a test reads while it runs. The destructor ends it: it closes stdin, then sends SIGKILL.
#pragma once

#include <mutex>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace rescheduler::test {

class Child {
 public:
  explicit Child(const std::vector<std::string>& argv);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void signal(int number) const;           // SIGSTOP: returns when the process has stopped
  std::vector<std::string> lines() const;  // stdout so far

 private:
  void read_output();

  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::thread reader_;
};

}  // namespace rescheduler::test
