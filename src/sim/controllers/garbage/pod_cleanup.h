// Deletes pods that no kubelet will remove:
// - pods bound to a node that does not exist
// - terminating pods without a node, or on a node that is not ready and has the taint out-of-service
// - the oldest finished pods, if there are too many
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/controllers/controller_scope.h"
#include "sim/controllers/periodic.h"

namespace rescheduler::sim {

struct PodCleanupSettings {
  Agenda::Duration period = std::chrono::seconds{20};
  Agenda::Duration quarantine = std::chrono::seconds{40};  // how long a node is missing before its pods are deleted
  std::size_t most_finished = 12'500;                      // zero: no limit
};

class PodCleanup {
 public:
  explicit PodCleanup(const ControllerScope& scope, PodCleanupSettings settings = {});

 private:
  void pod_changed(const PodView* before, const PodView* after);
  void node_changed(const Change& change);
  void clean();
  void drop_finished();
  void drop_terminating();
  void drop_stranded();
  void force_out(const std::string& key, std::string_view why);

  Server& server_;
  PodIndex& pods_;
  PodCleanupSettings settings_;
  std::set<std::string> finished_;
  std::set<std::string> terminating_;
  std::map<std::string, std::optional<SteadyTime>, std::less<>> missing_nodes_;  // since when, by node
  PodIndex::Subscription on_pods_;
  std::unique_ptr<Store::Subscription> on_nodes_;
  Periodic timer_;
};

}  // namespace rescheduler::sim
