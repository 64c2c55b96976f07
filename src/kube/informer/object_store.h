// The objects of one kind by namespace and name, with indexes. upsert() reports the kind of each change, so that
// handlers are notified exactly once. Belongs to the event loop's thread.
//
// Objects are stored as the protobuf bytes of the fields of the wire types, about an eighth of the size of the decoded
// message. A lookup decodes (tens of microseconds): a frequent reader keeps its own model, filled by handlers. Without
// lookups, Keep::Names is enough: it stores what is needed to report a removed object.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "kube/client/api.h"

namespace rescheduler::api {
class ObjectMeta;
}  // namespace rescheduler::api

namespace rescheduler::kube {

// The index values of an object, for example the node name of a pod. Empty: the object is not in the index.
using IndexFunction = std::function<std::vector<std::string>(const Message&)>;

enum class Keep : std::uint8_t {
  Objects,
  Names,  // only namespace, name, uid and version; lookups return nothing else
};

class ObjectStore {
 public:
  // The result of upsert().
  enum class Outcome {
    Known,     // this version was already stored
    Added,     // there was no object of this name
    Updated,   // there was an earlier version of the same object
    Replaced,  // there was an object of this name with another uid: it is removed and this one is added
  };

  // Which earlier versions upsert() returns: each costs a decoding.
  enum class Before : std::uint8_t { Replaced, All };

  explicit ObjectStore(const ResourceType& resource, Keep keep = Keep::Objects) : resource_(resource), keep_(keep) {}
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  void add_index(std::string name, IndexFunction function);

  // `before` receives the earlier version, decoded. Pass null if it is not needed.
  Outcome upsert(const Message& object, ObjectPtr* before, Before shown = Before::All);
  bool remove(std::string_view ns, std::string_view name);  // true if it was there

  // For a full state that arrives object by object: end_pass() removes and returns the objects that were not upserted
  // since begin_pass(). A pass without end_pass() removes nothing.
  void begin_pass() { ++pass_; }
  std::vector<ObjectPtr> end_pass();

  ObjectPtr find(std::string_view ns, std::string_view name) const;  // null: not found
  std::vector<ObjectPtr> indexed(std::string_view index, std::string_view value) const;
  void for_each(const std::function<void(const ObjectPtr&)>& visit) const;  // in no particular order
  std::size_t size() const { return objects_.size(); }

 private:
  // One string for all texts of an object, because there are very many objects.
  class Packed {
   public:
    std::string_view ns() const { return part(0, name_at_); }
    std::string_view name() const { return part(name_at_, uid_at_); }
    std::string_view uid() const { return part(uid_at_, version_at_); }
    std::string_view version() const { return part(version_at_, bytes_at_); }
    std::string_view bytes() const { return part(bytes_at_, text_.size()); }
    void assign(const api::ObjectMeta& meta, std::string_view bytes);

    std::uint64_t pass = 0;
    std::vector<std::vector<std::string>> index_values{};  // in the order of indexes_

   private:
    std::string_view part(std::size_t from, std::size_t to) const {
      return std::string_view(text_).substr(from, to - from);
    }
    std::string text_;
    std::uint32_t name_at_ = 0;
    std::uint32_t uid_at_ = 0;
    std::uint32_t version_at_ = 0;
    std::uint32_t bytes_at_ = 0;
  };
  using Entry = std::unique_ptr<Packed>;
  struct Key {
    std::string_view ns;
    std::string_view name;
  };
  struct KeyHash {
    using is_transparent = void;
    std::size_t operator()(const Key& key) const noexcept;
    std::size_t operator()(const Entry& entry) const noexcept;
  };
  struct KeyEqual {
    using is_transparent = void;
    bool operator()(const Entry& left, const Entry& right) const noexcept;
    bool operator()(const Key& left, const Entry& right) const noexcept;
    bool operator()(const Entry& left, const Key& right) const noexcept { return (*this)(right, left); }
  };
  struct Index {
    std::string name;
    IndexFunction function;
    std::unordered_map<std::string, std::vector<const Packed*>> objects{};
  };

  ObjectPtr unpack(const Packed& packed) const;
  void pack(const Message& object, Packed& into);
  void put_into(std::size_t index, const Message& object, Packed& packed);
  void unindex(Packed& packed);

  const ResourceType& resource_;
  Keep keep_;
  boost::unordered_flat_set<Entry, KeyHash, KeyEqual> objects_;
  std::vector<Index> indexes_;
  std::uint64_t pass_ = 0;
};

}  // namespace rescheduler::kube
