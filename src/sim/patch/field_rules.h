// How lists, maps and structures of the Kubernetes API are patched: the patchStrategy, patchMergeKey, listType,
// listMapKey, mapType and structType marks of its Go types, for the fields our wire types have.
//
// What is not named here has the API's defaults: lists are replaced whole, maps and structures merged by member.
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

// What a strategic merge patch does with the field. A list merges by merge_key, or as a set if that is empty.
enum class Strategy : std::uint8_t { Default, Merge, Replace };

// What server-side apply sees in a list: one value, a set of scalars, or items told apart by their keys.
enum class ListType : std::uint8_t { Atomic, Set, Map };

struct FieldRule {
  std::string_view field;  // "Container.ports"
  Strategy strategy = Strategy::Default;
  std::string_view merge_key{};
  ListType list_type = ListType::Atomic;
  std::array<std::string_view, 2> keys{};  // of ListType::Map; the second may be empty
  bool atomic_map = false;                 // server-side apply: the map is one value
  bool granular_struct = false;            // although the structure's type is atomic elsewhere
};

// Null: the API's defaults.
const FieldRule* rule_of(const google::protobuf::FieldDescriptor& field);

std::size_t rule_count();

// Is a structure of this type one value to server-side apply?
bool is_atomic(const google::protobuf::Descriptor& structure);

// What an absent key of a list's item means; empty: nothing.
std::string_view key_default(std::string_view key);

}  // namespace rescheduler::sim
