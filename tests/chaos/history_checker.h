// Judges moves by what the API server's history says, and by nothing else: it knows neither the mover nor its records'
// meaning beyond what stands in them. Each breach is a sentence.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class Deployment;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::test {

class HistoryChecker {
 public:
  explicit HistoryChecker(sim::Server& server);

  // What the meddler does itself, so that it is not taken for the mover's doing.
  void foreign_act(const std::string& app) { disturbed_[app] = now(); }
  void foreign_rollout(const std::string& app) { ++rollouts_[app]; }
  void everything_disturbed() { all_disturbed_ = now(); }
  void forbid(const std::string& app) { forbidden_.insert(app); }
  void single_identity(const std::string& app) { single_.insert(app); }

  const std::vector<std::string>& breaches() const { return breaches_; }
  std::size_t bindings() const { return bindings_; }
  std::size_t evictions() const { return evicted_.size(); }
  // To be called when all is quiet.
  void check_nothing_left();

 private:
  WallTime now() const { return server_.agenda().wall_now(); }
  void on_change(const sim::Change& change);
  void pod_changed(const api::Pod* before, const api::Pod& after, bool gone);
  void deployment_changed(const api::Deployment& before, const api::Deployment& after);
  void check_eviction(const api::Pod& pod);
  void check_room(const std::string& node);
  bool quiet(const std::string& app) const;
  template <class... Args>
  void breach(fmt::format_string<Args...> text, Args&&... args) {
    breaches_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  sim::Server& server_;
  std::unique_ptr<sim::Store::Subscription> changes_;
  std::map<std::string, WallTime> disturbed_;
  WallTime all_disturbed_{};
  std::map<std::string, int> rollouts_;
  std::map<std::string, int> templates_;
  std::set<std::string> forbidden_;
  std::set<std::string> single_;
  std::set<std::string> evicted_;
  std::size_t bindings_ = 0;
  std::vector<std::string> breaches_;
};

}  // namespace rescheduler::test
