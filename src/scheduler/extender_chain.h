// The extenders as part of a decision. The decision thread waits for the answers. The HTTP calls run on the network
// loop, which also looks up the objects that are sent.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/configuration.h"
#include "kube/client/loop_services.h"
#include "net/event_loop.h"
#include "placement/decide.h"
#include "scheduler/action_executor.h"
#include "scheduler/extender/extender_client.h"

namespace rescheduler::scheduler {

// Called on the thread of the network loop; null: no such object.
struct ObjectLookup {
  std::function<NodePtr(const std::string& name)> node{};
  std::function<PodPtr(const std::string& ns, const std::string& name)> pod{};
};

class ExtenderChain final : public placement::Extenders {
 public:
  // Null if there are no extenders. `network` must not be the loop of the decisions.
  static Result<std::unique_ptr<ExtenderChain>> make(const std::vector<config::Extender>& extenders,
                                                     net::EventLoop* network,
                                                     kube::LoopServices services);

  void look_up_in(ObjectLookup lookup) { lookup_ = std::move(lookup); }

  // On the decision thread.
  placement::Status filter(placement::Cycle& cycle) override;
  std::vector<std::int64_t> scores(const placement::Cycle& cycle) override;
  placement::Status review(const placement::Cycle& cycle, std::vector<placement::Candidate>& candidates) override;

  // On the network loop: binds by the first interested extender with a bind verb, otherwise by the API server.
  net::Task<Result<void>> bind(const BindAction& action, ActionExecutor& action_executor);

 private:
  using Clients = std::vector<std::unique_ptr<ExtenderClient>>;

  ExtenderChain(Clients clients, net::EventLoop& network) : clients_(std::move(clients)), network_(network) {}
  net::Task<Result<ExtenderFiltered>> ask_filter(PodPtr pod, std::vector<std::string> names);
  net::Task<Result<std::vector<ExtenderPriorities>>> ask_scores(PodPtr pod, std::vector<std::string> names);
  net::Task<Result<kube::VictimsByNode>> ask_preemption(PodPtr pod, kube::VictimsByNode victims);
  std::vector<NodePtr> nodes_named(const std::vector<std::string>& names) const;

  Clients clients_;  // extenders that are not ignorable come first
  net::EventLoop& network_;
  ObjectLookup lookup_;
};

}  // namespace rescheduler::scheduler
