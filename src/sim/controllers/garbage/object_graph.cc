#include "sim/controllers/garbage/object_graph.h"

#include <algorithm>
#include <utility>

#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {
namespace {

// FNV-1a; two different offsets make a 128-bit hash.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return (hash ^ 0xFF) * 0x100000001B3ULL;  // separator, so that "ab","c" and "a","bc" differ
}
constexpr std::uint64_t kOffset = 0xCBF29CE484222325ULL;
constexpr std::uint64_t kOtherOffset = 0x9AE16A3B2F90404FULL;

std::uint64_t where(std::string_view kind, std::string_view ns, std::string_view name) {
  return hash_of(name, hash_of(ns, hash_of(kind, kOffset)));
}

std::vector<ObjectGraph::Link> links_in(const api::ObjectMeta& metadata) {
  std::vector<ObjectGraph::Link> links;
  for (const api::OwnerReference& owner : metadata.owner_references()) {
    links.push_back({UidHash::of(owner.uid()), owner.block_owner_deletion()});
  }
  return links;
}

bool has_finalizer(const api::ObjectMeta& metadata, std::string_view finalizer) {
  return std::ranges::find(metadata.finalizers(), finalizer) != metadata.finalizers().end();
}

}  // namespace

UidHash UidHash::of(std::string_view uid) { return {hash_of(uid, kOffset), hash_of(uid, kOtherOffset)}; }

Ending ending_of(const api::ObjectMeta& metadata) {
  if (!metadata.has_deletion_timestamp()) return Ending::None;
  if (has_finalizer(metadata, "orphan")) return Ending::Orphaning;
  if (has_finalizer(metadata, "foregroundDeletion")) return Ending::Foreground;
  return Ending::Deleting;
}

ObjectGraph::Difference ObjectGraph::put(const Kind& kind, const api::ObjectMeta& metadata) {
  const UidHash uid = UidHash::of(metadata.uid());
  const auto [entry, added] = entries_.try_emplace(uid);
  if (added) entry->second.where = where(kind.kind, metadata.namespace_(), metadata.name());
  Difference difference{false, entry->second.ending, ending_of(metadata)};
  entry->second.ending = difference.after;

  const auto node = nodes_.find(uid);
  if (metadata.owner_references().empty() && difference.after == Ending::None) {
    if (node == nodes_.end()) return difference;
    unlink(uid, node->second);
    nodes_.erase(node);
    return difference;
  }
  std::vector<Link> links = links_in(metadata);
  if (node != nodes_.end() && node->second.links == links) return difference;
  difference.new_links = !links.empty();
  const std::uint64_t number = node == nodes_.end() ? ++last_number_ : node->second.number;
  if (node != nodes_.end()) unlink(uid, node->second);
  for (const Link& link : links) dependents_[link.owner][number] = uid;
  nodes_.insert_or_assign(uid, Node{{&kind, metadata.namespace_(), metadata.name()}, std::move(links), number});
  return difference;
}

std::vector<ObjectGraph::Link> ObjectGraph::erase(const api::ObjectMeta& metadata) {
  const UidHash uid = UidHash::of(metadata.uid());
  entries_.erase(uid);
  const auto node = nodes_.find(uid);
  if (node == nodes_.end()) return {};
  unlink(uid, node->second);
  std::vector<Link> links = std::move(node->second.links);
  nodes_.erase(node);
  return links;
}

void ObjectGraph::unlink(UidHash, const Node& node) {
  for (const Link& link : node.links) {
    const auto found = dependents_.find(link.owner);
    if (found == dependents_.end()) continue;
    found->second.erase(node.number);
    if (found->second.empty()) dependents_.erase(found);
  }
}

Ending ObjectGraph::ending(UidHash uid) const {
  const auto found = entries_.find(uid);
  return found == entries_.end() ? Ending::None : found->second.ending;
}

bool ObjectGraph::resolves(const api::OwnerReference& reference, std::string_view ns) const {
  const auto found = entries_.find(UidHash::of(reference.uid()));
  if (found == entries_.end()) return false;
  const std::uint64_t is = found->second.where;
  return is == where(reference.kind(), ns, reference.name()) || is == where(reference.kind(), {}, reference.name());
}

const ObjectGraph::Place* ObjectGraph::place(UidHash uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : &found->second.place;
}

std::vector<UidHash> ObjectGraph::dependents(UidHash owner) const {
  std::vector<UidHash> list;
  const auto found = dependents_.find(owner);
  if (found == dependents_.end()) return list;
  for (const auto& [number, uid] : found->second) list.push_back(uid);
  return list;
}

bool ObjectGraph::blocks(UidHash dependent, UidHash owner) const {
  const auto found = nodes_.find(dependent);
  if (found == nodes_.end()) return false;
  return std::ranges::any_of(found->second.links, [&](const Link& link) { return link.owner == owner && link.blocks; });
}

}  // namespace rescheduler::sim
