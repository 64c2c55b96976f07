#include "sim/scenario/node_rooms.h"

#include <algorithm>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {
namespace {

bool takes_room(const api::Pod& pod) { return !pod.spec().node_name().empty() && !is_finished(pod); }

std::string key_of(const api::ObjectMeta& metadata) { return metadata.namespace_() + "/" + metadata.name(); }

bool same(const PodResources& a, const PodResources& b) {
  return a.cpu == b.cpu && a.memory == b.memory && a.pods == b.pods && a.others == b.others;
}

bool same_rules(const NodeRoom& a, const NodeRoom& b) {
  const auto same_taints = std::ranges::equal(a.taints, b.taints, [](const auto& x, const auto& y) {
    return x.key == y.key && x.value == y.value && x.effect == y.effect;
  });
  return same_taints && a.labels == b.labels && same(a.allocatable, b.allocatable);
}

}  // namespace

NodeRooms::NodeRooms(Server& server) {
  const Kind& nodes = server.kinds().of<api::Node>();
  const Kind& pods = server.kinds().of<api::Pod>();
  server.store().for_each(nodes, "", "", [this](const VersionPtr& version) {
    on_node(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
  server.store().for_each(pods, "", "", [this](const VersionPtr& version) {
    on_pod(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
  on_nodes_ = server.store().subscribe(&nodes, [this](const Change& change) { on_node(change); });
  on_pods_ = server.store().subscribe(&pods, [this](const Change& change) { on_pod(change); });
}

NodeRooms::~NodeRooms() = default;

const NodeRoom* NodeRooms::find(std::string_view node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? nullptr : &found->second;
}

const NodeRoom* NodeRooms::first_fit(const PodNeeds& needs, const Allow& allow) const {
  for (const auto& [name, room] : nodes_) {
    if (needs.fits(room) && (!allow || allow(room))) return &room;
  }
  return nullptr;
}

const NodeRoom* NodeRooms::next_fit(const PodNeeds& needs, const Allow& allow) {
  auto place = nodes_.upper_bound(last_chosen_);
  for (std::size_t tried = 0; tried < nodes_.size(); ++tried, ++place) {
    if (place == nodes_.end()) place = nodes_.begin();
    if (!needs.fits(place->second) || (allow && !allow(place->second))) continue;
    last_chosen_ = place->first;
    return &place->second;
  }
  return nullptr;
}

std::size_t NodeRooms::size() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(nodes_, [](const auto& entry) { return !entry.second.name.empty(); }));
}

void NodeRooms::on_node(const Change& change) {
  const auto node = change.after->as<api::Node>();
  if (change.what == Change::What::Deleted) {
    const auto found = nodes_.find(node->metadata().name());
    if (found == nodes_.end()) return;
    if (found->second.used.pods == 0) {
      nodes_.erase(found);
    } else {
      found->second = NodeRoom{.name = {}, .used = std::move(found->second.used)};  // keeps the sum, fits no pod
    }
    return;
  }
  NodeRoom room = room_of(*node);
  NodeRoom& mine = nodes_[room.name];
  if (mine.name == room.name && same_rules(mine, room)) return;  // only a heartbeat
  room.used = std::move(mine.used);
  mine = std::move(room);
  if (more_room_) more_room_();
}

void NodeRooms::on_pod(const Change& change) {
  const auto pod = change.after->as<api::Pod>();
  const std::string key = key_of(pod->metadata());
  if (change.what == Change::What::Deleted || !takes_room(*pod)) return take_out(key);
  auto [place, added] = pods_.try_emplace(key);
  if (!added && place->second.node == pod->spec().node_name()) return;
  place->second = Placed{pod->spec().node_name(), shared(requests_of(*pod))};
  nodes_[place->second.node].used += *place->second.requests;  // the pod can come before its node
}

void NodeRooms::take_out(const std::string& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  const auto node = nodes_.find(found->second.node);
  if (node != nodes_.end()) {
    node->second.used -= *found->second.requests;
    if (node->second.name.empty() && node->second.used.pods == 0) nodes_.erase(node);
  }
  pods_.erase(found);
  if (more_room_) more_room_();
}

std::shared_ptr<const PodResources> NodeRooms::shared(const PodResources& requests) {
  if (!last_ || !same(*last_, requests)) last_ = std::make_shared<const PodResources>(requests);
  return last_;
}

}  // namespace rescheduler::sim
