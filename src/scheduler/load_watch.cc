#include "scheduler/load_watch.h"

#include <algorithm>
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
  calls.nodes = [watch = made.get()] { return usage::NodeList(watch->nodes_); };
  calls.taken = std::move(callbacks.taken);
  calls.fell_back = std::move(callbacks.fell_back);
  calls.changed = std::move(callbacks.changed);
  made->feed_ = std::make_unique<usage::LoadFeed>(services, feed, std::move(*sources), std::move(calls));
  return made;
}

std::vector<usage::NodeIdentity>& LoadWatch::own_nodes() {
  if (nodes_.use_count() > 1) nodes_ = std::make_shared<std::vector<usage::NodeIdentity>>(*nodes_);
  return *nodes_;
}

// Most updates of a Node are heartbeats, which do not change the identity. Such an update must not copy the list.
void LoadWatch::upsert_node(const api::Node& object) {
  usage::NodeIdentity node = usage::node_identity_of(object);
  const auto place = std::ranges::lower_bound(*nodes_, node.name, {}, &usage::NodeIdentity::name);
  const auto index = place - nodes_->begin();
  const bool known = place != nodes_->end() && place->name == node.name;
  if (known && *place == node) return;
  auto& nodes = own_nodes();
  if (known) {
    nodes[static_cast<std::size_t>(index)] = std::move(node);
  } else {
    nodes.insert(nodes.begin() + index, std::move(node));
  }
}

void LoadWatch::remove_node(const std::string& name) {
  const auto place = std::ranges::lower_bound(*nodes_, name, {}, &usage::NodeIdentity::name);
  if (place == nodes_->end() || place->name != name) return;
  const auto index = place - nodes_->begin();
  auto& nodes = own_nodes();
  nodes.erase(nodes.begin() + index);
}

}  // namespace rescheduler::scheduler
