#include "sim/patch/ownership.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <boost/json/value.hpp>

#include "sim/patch/typed_merge.h"

namespace rescheduler::sim {
namespace {

constexpr std::size_t kMostUpdaters = 10;

FieldSet make_never_owned() {
  FieldSet set;
  for (const std::string_view name : {"apiVersion", "kind", "metadata"}) set.insert(PathElement::member(name));
  for (const std::string_view name : {"clusterName", "creationTimestamp", "generation", "managedFields", "name",
                                      "namespace", "resourceVersion", "selfLink", "uid"}) {
    set.insert({PathElement::member("metadata"), PathElement::member(name)});
  }
  return set;
}

void drop_empty(ManagedFields& managed) {
  std::erase_if(managed, [](const auto& entry) { return entry.second.fields.empty(); });
}

}  // namespace

const FieldSet& never_owned() {
  static const FieldSet set = make_never_owned();
  return set;
}

std::vector<OwnershipConflict> conflicts(const ManagedFields& managed,
                                         const FieldManager& writer,
                                         const Differences& changes) {
  std::vector<OwnershipConflict> found;
  const FieldSet written = changes.modified.united(changes.added);
  for (const auto& [manager, owned] : managed) {
    if (manager == writer) continue;
    for (FieldPath& path : owned.fields.shared(written).paths()) found.push_back({manager, std::move(path)});
  }
  return found;
}

void take_away(ManagedFields& managed, const FieldManager* writer, const Differences& changes) {
  const FieldSet touched = changes.modified.united(changes.added).united(changes.removed);
  for (auto& [manager, owned] : managed) {
    if (writer == nullptr || manager != *writer) owned.fields = owned.fields.without(touched);
  }
  drop_empty(managed);
}

boost::json::value pruned(const boost::json::value& merged,
                          const ManagedFields& managed,
                          const FieldSet& last_applied,
                          const Place& place) {
  if (last_applied.empty()) return merged;
  const FieldSet last = with_structures(last_applied, place);
  const FieldSet all = with_structures(fields_of(merged, place), place);
  const auto fields_left = [&place](const boost::json::value& object) {
    return with_structures(fields_of(object, place), place);
  };
  // A structure can contain fields of other managers, which must stay when the applier drops the structure. So the code
  // decides field by field: it removes a field if the field was applied last time and has no owner now.
  FieldSet owned = never_owned();  // written by the server: an applier cannot remove these fields
  for (const auto& entry : managed) owned = owned.united(entry.second.fields);
  owned = with_structures(owned, place);
  const FieldSet kept = fields_left(without_fields(merged, last, place)).united(owned);
  const FieldSet kept_now = fields_left(without_fields(merged, all.without(kept), place));
  return without_fields(merged, all.without(kept_now).shared(last), place);
}

void cap_updaters(ManagedFields& managed) {
  std::vector<FieldManager> updaters;
  for (const auto& entry : managed) {
    if (!entry.first.applies) updaters.push_back(entry.first);
  }
  if (updaters.size() <= kMostUpdaters) return;
  std::ranges::sort(updaters, {}, [&managed](const FieldManager& manager) {
    return std::make_tuple(std::string_view(managed.at(manager).time), manager);
  });
  std::size_t count = updaters.size();
  std::map<std::string, FieldManager> first_of_version;
  for (const FieldManager& manager : updaters) {
    if (count <= kMostUpdaters) return;
    const auto [first, fresh] = first_of_version.emplace(manager.api_version, manager);
    if (fresh) continue;
    const FieldManager shared{"ancient-changes", false, manager.api_version, {}};
    if (!managed.contains(shared)) {
      OwnedFields oldest = std::move(managed.at(first->second));
      managed.erase(first->second);
      managed.emplace(shared, std::move(oldest));
    }
    if (manager == shared) continue;
    OwnedFields& all = managed.at(shared);
    all.fields = all.fields.united(managed.at(manager).fields);
    all.time = managed.at(manager).time;  // the later of the two
    managed.erase(manager);
    --count;
  }
}

}  // namespace rescheduler::sim
