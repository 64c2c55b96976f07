// The pods with a scheduling attempt in progress, and the cluster events since the attempt began. A rejected pod gets
// these events replayed; otherwise it would wait for an event that it missed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster_event.h"
#include "scheduler/queue/waiting_pod.h"

namespace rescheduler::scheduler {

class QueueMetrics;

class InFlight {
 public:
  explicit InFlight(QueueMetrics* metrics) : metrics_(metrics) {}

  struct Pod {
    PodObject object{};  // the latest version
    bool removed = false;
  };

  void begin(const PodObject& object);
  void end(std::string_view uid);  // drops the events that no other pod in flight needs

  Pod* find(std::string_view uid);
  bool empty() const { return pods_.empty(); }
  std::size_t size() const { return pods_.size(); }
  std::size_t kept() const { return shared_.size() + own_; }  // number of stored events

  void on_event(cluster::ClusterEventPtr what);                            // stored for all pods that are in flight now
  void on_pod_event(std::string_view uid, cluster::ClusterEventPtr what);  // stored for this pod

  // Calls visit(event) for the events since begin(uid) until visit returns false. False if the pod is not in flight.
  template <class Visit>
  bool replay(std::string_view uid, Visit visit) const {
    const auto found = pods_.find(uid);
    if (found == pods_.end()) return false;
    for (const auto& what : found->second.own) {
      if (!visit(*what)) return true;
    }
    for (std::size_t i = static_cast<std::size_t>(found->second.since - first_); i < shared_.size(); ++i) {
      if (!visit(*shared_[i])) return true;
    }
    return true;
  }

 private:
  struct Record : Pod {
    std::uint64_t since = 0;  // the number of the first shared event that this pod has to see
    std::vector<cluster::ClusterEventPtr> own{};
  };
  void count(const cluster::ClusterEvent& what, int change);

  QueueMetrics* metrics_;
  std::map<std::string, Record, std::less<>> pods_;
  std::multiset<std::uint64_t> since_;  // of all pods in flight; older shared events than the smallest are dropped
  std::deque<cluster::ClusterEventPtr> shared_;  // numbered from first_
  std::uint64_t first_ = 0;
  std::size_t own_ = 0;
};

}  // namespace rescheduler::scheduler
