// Creates and deletes pods for a workload and writes the Events about it.
//
// Pod creation goes through admission, which can take time. PodControl counts the creations of each workload that have
// no answer yet. While there are any, the workload must not count its pods again, or it would create too many.
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

// The texts of Events about the owner. {pod}, {owner} and {error} are replaced.
struct PodTexts {
  std::string_view created = "Created pod: {pod}";
  std::string_view not_created = "Error creating: {error}";
  std::string_view deleted = "Deleted pod: {pod}";
  std::string_view not_deleted = "Error deleting: {error}";
};

class PodControl {
 public:
  // `retry` is called when a key has all its answers, at least one is an error, and the last one came after create()
  // returned.
  PodControl(Server& server,
             EventWriter& events,
             std::string reporter,
             std::function<void(const std::string&)> retry,
             PodTexts texts = {});
  PodControl(const PodControl&) = delete;
  PodControl& operator=(const PodControl&) = delete;

  void create(const std::string& key, const Message& owner, std::unique_ptr<api::Pod> pod);
  bool under_way(const std::string& key) const;
  // Whether a creation was rejected since the last take_fault(). Further creations would be rejected too: stop.
  bool failed(const std::string& key) const { return state_->faults.contains(key); }
  // The message of the first error; empty if there was none. A terminating namespace is not an error.
  std::string take_fault(const std::string& key);
  void forget(const std::string& key) { state_->faults.erase(key); }

  // Returns the error, empty for none. A pod that is already deleted is not an error. Do not use the view afterwards.
  std::string remove(const Message& owner, const PodView& pod);

 private:
  // Pending answers hold a weak reference, because they can outlive this object.
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

bool namespace_is_terminating(const StatusError& refusal);

}  // namespace rescheduler::sim
