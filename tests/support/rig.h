// The real control plane for a test: the shared one that ctest starts for the whole run, or one for this test alone.
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
  // One control plane per test run; tests are separated by namespace. Fails (NotFound) if it is not available: the test
  // then skips itself with this reason.
  static Result<Rig> shared();
  // A control plane for this test alone, removed with this object or this process. `up` are arguments of `rig up`.
  static Result<Rig> fresh(std::vector<std::string> up = {});

  Rig(Rig&& other) noexcept;
  Rig& operator=(Rig&&) = delete;
  ~Rig();

  const std::string& kubeconfig() const { return kubeconfig_; }
  // A kubeconfig with only the token of the product's ServiceAccount (tests/support/product_account).
  Result<std::string> product_kubeconfig() const;
  // Records that the running test has used the rig; tests/support/permissions_used reads the record.
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

// The kubectl that was built with the control plane, else Debian's; empty if there is neither.
std::string any_kubectl();

}  // namespace rescheduler::test
