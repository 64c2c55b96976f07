// Kubernetes' strategic merge patch: a merge patch that uses the object's type, merges lists by item keys and applies
// directives in the patch ($patch, $retainKeys, $setElementOrder/x, $deleteFromPrimitiveList/x).
//
// As in Kubernetes, items of the patch come before items that only the object has, unless the object's order or
// $setElementOrder decides otherwise. "$patch: merge" is rejected, because merging is the default.
#pragma once

#include <cstdint>
#include <string>

#include <boost/json/fwd.hpp>
#include <tl/expected.hpp>

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

namespace rescheduler::sim {

struct StrategicFault {
  enum class Kind : std::uint8_t {
    BadFormat,      // a malformed directive: 400
    Unprocessable,  // well-formed but impossible: 422
    Failed,         // Kubernetes answers 500: items without their merge key and similar errors
  };
  Kind kind = Kind::Failed;
  std::string message;
};

// schema: null for built-in kinds without a wire type: maps are merged, lists replaced.
tl::expected<boost::json::value, StrategicFault> strategically_merged(boost::json::value document,
                                                                      const boost::json::value& patch,
                                                                      const google::protobuf::Descriptor* schema);

}  // namespace rescheduler::sim
