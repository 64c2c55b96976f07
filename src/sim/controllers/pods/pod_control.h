// Creating and deleting pods for a workload, with the events about it.
//
// Pods go through admission, which may take its time: how many each workload has asked for and does not have yet is
// counted here. While there are any, the workload must not be counted again, or it would create too many.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "sim/controllers/event_writer.h"
#include "sim/controllers/pods/pod_view.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// Of the events about the owner; {pod}, {owner} and {error} are filled in.
struct PodTexts {
  std::string_view created = "Created pod: {pod}";
  std::string_view not_created = "Error creating: {error}";
  std::string_view deleted = "Deleted pod: {pod}";
  std::string_view not_deleted = "Error deleting: {error}";
};

class PodControl {
 public:
  // `retry` is called when all answers for a key are in, came later than create() returned, and one was a refusal.
  PodControl(Server& server,
             EventWriter& events,
             std::string reporter,
             std::function<void(const std::string&)> retry,
             PodTexts texts = {});
  PodControl(const PodControl&) = delete;
  PodControl& operator=(const PodControl&) = delete;

  void create(const std::string& key, const Message& owner, std::unique_ptr<api::Pod> pod);
  bool under_way(const std::string& key) const;
  // Was one refused since the fault was last taken? Others would be in the same way: stop creating.
  bool failed(const std::string& key) const { return state_->faults.contains(key); }
  // What the first refusal said; empty: there was none. That a namespace is being deleted is no fault.
  std::string take_fault(const std::string& key);
  void forget(const std::string& key) { state_->faults.erase(key); }

  // Answers with a fault, empty for none; that it is gone already is none. The view is not to be used afterwards.
  std::string remove(const Message& owner, const PodView& pod);

 private:
  // Lives on for as long as an answer is awaited.
  struct State {
    std::map<std::string, int> under_way{};
    std::map<std::string, std::string> faults{};
  };
  void finished(const std::string& key,
                const kube::ObjectRef& owner,
                const std::string& name,
                const ApiResult<VersionPtr>& answer);
  void note(const kube::ObjectRef& owner, bool good, bool create, std::string_view pod, std::string_view error);

  Server& server_;
  EventWriter& events_;
  std::string reporter_;
  std::function<void(const std::string&)> retry_;
  PodTexts texts_;
  bool creating_ = false;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

bool namespace_is_going(const StatusError& refusal);

}  // namespace rescheduler::sim
