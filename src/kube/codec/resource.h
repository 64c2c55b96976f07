// What kinds of API object there are: group, version, kind, URL word and scope, read from the (resource) option of
// the wire types. The answers are built once, never change and live as long as the process; any thread may ask.
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
  std::string_view plural;  // the word in URLs; empty for lists, options and subresources
  bool namespaced = false;
  bool json_only = false;    // never sent or asked for as protobuf
  bool any_version = false;  // several groups serve it under their own apiVersion: only the kind identifies it
  const google::protobuf::Descriptor* message = nullptr;
  const ResourceType* list = nullptr;  // PodList for Pod; null when the kind has none
  const ResourceType* item = nullptr;  // Pod for PodList; null for everything that is not a list

  std::string api_version() const;  // "v1", "apps/v1"
  bool matches(std::string_view api_version, std::string_view kind) const;
  std::unique_ptr<google::protobuf::Message> make() const;  // an empty object of this kind
};

// Null when the message has no (resource) option. Messages of other folders' .proto files are welcome.
const ResourceType* find_resource(const google::protobuf::Descriptor& message);
// The same for messages known to be resources; anything else ends the process.
const ResourceType& resource_of(const google::protobuf::Descriptor& message);

template <class T>
const ResourceType& resource_of() {
  static const ResourceType& type = resource_of(*T::descriptor());
  return type;
}

// Every kind of src/kube/proto, lists included.
std::span<const ResourceType> all_resources();
// These search all_resources() and return null when there is none.
const ResourceType* find_kind(std::string_view group, std::string_view kind);
const ResourceType* find_plural(std::string_view group, std::string_view plural);
const ResourceType* find_type(std::string_view api_version, std::string_view kind);

}  // namespace rescheduler::kube
