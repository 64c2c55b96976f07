// Kubernetes' strategic merge patch: a merge patch that knows the object's type, merges lists of named items one by one
// and obeys directives in the patch ($patch, $retainKeys, $setElementOrder/x, $deleteFromPrimitiveList/x).
//
// As in Kubernetes, items the patch brings stand before those only the object has, unless the object's own order or
// $setElementOrder says otherwise, and "$patch: merge" is refused: merging is what happens anyway.
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
    BadFormat,      // a directive is not what it should be: 400
    Unprocessable,  // understood and impossible: 422
    Failed,         // what Kubernetes answers with 500: items without their merge key and the like
  };
  Kind kind = Kind::Failed;
  std::string message;
};

// schema: null for built-in kinds without a wire type: maps are merged, lists replaced.
tl::expected<boost::json::value, StrategicFault> strategically_merged(boost::json::value document,
                                                                      const boost::json::value& patch,
                                                                      const google::protobuf::Descriptor* schema);

}  // namespace rescheduler::sim
