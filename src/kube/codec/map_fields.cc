#include "kube/codec/map_fields.h"

#include <algorithm>
#include <utility>
#include <vector>

#ifndef GOOGLE_PROTOBUF_HAS_CEL_MAP_REFLECTION_FRIEND
#error "this protobuf does not let libraries iterate maps by reflection; 3.21 does"
#endif

namespace google::protobuf::expr {

// Protobuf gives a class of this name access to its map reflection.
class CelMapReflectionFriend {
 public:
  static MapIterator begin(const Message& message, const FieldDescriptor& field) {
    return message.GetReflection()->MapBegin(const_cast<Message*>(&message), &field);
  }
  static MapIterator end(const Message& message, const FieldDescriptor& field) {
    return message.GetReflection()->MapEnd(const_cast<Message*>(&message), &field);
  }
  static MapValueRef value(Message& message, const FieldDescriptor& field, const MapKey& key) {
    MapValueRef found;
    message.GetReflection()->InsertOrLookupMapValue(&message, &field, key, &found);
    return found;
  }
};

}  // namespace google::protobuf::expr

namespace rescheduler::kube {

using google::protobuf::FieldDescriptor;
using google::protobuf::MapValueConstRef;
using google::protobuf::Message;
using google::protobuf::expr::CelMapReflectionFriend;

void for_each_entry(const Message& message, const FieldDescriptor& field, const MapEntry& visit) {
  std::vector<std::pair<std::string, MapValueConstRef>> entries;
  const auto end = CelMapReflectionFriend::end(message, field);
  for (auto entry = CelMapReflectionFriend::begin(message, field); entry != end; ++entry) {
    entries.emplace_back(entry.GetKey().GetStringValue(), entry.GetValueRef());
  }
  std::ranges::sort(entries, {}, [](const auto& entry) -> const std::string& { return entry.first; });
  for (const auto& [key, value] : entries) visit(key, value);
}

google::protobuf::MapValueRef map_value(Message& message, const FieldDescriptor& field, const std::string& key) {
  google::protobuf::MapKey map_key;
  map_key.SetStringValue(key);
  return CelMapReflectionFriend::value(message, field, map_key);
}

}  // namespace rescheduler::kube
