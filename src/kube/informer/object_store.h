// The objects of one kind, by namespace and name, with indexes. Says what each change was, so that handlers are
// told exactly once. Belongs to the event loop's thread.
#pragma once

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
}

namespace rescheduler::kube {

// The values an object is found under, for one index: e.g. a pod's node name. None: not in the index.
using IndexFunction = std::function<std::vector<std::string>(const Message&)>;

class ObjectStore {
 public:
  struct Change {
    ObjectPtr before;  // null: added
    ObjectPtr after;   // null: removed
  };

  void add_index(std::string name, IndexFunction function);

  // The object is now this. No change at all if its version is already known; an object that was deleted and made
  // anew under the same name (another uid) is two changes: one removed, one added.
  std::vector<Change> upsert(ObjectPtr object);
  std::vector<Change> remove(std::string_view ns, std::string_view name);
  // These are all the objects there are.
  std::vector<Change> replace(std::vector<ObjectPtr> all);

  ObjectPtr find(std::string_view ns, std::string_view name) const;
  const std::vector<ObjectPtr>& indexed(std::string_view index, std::string_view value) const;
  void for_each(const std::function<void(const ObjectPtr&)>& visit) const;
  std::size_t size() const { return objects_.size(); }

 private:
  // The key is read from the object itself: no second copy of every name.
  struct Entry {
    ObjectPtr object;
    const api::ObjectMeta* meta;
  };
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
    std::unordered_map<std::string, std::vector<ObjectPtr>> objects{};
  };
  static Key key_of(const Entry& entry);
  static void drop_from(Index& index, const ObjectPtr& object);
  static void put_into(Index& index, const ObjectPtr& object);
  void unindex(const ObjectPtr& object);
  void reindex(const ObjectPtr& object);

  boost::unordered_flat_set<Entry, KeyHash, KeyEqual> objects_;
  std::vector<Index> indexes_;
};

}  // namespace rescheduler::kube
