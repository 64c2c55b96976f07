#include "kube/informer/object_store.h"

#include <algorithm>

#include <boost/container_hash/hash.hpp>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {

ObjectStore::Key ObjectStore::key_of(const Entry& entry) { return {entry.meta->namespace_(), entry.meta->name()}; }

std::size_t ObjectStore::KeyHash::operator()(const Key& key) const noexcept {
  std::size_t seed = std::hash<std::string_view>{}(key.name);
  boost::hash_combine(seed, std::hash<std::string_view>{}(key.ns));
  return seed;
}

std::size_t ObjectStore::KeyHash::operator()(const Entry& entry) const noexcept { return (*this)(key_of(entry)); }

bool ObjectStore::KeyEqual::operator()(const Entry& left, const Entry& right) const noexcept {
  return (*this)(key_of(left), right);
}

bool ObjectStore::KeyEqual::operator()(const Key& left, const Entry& right) const noexcept {
  return left.name == right.meta->name() && left.ns == right.meta->namespace_();
}

void ObjectStore::add_index(std::string name, IndexFunction function) {
  Index& index = indexes_.emplace_back(Index{std::move(name), std::move(function)});
  for (const Entry& entry : objects_) put_into(index, entry.object);
}

std::vector<ObjectStore::Change> ObjectStore::upsert(ObjectPtr object) {
  const api::ObjectMeta& meta = metadata_of(*object);
  const auto found = objects_.find(Key{meta.namespace_(), meta.name()});
  if (found == objects_.end()) {
    objects_.insert(Entry{object, &meta});
    reindex(object);
    return {{nullptr, std::move(object)}};
  }
  const ObjectPtr before = found->object;
  if (found->meta->resource_version() == meta.resource_version()) return {};
  const bool same_object = found->meta->uid() == meta.uid();
  objects_.erase(found);
  objects_.insert(Entry{object, &meta});
  unindex(before);
  reindex(object);
  if (same_object) return {{before, std::move(object)}};
  return {{before, nullptr}, {nullptr, std::move(object)}};
}

std::vector<ObjectStore::Change> ObjectStore::remove(std::string_view ns, std::string_view name) {
  const auto found = objects_.find(Key{ns, name});
  if (found == objects_.end()) return {};
  ObjectPtr before = found->object;
  objects_.erase(found);
  unindex(before);
  return {{std::move(before), nullptr}};
}

std::vector<ObjectStore::Change> ObjectStore::replace(std::vector<ObjectPtr> all) {
  boost::unordered_flat_set<Entry, KeyHash, KeyEqual> present;
  present.reserve(all.size());
  for (const ObjectPtr& object : all) present.insert(Entry{object, &metadata_of(*object)});

  // Removals first: a name that is free again may be taken by an addition, and never the other way round.
  std::vector<Change> changes;
  std::vector<ObjectPtr> gone;
  for (const Entry& entry : objects_) {
    if (!present.contains(key_of(entry))) gone.push_back(entry.object);
  }
  for (const ObjectPtr& object : gone) {
    const api::ObjectMeta& meta = metadata_of(*object);
    std::ranges::move(remove(meta.namespace_(), meta.name()), std::back_inserter(changes));
  }
  objects_.reserve(all.size());
  for (ObjectPtr& object : all) std::ranges::move(upsert(std::move(object)), std::back_inserter(changes));
  return changes;
}

ObjectPtr ObjectStore::find(std::string_view ns, std::string_view name) const {
  const auto found = objects_.find(Key{ns, name});
  return found == objects_.end() ? nullptr : found->object;
}

const std::vector<ObjectPtr>& ObjectStore::indexed(std::string_view index, std::string_view value) const {
  static const std::vector<ObjectPtr> none;
  for (const Index& candidate : indexes_) {
    if (candidate.name != index) continue;
    const auto found = candidate.objects.find(std::string{value});
    return found == candidate.objects.end() ? none : found->second;
  }
  return none;
}

void ObjectStore::for_each(const std::function<void(const ObjectPtr&)>& visit) const {
  for (const Entry& entry : objects_) visit(entry.object);
}

void ObjectStore::put_into(Index& index, const ObjectPtr& object) {
  for (auto& value : index.function(*object)) index.objects[std::move(value)].push_back(object);
}

void ObjectStore::drop_from(Index& index, const ObjectPtr& object) {
  for (const auto& value : index.function(*object)) {
    const auto found = index.objects.find(value);
    if (found == index.objects.end()) continue;
    std::erase(found->second, object);
    if (found->second.empty()) index.objects.erase(found);
  }
}

void ObjectStore::reindex(const ObjectPtr& object) {
  for (Index& index : indexes_) put_into(index, object);
}

void ObjectStore::unindex(const ObjectPtr& object) {
  for (Index& index : indexes_) drop_from(index, object);
}

}  // namespace rescheduler::kube
