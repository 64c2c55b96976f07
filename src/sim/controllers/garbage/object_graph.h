// Which objects exist and which object owns which, by uid. The garbage collector uses it. It has no rules of deletion.
//
// Every object of the cluster has an entry, so entries are small. Uids are stored as 128-bit hashes. Only objects with
// owners, and objects with an Ending, have a Place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/kinds/kind.h"

namespace rescheduler::api {
class ObjectMeta;
class OwnerReference;
}  // namespace rescheduler::api

namespace rescheduler::sim {

struct UidHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const UidHash&, const UidHash&) = default;
  static UidHash of(std::string_view uid);
};

enum class Ending : std::uint8_t {
  None,
  Deleting,    // finalizers or a grace period delay the deletion
  Foreground,  // waits until its dependents are deleted
  Orphaning,   // waits until its dependents are orphaned
};
Ending ending_of(const api::ObjectMeta& metadata);

class ObjectGraph {
 public:
  struct Link {
    UidHash owner;
    bool blocks = false;  // a foreground deletion of the owner waits for this dependent
    friend bool operator==(const Link&, const Link&) = default;
  };
  struct Place {
    const Kind* kind = nullptr;
    std::string ns;
    std::string name;
  };
  struct Difference {
    bool new_links = false;
    Ending before = Ending::None;
    Ending after = Ending::None;
  };

  Difference put(const Kind& kind, const api::ObjectMeta& metadata);
  std::vector<Link> erase(const api::ObjectMeta& metadata);  // the links to its owners

  bool exists(UidHash uid) const { return entries_.contains(uid); }
  Ending ending(UidHash uid) const;
  // Whether the object of the reference exists with that kind and name. Owners are in the dependent's namespace or
  // cluster-scoped.
  bool resolves(const api::OwnerReference& reference, std::string_view ns) const;
  const Place* place(UidHash uid) const;  // null: the object has neither owners nor an Ending, or does not exist
  // In the order of arrival.
  std::vector<UidHash> dependents(UidHash owner) const;
  bool blocks(UidHash dependent, UidHash owner) const;

 private:
  struct Entry {
    std::uint64_t where = 0;  // hash of kind, namespace and name
    Ending ending = Ending::None;
  };
  struct Node {
    Place place;
    std::vector<Link> links;
    std::uint64_t number = 0;  // order of arrival
  };
  struct Hash {
    std::size_t operator()(UidHash uid) const { return uid.low; }
  };
  void unlink(UidHash uid, const Node& node);

  std::unordered_map<UidHash, Entry, Hash> entries_;
  std::unordered_map<UidHash, Node, Hash> nodes_;
  std::unordered_map<UidHash, std::map<std::uint64_t, UidHash>, Hash> dependents_;  // by order of arrival
  std::uint64_t last_number_ = 0;
};

}  // namespace rescheduler::sim
