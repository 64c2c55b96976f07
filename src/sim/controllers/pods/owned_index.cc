#include "sim/controllers/pods/owned_index.h"

#include <algorithm>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

namespace {

OwnedIndex::Entry entry_of(const api::ObjectMeta& metadata) {
  OwnedIndex::Entry entry{metadata.namespace_(), metadata.name(), metadata.uid(), {}, {}};
  if (const api::OwnerReference* owner = controller_of(metadata)) {
    entry.owner = Owner{owner->uid(), owner->api_version(), owner->kind(), owner->name()};
  }
  entry.labels.pairs.assign(metadata.labels().begin(), metadata.labels().end());
  std::ranges::sort(entry.labels.pairs);
  return entry;
}

}  // namespace

OwnedIndex::OwnedIndex(Server& server, const Kind& kind, Listener listener) : listener_(std::move(listener)) {
  server.store().for_each(kind, "", "", [this](const VersionPtr& version) {
    take_in(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
  subscription_ = server.store().subscribe(&kind, [this](const Change& change) { take_in(change); });
}

void OwnedIndex::take_in(const Change& change) {
  const auto object = change.after->object();
  const api::ObjectMeta& metadata = kube::metadata_of(*object);
  const Key key(metadata.namespace_(), metadata.name());
  const auto known = entries_.find(key);
  std::unique_ptr<Entry> before;
  if (known != entries_.end()) {
    before = std::make_unique<Entry>(std::move(known->second));
    const auto list = by_owner_.find(before->owner.uid);
    list->second.erase(key);
    if (list->second.empty()) by_owner_.erase(list);
    entries_.erase(known);
  }
  const Entry* after = nullptr;
  if (change.what != Change::What::Deleted) {
    after = &(entries_[key] = entry_of(metadata));
    by_owner_[after->owner.uid].insert(key);
  }
  if (listener_) listener_(before.get(), after);
}

const OwnedIndex::Entry* OwnedIndex::find(std::string_view ns, std::string_view name) const {
  const auto found = entries_.find(Key(ns, name));
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<const OwnedIndex::Entry*> OwnedIndex::of_owner(std::string_view uid) const {
  std::vector<const Entry*> found;
  const auto list = by_owner_.find(uid);
  if (uid.empty() || list == by_owner_.end()) return found;
  for (const Key& key : list->second) found.push_back(&entries_.at(key));
  return found;
}

std::vector<const OwnedIndex::Entry*> OwnedIndex::orphans(std::string_view ns,
                                                          const kube::LabelSelector& selector) const {
  std::vector<const Entry*> found;
  const auto list = by_owner_.find("");
  if (list == by_owner_.end()) return found;
  for (auto key = list->second.lower_bound(Key(ns, "")); key != list->second.end() && key->first == ns; ++key) {
    const Entry& entry = entries_.at(*key);
    if (selector.matches(entry.labels.lookup())) found.push_back(&entry);
  }
  return found;
}

}  // namespace rescheduler::sim
