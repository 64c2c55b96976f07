// The kinds of API objects: group, version, kind, plural and scope, read from the (resource) option of the wire types.
// ResourceTypes are built once, are immutable and live as long as the process. All threads may use them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace google::protobuf {
class Descriptor;
class Message;
}  // namespace google::protobuf

namespace rescheduler::kube {

struct ResourceType {
  std::string_view group;  // empty: the core group
  std::string_view version;
  std::string_view kind;
  std::string_view plural;  // the plural in URLs; empty for lists, options and subresources
  bool namespaced = false;
  bool json_only = false;    // never sent or requested as protobuf
  bool any_version = false;  // several groups serve this kind under their own apiVersion: only the kind is checked
  const google::protobuf::Descriptor* message = nullptr;
  const ResourceType* list = nullptr;  // PodList for Pod; null if the kind has no list
  const ResourceType* item = nullptr;  // Pod for PodList; null if this kind is not a list

  std::string api_version() const;  // "v1", "apps/v1"
  bool matches(std::string_view api_version, std::string_view kind) const;
  std::unique_ptr<google::protobuf::Message> make() const;  // an empty object of this kind
};

// Null when the message has no (resource) option. Also works for messages of .proto files in other folders.
const ResourceType* find_resource(const google::protobuf::Descriptor& message);
// The same for messages that must be resources. Other messages end the process.
const ResourceType& resource_of(const google::protobuf::Descriptor& message);

template <class T>
const ResourceType& resource_of() {
  static const ResourceType& type = resource_of(*T::descriptor());
  return type;
}

// Every kind of src/kube/proto, lists included.
std::span<const ResourceType> all_resources();
// These functions search all_resources() and return null if there is no match.
const ResourceType* find_kind(std::string_view group, std::string_view kind);
const ResourceType* find_type(std::string_view api_version, std::string_view kind);

}  // namespace rescheduler::kube
