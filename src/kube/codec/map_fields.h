// Accesses the entries of a map field by reflection, in place.
//
// Protobuf's public reflection presents a map as a repeated field. For that it keeps a second copy of all entries in
// the object. Labels and resource lists are half of a pod, so the codecs access the map itself.
#pragma once

#include <functional>
#include <string>

#include <google/protobuf/map_field.h>
#include <google/protobuf/message.h>

namespace rescheduler::kube {

// Ordered by key; every map of the Kubernetes API has string keys.
using MapEntry = std::function<void(const std::string& key, const google::protobuf::MapValueConstRef& value)>;
void for_each_entry(const google::protobuf::Message& message,
                    const google::protobuf::FieldDescriptor& field,
                    const MapEntry& visit);

// The value of the key; inserted if the key is absent.
google::protobuf::MapValueRef map_value(google::protobuf::Message& message,
                                        const google::protobuf::FieldDescriptor& field,
                                        const std::string& key);

}  // namespace rescheduler::kube
