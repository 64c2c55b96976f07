#include "scheduler/queue/in_flight.h"

#include <utility>

#include "base/check.h"
#include "scheduler/queue/queue_metrics.h"

namespace rescheduler::scheduler {

namespace {
constexpr std::string_view kPopped = "PodPopped";
}  // namespace

void InFlight::begin(const PodObject& object) {
  Record record;
  record.object = object;
  record.since = first_ + shared_.size();
  since_.insert(record.since);
  const bool fresh = pods_.emplace(object.uid(), std::move(record)).second;
  RESCHEDULER_CHECK(fresh, "the pod {} is in flight twice", object.uid());
  if (metrics_ != nullptr) metrics_->in_flight_changed(kPopped, 1);
}

void InFlight::end(std::string_view uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  for (const auto& what : found->second.own) count(*what, -1);
  own_ -= found->second.own.size();
  since_.erase(since_.find(found->second.since));
  pods_.erase(found);
  if (metrics_ != nullptr) metrics_->in_flight_changed(kPopped, -1);

  while (!shared_.empty() && (since_.empty() || first_ < *since_.begin())) {
    count(*shared_.front(), -1);
    shared_.pop_front();
    ++first_;
  }
}

InFlight::Pod* InFlight::find(std::string_view uid) {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : &found->second;
}

void InFlight::on_event(cluster::ClusterEventPtr what) {
  if (pods_.empty()) return;
  count(*what, 1);
  shared_.push_back(std::move(what));
}

void InFlight::on_pod_event(std::string_view uid, cluster::ClusterEventPtr what) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  count(*what, 1);
  ++own_;
  found->second.own.push_back(std::move(what));
}

void InFlight::count(const cluster::ClusterEvent& what, int change) {
  if (metrics_ != nullptr) metrics_->in_flight_changed(what.label, change);
}

}  // namespace rescheduler::scheduler
