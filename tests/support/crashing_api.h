// An Api of a process that crashes: after a number of writes every call fails, as if the process had been killed.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kube/client/api.h"

namespace rescheduler::test {

class CrashingApi final : public kube::Api {
 public:
  explicit CrashingApi(kube::Api& api) : api_(api) {}

  // The nth write from now (from 1) is the last one that reaches the server; its answer is lost too.
  void crash_after(int writes) { left_ = writes; }
  // No crash: runs this function right before the nth write is sent, for example to lose the lease.
  void instead_of_crashing(std::function<void()> what) { instead_ = std::move(what); }
  bool dead() const { return last_write_done_; }  // its last write has completed too
  // "patch deployments web/api", in order; events and leases are not counted.
  const std::vector<std::string>& writes() const { return writes_; }
  const std::map<std::string, int>& pod_reads() const { return pod_reads_; }  // gets of single pods, by name

  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override;
  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override;
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override;
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override;

 private:
  kube::Api& api_;
  int left_ = -1;
  bool dead_ = false;
  bool last_write_done_ = false;
  std::function<void()> instead_{};
  std::vector<std::string> writes_;
  std::map<std::string, int> pod_reads_;
};

}  // namespace rescheduler::test
