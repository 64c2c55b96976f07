// How busy nodes are, on its way into a live scheduler: the sources of the configuration are read on the network loop;
// what they say goes to the scheduler, and who says it to metrics, events and /readyz.
//
// Members belong to the network loop's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

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
  // Sources that cannot work (a CA file that is not there) are an error now; those that do not answer are not.
  static Result<std::unique_ptr<LoadWatch>> make(const cluster::LoadSettings& settings,
                                                 kube::Api& api,
                                                 const kube::LoopServices& services,
                                                 Callbacks callbacks);

  void upsert_node(const api::Node& object);
  void remove_node(const std::string& name);

  net::Task<void> run() { return feed_->run(); }
  const usage::LoadFeedStatus& status() const { return feed_->status(); }

 private:
  LoadWatch() = default;
  usage::NodeList nodes();

  std::map<std::string, usage::NodeIdentity> facts_;
  usage::NodeList list_;  // of all of them; null: has to be made anew
  std::unique_ptr<usage::LoadFeed> feed_;
};

}  // namespace rescheduler::scheduler
