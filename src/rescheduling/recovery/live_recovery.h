// Failure recovery in a live cluster. Informers feed it; the Detector finds failing pods; a CaseProtocol processes each
// failing pod with the retry ledger of its owner; the Attribution finds the nodes that cause failures.
//
// Members belong to the thread of the event loop. Apis and services must outlive the object and the jobs of the loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
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
#include "scheduler/cluster_sink.h"

namespace rescheduler::api {
class Node;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::rescheduling::recovery {

struct RecoveryApis {
  kube::Api* api = nullptr;
  kube::Api* events = nullptr;  // null: `api`
};

// The content of an Event, for the dashboard.
struct RecoveryActivity {
  std::string kind{};
  std::string ns{};
  std::string name{};
  bool warning = false;
  std::string note{};
};

// The retry ledger of a slot, for users.
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
  std::string component = "rescheduler-scheduler";  // reporting component of events
  std::string host{};
  std::string ns{};                  // only pods of this namespace; empty: all namespaces that are not excluded
  std::string home = "kube-system";  // namespace in which bare pods are saved while they are recreated
  std::shared_ptr<const kube::LeaderFence> fence{};
  std::chrono::nanoseconds poll_interval = std::chrono::seconds{1};
  // Health of a pod that shows that its node or its release is sound. A pod that crashes is often ready for seconds.
  std::chrono::nanoseconds proof = std::chrono::minutes{1};
  std::function<void(const RecoveryActivity&)> on_activity{};
  // Kinds that arrive through sink(). Recovery runs an informer of its own for each other kind that it needs.
  std::vector<const kube::ResourceType*> fed_kinds{};
  std::function<net::Task<Result<void>>()> wait_fed{};  // until the whole first state of these kinds has arrived
};

// Passed to a new pod: the nodes where earlier pods of its slot failed, and the slot.
struct NewPodHint {
  std::vector<std::string> avoid{};  // oldest first
  std::string slot{};
};
// The annotations by which the pod gets the hint. They keep the nodes that the pod avoids already.
std::map<std::string, std::string> annotations_for(const api::Pod& pod, const NewPodHint& hint);

class LiveRecovery final : public kube::Component {
 public:
  static std::unique_ptr<LiveRecovery> make(RecoveryApis apis,
                                            LiveRecoverySettings settings,
                                            kube::LoopServices services);
  ~LiveRecovery() override;

  // For fed_kinds. On the loop's thread; other kinds are ignored.
  scheduler::ClusterSink sink() const;
  void follow() override;
  net::Task<Result<void>> wait_synced() override;
  void lead() override;
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

  // Empty: the pod replaces no failed pod. Never fails: unknown data is left out.
  net::Task<std::optional<NewPodHint>> hint_for(api::Pod pod);
  // For our scheduler: returns the annotations of a new pod that the webhook did not annotate, from what is known now.
  // On the loop's thread.
  std::function<std::map<std::string, std::string>(const api::Pod& pod)> annotator() const;
  // Every slot with an entry in a retry ledger.
  std::vector<SlotStatus> slots() const;
  // The modes, and the nodes that mode act would quarantine: "mode act; quarantine observe: node-a".
  std::string status_text() const;

 private:
  struct State;
  explicit LiveRecovery(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::rescheduling::recovery
