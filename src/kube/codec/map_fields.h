// Reaches the entries of a map field by reflection, in place.
//
// Protobuf's public reflection shows a map as a repeated field, and for that keeps a second copy of all entries in the
// object from then on. Labels and resource lists are half of a pod, so the codecs go through the map itself.
#pragma once

#include <functional>
#include <string>

#include <google/protobuf/map_field.h>
#include <google/protobuf/message.h>

namespace rescheduler::kube {

// In order of the keys; every map of the Kubernetes API has string keys.
using MapEntry = std::function<void(const std::string& key, const google::protobuf::MapValueConstRef& value)>;
void for_each_entry(const google::protobuf::Message& message,
                    const google::protobuf::FieldDescriptor& field,
                    const MapEntry& visit);

// The value of a key, made if it was not there.
google::protobuf::MapValueRef map_value(google::protobuf::Message& message,
                                        const google::protobuf::FieldDescriptor& field,
                                        const std::string& key);

}  // namespace rescheduler::kube
