// The interface that selectors use to read labels: the value of a key, or nothing if the key is absent.
//
// A view of a map, of sorted pairs or of any callable. It does not own the labels: pass it, do not store it.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rescheduler::kube {

class LabelLookup {
 public:
  using Answer = std::optional<std::string_view>;
  using SortedPairs = std::span<const std::pair<std::string, std::string>>;

  // Any callable const F& with Answer(std::string_view key).
  template <class F>
    requires std::convertible_to<std::invoke_result_t<const F&, std::string_view>, Answer>
  LabelLookup(const F& ask) noexcept  // NOLINT(google-explicit-constructor): a view, like string_view
      : object_(&ask), call_([](const void* object, std::string_view key) -> Answer {
          return (*static_cast<const F*>(object))(key);
        }) {}

  // Any map with find(string_view): protobuf's Map<string, string>, std::map with std::less<>, boost's flat maps.
  template <class Map>
    requires requires(const Map& map, std::string_view key) {
      { map.find(key) == map.end() } -> std::convertible_to<bool>;
      { map.find(key)->second } -> std::convertible_to<std::string_view>;
    }
  LabelLookup(const Map& map) noexcept  // NOLINT(google-explicit-constructor)
      : object_(&map), call_([](const void* object, std::string_view key) -> Answer {
          const Map& labels = *static_cast<const Map*>(object);
          const auto found = labels.find(key);
          if (found == labels.end()) return std::nullopt;
          return std::string_view(found->second);
        }) {}

  // Pairs sorted by key, without duplicates. The span itself must outlive the lookup too.
  LabelLookup(const SortedPairs& pairs) noexcept  // NOLINT(google-explicit-constructor)
      : object_(&pairs), call_([](const void* object, std::string_view key) -> Answer {
          const auto& sorted = *static_cast<const SortedPairs*>(object);
          const auto found = std::ranges::lower_bound(sorted, key, {},
                                                      [](const auto& pair) -> std::string_view { return pair.first; });
          if (found == sorted.end() || found->first != key) return std::nullopt;
          return std::string_view(found->second);
        }) {}

  Answer operator()(std::string_view key) const { return call_(object_, key); }

 private:
  const void* object_;
  Answer (*call_)(const void*, std::string_view);
};

}  // namespace rescheduler::kube
