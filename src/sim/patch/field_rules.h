// How lists, maps and structures of the Kubernetes API are patched: the patchStrategy, patchMergeKey, listType,
// listMapKey, mapType and structType marks of its Go types, for the fields of our wire types.
//
// Fields that are not listed have the API's defaults: lists are replaced, maps and structures are merged by member.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace google::protobuf {
class Descriptor;
class FieldDescriptor;
}  // namespace google::protobuf

namespace rescheduler::sim {

// How a strategic merge patch treats the field. A list merges by merge_key, or as a set if merge_key is empty.
enum class Strategy : std::uint8_t { Default, Merge, Replace };

// How server-side apply treats a list: one value, a set of scalars, or items identified by their keys.
enum class ListType : std::uint8_t { Atomic, Set, Map };

struct FieldRule {
  std::string_view field;  // "Container.ports"
  Strategy strategy = Strategy::Default;
  std::string_view merge_key{};
  ListType list_type = ListType::Atomic;
  std::array<std::string_view, 2> keys{};  // for ListType::Map; the second can be empty
  bool atomic_map = false;                 // server-side apply: the map is one value
  bool granular_struct = false;            // although the type is atomic elsewhere
};

// Null: the API's defaults.
const FieldRule* rule_of(const google::protobuf::FieldDescriptor& field);

std::size_t rule_count();

// Whether server-side apply treats a structure of this type as one value.
bool is_atomic(const google::protobuf::Descriptor& structure);

// The default of an absent key of a list item; empty: none.
std::string_view key_default(std::string_view key);

}  // namespace rescheduler::sim
