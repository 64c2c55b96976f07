#include "sim/patch/typed_merge.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include <boost/json/value.hpp>

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

std::string_view plain(json::string_view text) { return {text.data(), text.size()}; }

json::value merge(const json::value* live, const json::value* config, const Place& place);

json::value merge_members(const json::value* live, const json::value* config, const Place& place) {
  static const json::object none;
  const json::object& left = live != nullptr && live->is_object() ? live->get_object() : none;
  const json::object& right = config != nullptr && config->is_object() ? config->get_object() : none;
  json::object out;
  for (const auto& member : left) {
    const std::string_view name = plain(member.key());
    out.emplace(member.key(), merge(&member.value(), right.if_contains(member.key()), place.member(name)));
  }
  for (const auto& member : right) {
    if (!left.contains(member.key())) out.emplace(member.key(), member.value());
  }
  return out;
}

// Merges two lists of keyed items. The config's items keep their order. An item that only the live list has stays after
// the items that it followed there.
class ListMerge {
 public:
  ListMerge(const json::value* live, const json::value* config, const Place& place) : place_(place) {
    read(live, live_, live_by_name_);
    read(config, config_, config_by_name_);
    for (const Named& item : config_) {
      if (item.name && live_by_name_.contains(*item.name)) shared_.push_back(&*item.name);
    }
  }

  json::value run() {
    while (left_ < live_.size() || right_ < config_.size()) {
      if (left_ < live_.size() && step_live()) continue;
      if (right_ < config_.size()) take_config();
    }
    return std::move(out_);
  }

 private:
  struct Named {
    std::optional<PathElement> name;  // nullopt: no key, so it is not merged
    const json::value* value;
  };
  using ByName = std::map<PathElement, const json::value*>;

  void read(const json::value* list, std::vector<Named>& items, ByName& by_name) const {
    const json::array* array = list == nullptr ? nullptr : list->if_array();
    if (array == nullptr) return;
    for (const json::value& item : *array) {
      items.push_back({place_.name_of(item), &item});
      if (!items.back().name) continue;
      const auto [slot, fresh] = by_name.emplace(*items.back().name, &item);
      if (!fresh) slot->second = nullptr;  // duplicates are not merged
    }
  }

  // Adds or skips the next live item. False: does neither, because the config's next item comes first.
  bool step_live() {
    const Named& item = live_[left_];
    if (!item.name || !config_by_name_.contains(*item.name)) {
      out_.push_back(*item.value);
      ++left_;
      return true;
    }
    const bool next_too = right_ < config_.size() && config_[right_].name == item.name;
    if (next_too) {
      take_config();
      ++left_;
      return true;
    }
    const bool out_of_turn =
        right_ < config_.size() && next_shared_ < shared_.size() && *shared_[next_shared_] != *item.name;
    if (out_of_turn || done_.contains(*item.name)) {
      ++left_;
      return true;
    }
    return false;
  }

  void take_config() {
    const Named& item = config_[right_++];
    if (!item.name) {
      out_.push_back(*item.value);
      return;
    }
    done_.insert(*item.name);
    if (next_shared_ < shared_.size() && *shared_[next_shared_] == *item.name) ++next_shared_;
    const auto found = live_by_name_.find(*item.name);
    out_.push_back(merge(found == live_by_name_.end() ? nullptr : found->second, item.value, place_.item()));
  }

  Place place_;
  std::vector<Named> live_, config_;
  ByName live_by_name_, config_by_name_;
  std::vector<const PathElement*> shared_;  // keys in both lists, in the config's order
  std::set<PathElement> done_;
  std::size_t left_ = 0, right_ = 0, next_shared_ = 0;
  json::array out_;
};

json::value merge(const json::value* live, const json::value* config, const Place& place) {
  switch (place.walk(live, config)) {
    case Walk::Members: return merge_members(live, config, place);
    case Walk::Items: return ListMerge(live, config, place).run();
    case Walk::Leaf: break;
  }
  return config != nullptr ? *config : *live;
}

// Nullopt: nothing is left. A container that becomes empty but is not in the set itself stays.
std::optional<json::value> cut(const json::value& value, const FieldSet& gone, const Place& place);

std::optional<json::value> cut_below(const json::value& value,
                                     const PathElement& name,
                                     const FieldSet& gone,
                                     const Place& place) {
  if (gone.has(name)) return std::nullopt;
  const FieldSet* below = gone.below(name);
  return below == nullptr ? std::optional<json::value>(value) : cut(value, *below, place);
}

std::optional<json::value> cut(const json::value& value, const FieldSet& gone, const Place& place) {
  if (!value.is_structured()) return value;
  switch (place.walk(&value)) {
    case Walk::Leaf: return std::nullopt;  // an atomic value: without one part the whole value is removed
    case Walk::Members: {
      json::object out;
      for (const auto& member : value.get_object()) {
        const std::string_view name = plain(member.key());
        auto rest = cut_below(member.value(), PathElement::member(name), gone, place.member(name));
        if (rest) out.emplace(member.key(), std::move(*rest));
      }
      return out;
    }
    case Walk::Items: break;
  }
  json::array out;
  for (const json::value& item : value.get_array()) {
    const auto name = place.name_of(item);
    auto rest = name ? cut_below(item, *name, gone, place.item()) : std::optional<json::value>(item);
    if (rest) out.push_back(std::move(*rest));
  }
  return out;
}

}  // namespace

json::value merged(const json::value& live, const json::value& config, const Place& place) {
  return merge(&live, &config, place);
}

json::value without_fields(const json::value& object, const FieldSet& gone, const Place& place) {
  return cut(object, gone, place).value_or(json::object());
}

}  // namespace rescheduler::sim
