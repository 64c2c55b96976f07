// Runs leader election against the API: performs the actions of ElectionProtocol, updates the fence, calls callbacks.
//
// The fence closes before on_stopped_leading, which is called exactly once for each on_started_leading. Callbacks run
// on the loop's thread and must not block. Api, services and the elector must outlive the jobs of the loop.
// The elector needs its own Api: a rate limit shared with bulk writes could delay a renewal for too long.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/component.h"
#include "kube/leader/election_protocol.h"
#include "kube/leader/leader_fence.h"

namespace rescheduler::api {
class Lease;
}  // namespace rescheduler::api

namespace rescheduler::kube {

enum class AfterLoss {
  Return,    // run() ends; most programs then exit and restart
  RunAgain,  // becomes a candidate again
};

struct LeaderSettings {
  std::string ns{};
  std::string name{};  // of the Lease
  ElectionSettings election{};
  AfterLoss after_loss = AfterLoss::Return;
  // If cancelled while leading: release the lease at once instead of letting it expire. Set it only if all work behind
  // the fence has ended when on_stopped_leading returns.
  bool release_when_cancelled = false;
};

struct LeaderCallbacks {
  std::function<void()> on_started_leading{};
  std::function<void()> on_stopped_leading{};
  std::function<void(const std::string& identity)> on_new_leader{};  // also called for this process
};

// "<host>_<16 hex digits>": a restarted process, or a second one on the same host, gets another identity.
std::string make_identity(const std::string& host, Rng& rng);

class LeaderElector final : public Component {
 public:
  // Fails if the settings are invalid; the error explains why.
  static Result<std::unique_ptr<LeaderElector>> create(Api& api,
                                                       LeaderSettings settings,
                                                       LeaderCallbacks callbacks,
                                                       LoopServices services);
  ~LeaderElector() override;

  void follow() override;                                         // starts run() as a job
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;  // ends the job of follow()
  net::Task<void> run();  // call once; runs until cancelled, or until leadership is lost with AfterLoss::Return
  // Returns when run() has ended and the lease has been released, if release_when_cancelled applies.
  net::Task<Result<void>> wait_stopped() { return stopped_.wait(); }

  std::shared_ptr<const LeaderFence> fence() const { return fence_; }
  bool leading() const { return leading_; }                                  // loop thread
  const std::string& leader() const { return protocol_.observed_holder(); }  // loop thread; empty: unknown or no leader

 private:
  using Input = election::Input;
  using Action = election::Action;

  LeaderElector(Api& api, LeaderSettings settings, LeaderCallbacks callbacks, LoopServices services);

  Action step(Input happened);
  void publish();
  void stop_leading();
  net::Task<Result<Input>> perform(Action action);
  net::Task<Result<Input>> read(std::chrono::nanoseconds timeout);
  net::Task<Result<Input>> write(Verb verb, LeaseRecord record, std::string version, std::chrono::nanoseconds timeout);
  net::Task<void> release();
  Result<Input> input_from(Error error);
  ApiCall call_for(Verb verb, std::chrono::nanoseconds timeout) const;
  election::Now now() const;
  std::string lease_key() const { return settings_.ns + "/" + settings_.name; }

  Api& api_;
  LeaderSettings settings_;
  LeaderCallbacks callbacks_;
  LoopServices services_;
  ElectionProtocol protocol_;
  std::shared_ptr<LeaderFence> fence_;
  std::optional<net::Job> running_;
  net::Gate stopped_;
  Gauge& status_;
  std::unique_ptr<api::Lease> lease_;  // as last read or written
  bool leading_ = false;               // as reported to the callbacks
  std::string reported_leader_;
  bool failing_ = false;  // the last request failed and was reported
};

}  // namespace rescheduler::kube
