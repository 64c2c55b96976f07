#include "sim/patch/typed_sets.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "sim/patch/json_values.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

std::string_view plain(json::string_view text) { return {text.data(), text.size()}; }

// The items of a list by key. Items without a key have no owner and are left out.
using Items = std::map<PathElement, std::vector<const json::value*>>;
Items items_of(const json::value* list, const Place& place) {
  Items items;
  const json::array* array = list == nullptr ? nullptr : list->if_array();
  if (array == nullptr) return items;
  for (const json::value& item : *array) {
    if (const auto name = place.name_of(item)) items[*name].push_back(&item);
  }
  return items;
}

class Collector {
 public:
  FieldSet take() { return std::move(set_); }

  void visit(const json::value& value, const Place& place) {
    switch (place.walk(&value)) {
      case Walk::Leaf: set_.insert(path_); break;
      case Walk::Members: visit_members(value.get_object(), place); break;
      case Walk::Items: visit_items(value, place); break;
    }
  }

 private:
  void visit_members(const json::object& object, const Place& place) {
    for (const auto& member : object) {
      const std::string_view name = plain(member.key());
      path_.push_back(PathElement::member(name));
      visit(member.value(), place.member(name));
      const json::object* below = member.value().if_object();
      const bool empty = member.value().is_null() || (below != nullptr && below->empty());
      if (empty || !place.declares(name)) set_.insert(path_);
      path_.pop_back();
    }
  }

  void visit_items(const json::value& list, const Place& place) {
    for (const auto& [name, items] : items_of(&list, place)) {
      path_.push_back(name);
      if (items.size() == 1) visit(*items.front(), place.item());
      set_.insert(path_);
      path_.pop_back();
    }
  }

  FieldPath path_;
  FieldSet set_;
};

class Comparison {
 public:
  Differences take() { return std::move(differences_); }

  // Null: absent.
  void visit(const json::value* before, const json::value* after, const Place& place) {
    const Walk walk = place.walk(before, after);
    if (walk == Walk::Leaf) {
      note(before, after);
      // If only one of the two is a leaf, all fields below the other are removed or added.
      if (before != nullptr && after != nullptr) {
        visit_inside(place.walk(before), before, nullptr, place);
        visit_inside(place.walk(after), nullptr, after, place);
      }
      return;
    }
    visit_inside(walk, before, after, place);
    if (before == nullptr) differences_.added.insert(path_);
    if (after == nullptr) differences_.removed.insert(path_);
  }

 private:
  void note(const json::value* before, const json::value* after) {
    if (before == nullptr) {
      differences_.added.insert(path_);
    } else if (after == nullptr) {
      differences_.removed.insert(path_);
    } else if (!same_value(*before, *after)) {
      differences_.modified.insert(path_);
    }
  }

  void visit_inside(Walk walk, const json::value* before, const json::value* after, const Place& place) {
    if (walk == Walk::Members) visit_members(before, after, place);
    if (walk == Walk::Items) visit_items(before, after, place);
  }

  void visit_below(PathElement element, const json::value* before, const json::value* after, const Place& place) {
    path_.push_back(std::move(element));
    visit(before, after, place);
    path_.pop_back();
  }

  void visit_members(const json::value* before, const json::value* after, const Place& place) {
    static const json::object none;
    const json::object& left = before != nullptr && before->is_object() ? before->get_object() : none;
    const json::object& right = after != nullptr && after->is_object() ? after->get_object() : none;
    for (const auto& member : left) {
      const std::string_view name = plain(member.key());
      visit_below(PathElement::member(name), &member.value(), right.if_contains(member.key()), place.member(name));
    }
    for (const auto& member : right) {
      if (left.contains(member.key())) continue;
      const std::string_view name = plain(member.key());
      visit_below(PathElement::member(name), nullptr, &member.value(), place.member(name));
    }
  }

  void visit_items(const json::value* before, const json::value* after, const Place& place) {
    const Items left = items_of(before, place);
    const Items right = items_of(after, place);
    const std::vector<const json::value*> none;
    for (const auto& [name, items] : left) {
      const auto found = right.find(name);
      visit_namesakes(name, items, found == right.end() ? none : found->second, place.item());
    }
    for (const auto& [name, items] : right) {
      if (!left.contains(name)) visit_namesakes(name, none, items, place.item());
    }
  }

  // Several items with the same key are invalid, but a stored object can have them: together they count as one value.
  void visit_namesakes(const PathElement& name,
                       const std::vector<const json::value*>& before,
                       const std::vector<const json::value*>& after,
                       const Place& place) {
    const auto only = [](const auto& items) { return items.size() == 1 ? items.front() : nullptr; };
    if (before.size() < 2 && after.size() < 2) return visit_below(name, only(before), only(after), place);
    path_.push_back(name);
    if (before.size() >= 2 && after.size() >= 2) {
      const auto same = [](const json::value* left, const json::value* right) { return same_value(*left, *right); };
      if (!std::ranges::equal(before, after, same)) {
        differences_.modified.insert(path_);
      }
    } else if (before.size() >= 2) {
      if (only(after) != nullptr) visit(nullptr, only(after), place);
      differences_.removed.insert(path_);
    } else {
      if (only(before) != nullptr) visit(only(before), nullptr, place);
      differences_.added.insert(path_);
    }
    path_.pop_back();
  }

  FieldPath path_;
  Differences differences_;
};

std::string item_fault(const json::array& list, const Place& place) {
  std::set<PathElement> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto name = place.name_of(list[i]);
    if (!name) return fmt::format(": element {}: the item has none of the keys that the list is merged by", i);
    if (!seen.insert(*name).second) return fmt::format(": duplicate entries for key {}", name->shown());
    if (std::string fault = list_fault(list[i], place.item()); !fault.empty()) return name->shown() + fault;
  }
  return {};
}

}  // namespace

FieldSet fields_of(const json::value& object, const Place& place) {
  Collector collector;
  collector.visit(object, place);
  return collector.take();
}

Differences differences(const json::value& before, const json::value& after, const Place& place) {
  Comparison comparison;
  comparison.visit(&before, &after, place);
  return comparison.take();
}

FieldSet with_structures(const FieldSet& set, const Place& place) {
  FieldSet whole;
  for (const PathElement& element : set.members()) whole.insert(element);
  for (const auto& [element, child] : set.children()) {
    const std::string* name = element.member_name();
    if (name != nullptr && place.declares(*name)) whole.insert(element);
    whole.set_child(element, with_structures(child, name != nullptr ? place.member(*name) : place.item()));
  }
  return whole;
}

std::string list_fault(const json::value& value, const Place& place) {
  switch (place.walk(&value)) {
    case Walk::Leaf: return {};
    case Walk::Items: return item_fault(value.get_array(), place);
    case Walk::Members: break;
  }
  for (const auto& member : value.get_object()) {
    const std::string_view name = plain(member.key());
    if (std::string fault = list_fault(member.value(), place.member(name)); !fault.empty()) {
      return fmt::format(".{}{}", name, fault);
    }
  }
  return {};
}

}  // namespace rescheduler::sim
