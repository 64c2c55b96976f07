// Server-side apply and field ownership, on JSON documents.
//
// The documents are whole objects, but metadata.managedFields in them is ignored. Ownership is a separate text (the
// JSON array), empty for an object whose fields are not tracked.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "sim/status_error.h"

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

namespace rescheduler::sim {

struct ApplyOptions {
  std::string manager;
  bool force = false;         // take fields from other managers
  std::string api_version{};  // of the object: "apps/v1"
  std::string kind{};         // of the object; empty: accept a configuration of any kind
  std::string subresource{};
  std::string time{};       // now, RFC 3339 in whole seconds
  bool has_status = false;  // the kind has a status subresource: writes of the object do not own its status
};

struct ApplyResult {
  boost::json::value object;
  std::string managed_fields;
};

// live: null to create the object. schema: null for objects without a wire type.
// The error of a conflict names no kind and no object; the caller can add them.
ApiResult<ApplyResult> server_side_apply(const boost::json::value* live,
                                         const boost::json::value& config,
                                         std::string_view managed_fields,
                                         const ApplyOptions& options,
                                         const google::protobuf::Descriptor* schema);

// The managed fields after a write that is not an apply. An existing object that is not tracked stays untracked. Null
// `before` tracks a creation.
std::string note_update(const boost::json::value* before,
                        const boost::json::value& after,
                        std::string_view managed_fields,
                        const ApplyOptions& options,
                        const google::protobuf::Descriptor* schema);

}  // namespace rescheduler::sim
