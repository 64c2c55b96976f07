// Pods on their way through admission: how many each workload has asked for and does not yet have. While there are
// any, the workload must not be counted again, or it would create too many.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/controllers/event_writer.h"
#include "sim/controllers/pod_view.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class PodCreation {
 public:
  // `retry` is called when all answers for a key are in, came later than create() returned, and one was a refusal.
  PodCreation(Server& server, EventWriter& events, std::string reporter, std::function<void(const std::string&)> retry);
  PodCreation(const PodCreation&) = delete;
  PodCreation& operator=(const PodCreation&) = delete;

  // Events about the owner tell how it went.
  void create(const std::string& key, const Message& owner, std::unique_ptr<api::Pod> pod);
  bool under_way(const std::string& key) const;
  // What went wrong since it was last asked; empty: nothing. That a namespace is being deleted is no fault.
  std::string take_fault(const std::string& key);
  // Stop creating: one has failed already, and the others would in the same way.
  bool failed(const std::string& key) const { return state_->faults.contains(key); }
  void forget(const std::string& key) { state_->faults.erase(key); }

 private:
  // Outlives this object for as long as an answer is awaited.
  struct State {
    std::map<std::string, int> under_way{};
    std::map<std::string, std::string> faults{};
  };
  void finished(const std::string& key, const kube::ObjectRef& owner, const Answer<VersionPtr>& answer);

  Server& server_;
  EventWriter& events_;
  std::string reporter_;
  std::function<void(const std::string&)> retry_;
  bool creating_ = false;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// Deletes a pod as controllers do, and tells so in an event about the owner. Answers with a fault, empty for none; that
// it is gone already is none.
std::string delete_pod(Server& server,
                       EventWriter& events,
                       std::string_view reporter,
                       const Message& owner,
                       const PodView& pod);

}  // namespace rescheduler::sim
