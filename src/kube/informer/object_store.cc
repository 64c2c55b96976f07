#include "kube/informer/object_store.h"

#include <algorithm>

#include <boost/container_hash/hash.hpp>

#include "base/check.h"
#include "kube/codec/metadata.h"
#include "kube/codec/protobuf.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {

ObjectStore::~ObjectStore() = default;

std::size_t ObjectStore::KeyHash::operator()(const Key& key) const noexcept {
  std::size_t seed = std::hash<std::string_view>{}(key.name);
  boost::hash_combine(seed, std::hash<std::string_view>{}(key.ns));
  return seed;
}

std::size_t ObjectStore::KeyHash::operator()(const Entry& entry) const noexcept {
  return (*this)(Key{entry->ns(), entry->name()});
}

bool ObjectStore::KeyEqual::operator()(const Entry& left, const Entry& right) const noexcept {
  return (*this)(Key{left->ns(), left->name()}, right);
}

bool ObjectStore::KeyEqual::operator()(const Key& left, const Entry& right) const noexcept {
  return left.name == right->name() && left.ns == right->ns();
}

ObjectPtr ObjectStore::unpack(const Packed& packed) const {
  std::shared_ptr<Message> object = resource_.make();
  if (keep_ == Keep::Names) {
    api::ObjectMeta& meta = mutable_metadata_of(*object);
    meta.set_namespace_(std::string(packed.ns()));
    meta.set_name(std::string(packed.name()));
    meta.set_uid(std::string(packed.uid()));
    meta.set_resource_version(std::string(packed.version()));
    return object;
  }
  const auto decoded = decode_bare(packed.bytes(), *object, UnknownFields::Keep);
  RESCHEDULER_CHECK(decoded.has_value(), "bytes of our own making: {}", decoded.error().message);
  return object;
}

void ObjectStore::Packed::assign(const api::ObjectMeta& meta, std::string_view bytes) {
  std::string text;
  text.reserve(meta.namespace_().size() + meta.name().size() + meta.uid().size() + meta.resource_version().size()
               + bytes.size());
  const auto append = [&text](std::string_view part) {
    text += part;
    return static_cast<std::uint32_t>(text.size());
  };
  name_at_ = append(meta.namespace_());
  uid_at_ = append(meta.name());
  version_at_ = append(meta.uid());
  bytes_at_ = append(meta.resource_version());
  append(bytes);
  text_ = std::move(text);
}

void ObjectStore::pack(const Message& object, Packed& into) {
  into.assign(metadata_of(object), keep_ == Keep::Objects ? encode_bare(object) : std::string());
  into.pass = pass_;
  for (std::size_t index = 0; index < indexes_.size(); ++index) put_into(index, object, into);
}

ObjectStore::Outcome ObjectStore::upsert(const Message& object, ObjectPtr* before, Before shown) {
  const api::ObjectMeta& meta = metadata_of(object);
  const auto found = objects_.find(Key{meta.namespace_(), meta.name()});
  if (found == objects_.end()) {
    auto packed = std::make_unique<Packed>();
    pack(object, *packed);
    objects_.insert(std::move(packed));
    return Outcome::Added;
  }
  Packed& packed = **found;
  packed.pass = pass_;
  if (packed.version() == meta.resource_version()) return Outcome::Known;
  const bool same_object = packed.uid() == meta.uid();
  if (before != nullptr && (shown == Before::All || !same_object)) *before = unpack(packed);
  unindex(packed);
  pack(object, packed);
  return same_object ? Outcome::Updated : Outcome::Replaced;
}

bool ObjectStore::remove(std::string_view ns, std::string_view name) {
  const auto found = objects_.find(Key{ns, name});
  if (found == objects_.end()) return false;
  unindex(**found);
  objects_.erase(found);
  return true;
}

std::vector<ObjectPtr> ObjectStore::end_pass() {
  std::vector<ObjectPtr> gone;
  for (auto entry = objects_.begin(); entry != objects_.end();) {
    Packed& packed = **entry;
    if (packed.pass == pass_) {
      ++entry;
      continue;
    }
    gone.push_back(unpack(packed));
    unindex(packed);
    objects_.erase(entry++);
  }
  return gone;
}

ObjectPtr ObjectStore::find(std::string_view ns, std::string_view name) const {
  const auto found = objects_.find(Key{ns, name});
  return found == objects_.end() ? nullptr : unpack(**found);
}

void ObjectStore::for_each(const std::function<void(const ObjectPtr&)>& visit) const {
  for (const Entry& entry : objects_) visit(unpack(*entry));
}

void ObjectStore::add_index(std::string name, IndexFunction function) {
  indexes_.push_back(Index{std::move(name), std::move(function)});
  for (const Entry& entry : objects_) put_into(indexes_.size() - 1, *unpack(*entry), *entry);
}

std::vector<ObjectPtr> ObjectStore::indexed(std::string_view index, std::string_view value) const {
  std::vector<ObjectPtr> objects;
  for (const Index& candidate : indexes_) {
    if (candidate.name != index) continue;
    const auto found = candidate.objects.find(std::string{value});
    if (found == candidate.objects.end()) break;
    for (const Packed* packed : found->second) objects.push_back(unpack(*packed));
  }
  return objects;
}

void ObjectStore::put_into(std::size_t index, const Message& object, Packed& packed) {
  packed.index_values.resize(indexes_.size());
  packed.index_values[index] = indexes_[index].function(object);
  for (const std::string& value : packed.index_values[index]) indexes_[index].objects[value].push_back(&packed);
}

void ObjectStore::unindex(Packed& packed) {
  for (std::size_t index = 0; index < packed.index_values.size(); ++index) {
    auto& objects = indexes_[index].objects;
    for (const std::string& value : packed.index_values[index]) {
      const auto found = objects.find(value);
      if (found == objects.end()) continue;  // the function named the value twice
      std::erase(found->second, &packed);
      if (found->second.empty()) objects.erase(found);
    }
  }
  packed.index_values.clear();
}

}  // namespace rescheduler::kube
