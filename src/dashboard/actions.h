// The actions that users can start from the pages. Each action returns one sentence about its result.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "net/task.h"

namespace rescheduler::dashboard {

using ActionAnswer = net::Task<Result<std::string>>;

struct DemoAction {
  std::string what{};  // addLoad, killNode, reviveNode, crashOnNode, healNode, setStrategy
  std::string node{};
  std::string ns{};
  std::string workload{};
  std::string strategy{};
  std::string mode{};
};

// `who` is the name of the user, for Events and the activity log.
class Actions {
 public:
  virtual ~Actions() = default;
  virtual ActionAnswer pause(std::string who, bool paused, std::string reason) = 0;
  virtual ActionAnswer apply_plan(std::string who, std::string plan) = 0;
  virtual ActionAnswer cancel_migration(std::string who, std::string ns, std::string name) = 0;
  virtual ActionAnswer move(std::string who, std::string ns, std::string pod, std::string to, std::string mode) = 0;
  virtual ActionAnswer maintenance(std::string who, std::string node, bool on) = 0;
};

// Actions of the demo, on its embedded cluster.
class DemoActions {
 public:
  virtual ~DemoActions() = default;
  virtual Result<std::string> perform(const DemoAction& demo_action) = 0;
  virtual std::string choices() const = 0;  // JSON: the nodes, workloads and strategies to choose from
};

}  // namespace rescheduler::dashboard
