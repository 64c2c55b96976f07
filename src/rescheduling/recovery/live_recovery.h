// Failure recovery at work in a cluster: informers tell what happens, the Detector says who fails, a CaseProtocol takes
// each failing pod through its owner's books, the Attribution says which nodes are to blame.
//
// Members belong to the loop's thread. Apis and services outlive it and the loop's jobs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "config/recovery_settings.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/component.h"
#include "kube/leader/leader_fence.h"

namespace rescheduler::api {
class Node;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::rescheduling::recovery {

struct RecoveryApis {
  kube::Api* api = nullptr;
  kube::Api* events = nullptr;  // null: the same
};

// What is told in an Event, for others who listen.
struct RecoveryActivity {
  std::string kind{};
  std::string ns{};
  std::string name{};
  bool warning = false;
  std::string note{};
};

// The books as they are, for people.
struct SlotStatus {
  std::string kind{};
  std::string ns{};
  std::string name{};
  std::string slot{};
  std::uint32_t attempts = 0;
  std::uint32_t allowed = 0;
  std::vector<std::pair<std::string, WallTime>> visited{};
  std::string verdict{};   // retrying, healthy, exhausted, application
  std::string sentence{};  // "attempt 2 of 3, avoiding node-a, node-b"
};

struct LiveRecoverySettings {
  config::RecoverySettings recovery{};
  std::string component = "rescheduler-scheduler";  // who speaks in events
  std::string host{};
  std::string ns{};                  // only pods of this namespace; empty: of all but the excluded ones
  std::string home = "kube-system";  // where pods of nobody are saved while they are made anew
  std::shared_ptr<const kube::LeaderFence> fence{};
  std::chrono::nanoseconds look_every = std::chrono::seconds{1};
  std::function<void(const RecoveryActivity&)> on_activity{};
};

// What a new pod is told: where its forerunners failed, and whose place it takes.
struct NewPodHint {
  std::vector<std::string> avoid{};  // the longest ago first
  std::string slot{};
};

class LiveRecovery final : public kube::Component {
 public:
  static std::unique_ptr<LiveRecovery> make(RecoveryApis apis,
                                            LiveRecoverySettings settings,
                                            kube::LoopServices services);
  ~LiveRecovery() override;

  void follow() override;
  net::Task<Result<void>> wait_synced() override;
  void lead() override;
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

  // Nothing: the pod is nobody's replacement. Never fails: what cannot be found out is not said.
  net::Task<std::optional<NewPodHint>> hint_for(api::Pod pod);
  // Every slot that has something written down.
  std::vector<SlotStatus> slots() const;

 private:
  struct State;
  explicit LiveRecovery(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::rescheduling::recovery
