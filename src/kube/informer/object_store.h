// The objects of one kind, by namespace and name, with indexes. Says what each change was, so that handlers are told
// exactly once. Belongs to the event loop's thread.
//
// Objects are kept packed: as the protobuf bytes of the fields we know, about an eighth of what the decoded message
// weighs. A look-up decodes (tens of microseconds); whoever looks often keeps a model of its own, fed by handlers.
// Whoever never looks has only the names kept, which is what it takes to say that an object is gone.
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

namespace rescheduler::kube {

// The values an object is found under, for one index: e.g. a pod's node name. None: not in the index.
using IndexFunction = std::function<std::vector<std::string>(const Message&)>;

enum class Keep : std::uint8_t {
  Objects,
  Names,  // namespace, name, uid and version: what is found has nothing else
};

class ObjectStore {
 public:
  // What an upsert was.
  enum class Outcome {
    Known,     // this very version was there already
    Added,     // there was none of this name
    Updated,   // there was an earlier version of the same object
    Replaced,  // there was another object (another uid) of this name: it is gone, this one is new
  };

  // Which earlier versions an upsert shows: each costs a decoding.
  enum class Before : std::uint8_t { Replaced, All };

  explicit ObjectStore(const ResourceType& resource, Keep keep = Keep::Objects) : resource_(resource), keep_(keep) {}
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  void add_index(std::string name, IndexFunction function);

  // `before`, unless null, receives what was there, decoded; leave it out where nobody asks.
  Outcome upsert(const Message& object, ObjectPtr* before, Before shown = Before::All);
  bool remove(std::string_view ns, std::string_view name);  // was it there?

  // A whole state arrives object by object: what was not upserted between the two calls no longer exists. It is removed
  // and returned. A pass that never ends changes nothing but what was upserted.
  void begin_pass() { ++pass_; }
  std::vector<ObjectPtr> end_pass();

  ObjectPtr find(std::string_view ns, std::string_view name) const;  // null: none
  std::vector<ObjectPtr> indexed(std::string_view index, std::string_view value) const;
  void for_each(const std::function<void(const ObjectPtr&)>& visit) const;  // in no particular order
  std::size_t size() const { return objects_.size(); }

 private:
  struct Packed {
    std::string ns;
    std::string name;
    std::string uid;
    std::string version;
    std::string bytes;
    std::uint64_t pass = 0;
    std::vector<std::vector<std::string>> index_values{};  // by index, in the order of indexes_
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
