// Feeds node load into a live scheduler. The configured sources are read on the network loop. The readings go to the
// scheduler; changes of the source go to metrics, events and /readyz.
//
// Members belong to the network loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/load_settings.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "usage/load_feed.h"

namespace rescheduler::api {
class Node;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

class LoadWatch {
 public:
  struct Callbacks {
    std::function<void(usage::Reading, std::string source)> taken{};
    std::function<void(cluster::LoadBasis, std::string source)> fell_back{};
    std::function<void(const usage::Fallback::Change&)> changed{};
  };
  // An unusable source (for example a missing CA file) is an error here; a source that does not answer is not.
  static Result<std::unique_ptr<LoadWatch>> make(const cluster::LoadSettings& settings,
                                                 kube::Api& api,
                                                 const kube::LoopServices& services,
                                                 Callbacks callbacks);

  void upsert_node(const api::Node& object);
  void remove_node(const std::string& name);

  net::Task<void> run() { return feed_->run(); }
  net::Task<Result<std::vector<usage::PodUse>>> read_pods() { return feed_->read_pods(); }
  const usage::LoadFeedStatus& status() const { return feed_->status(); }

 private:
  LoadWatch() = default;
  // The list to change. If a source still holds the list, it is copied first, and the source keeps the old list.
  std::vector<usage::NodeIdentity>& own_nodes();

  std::shared_ptr<std::vector<usage::NodeIdentity>> nodes_ =
      std::make_shared<std::vector<usage::NodeIdentity>>();  // by name
  std::unique_ptr<usage::LoadFeed> feed_;
};

}  // namespace rescheduler::scheduler
