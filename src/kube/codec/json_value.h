// The JSON codec for values that are already parsed, for example from YAML.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "kube/codec/decoded.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::kube {

// Like from_json().
Result<void> from_json_value(const boost::json::value& value,
                             google::protobuf::Message& into,
                             UnknownFields unknown = UnknownFields::Drop);

// Like decode_json(): the object, or the Status that the server sent instead.
Result<Decoded> decode_json_value(const boost::json::value& value,
                                  google::protobuf::Message& into,
                                  UnknownFields unknown);

}  // namespace rescheduler::kube
