// The real control plane, for a test: the shared one that ctest started for the whole run, or one of its own.
//
//   auto rig = Rig::shared();
//   if (!rig) RESCHEDULER_SKIP("real") << rig.error().message;
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace rescheduler::test {

class Rig {
 public:
  // One control plane per test run; tests keep apart by namespace. Fails (NotFound) where it cannot be had: the
  // test then skips itself, with this reason.
  static Result<Rig> shared();
  // A control plane of the test's own, gone with this object (or with this process). `up` are arguments of `rig up`.
  static Result<Rig> fresh(std::vector<std::string> up = {});

  Rig(Rig&& other) noexcept;
  Rig& operator=(Rig&&) = delete;
  ~Rig();

  const std::string& kubeconfig() const { return kubeconfig_; }
  // Of the product's ServiceAccount: its token and nothing else (tests/support/product_account).
  Result<std::string> product_kubeconfig() const;
  // Writes down that the running test has run on one: tests/support/permissions_used wants to know.
  void note_use() const;
  const std::string& server() const { return server_; }
  const std::string& ca_file() const { return ca_file_; }
  const std::string& dir() const { return dir_; }
  const std::string& bin_dir() const { return bin_dir_; }
  int pid_of(const std::string& component) const { return pids_.at(component); }

  // `rig <command> <this rig> <arguments...>`: stop, start, pause, resume, compact, mint, kubectl.
  Result<std::string> command(std::string command, std::vector<std::string> arguments = {}) const;

 private:
  Rig() = default;
  static Result<Rig> from_json(const std::string& text, bool owned);

  bool owned_ = false;
  std::string name_, dir_, bin_dir_, kubeconfig_, server_, ca_file_;
  std::map<std::string, int> pids_;
};

// The kubectl that was built with the control plane, else Debian's; empty where there is neither.
std::string any_kubectl();

}  // namespace rescheduler::test
