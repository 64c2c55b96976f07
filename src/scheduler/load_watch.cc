#include "scheduler/load_watch.h"

#include <utility>

#include "kube/proto/core_node.pb.h"
#include "scheduler/load_sources.h"

namespace rescheduler::scheduler {

Result<std::unique_ptr<LoadWatch>> LoadWatch::make(const cluster::LoadSettings& settings,
                                                   kube::Api& api,
                                                   const kube::LoopServices& services,
                                                   Callbacks callbacks) {
  auto sources = make_sources(settings, api, services);
  if (!sources) return fail(std::move(sources.error()));
  std::unique_ptr<LoadWatch> made(new LoadWatch());
  usage::LoadFeedSettings feed;
  feed.interval = settings.interval;
  feed.rules.freshness = settings.freshness;
  usage::LoadFeedCallbacks calls;
  calls.nodes = [watch = made.get()] { return watch->nodes(); };
  calls.taken = std::move(callbacks.taken);
  calls.fell_back = std::move(callbacks.fell_back);
  calls.changed = std::move(callbacks.changed);
  made->feed_ = std::make_unique<usage::LoadFeed>(services, feed, std::move(*sources), std::move(calls));
  return made;
}

// Every node sends a heartbeat every few seconds; a heartbeat changes nothing here.
void LoadWatch::upsert_node(const api::Node& object) {
  usage::NodeIdentity facts = usage::node_identity_of(object);
  auto& known = facts_[facts.name];
  if (known == facts) return;
  known = std::move(facts);
  list_.reset();
}

void LoadWatch::remove_node(const std::string& name) {
  if (facts_.erase(name) != 0) list_.reset();
}

usage::NodeList LoadWatch::nodes() {
  if (!list_) {
    std::vector<usage::NodeIdentity> all;
    for (const auto& [name, facts] : facts_) all.push_back(facts);
    list_ = std::make_shared<const std::vector<usage::NodeIdentity>>(std::move(all));
  }
  return list_;
}

}  // namespace rescheduler::scheduler
