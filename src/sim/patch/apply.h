// Server-side apply and the tracking of who owns which fields, on JSON documents.
//
// The documents are whole objects; metadata.managedFields in them is not looked at: ownership travels as a text of its
// own (the JSON array), empty for an object whose fields nobody has tracked so far.
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
  bool force = false;         // take fields over from other managers
  std::string api_version{};  // the object's: "apps/v1"
  std::string kind{};         // the object's; empty: a configuration of any kind will do
  std::string subresource{};
  std::string time{};       // now, RFC 3339 in whole seconds
  bool has_status = false;  // the kind has a status subresource: writes of the object itself do not own its status
};

struct ApplyResult {
  boost::json::value object;
  std::string managed_fields;
};

// live: null when the object is to be created. schema: null for objects without a wire type.
// A conflict's refusal names no kind and no object: the caller may.
ApiResult<ApplyResult> server_side_apply(const boost::json::value* live,
                                         const boost::json::value& config,
                                         std::string_view managed_fields,
                                         const ApplyOptions& options,
                                         const google::protobuf::Descriptor* schema);

// The managed fields after any other sort of write. An object that exists and was never tracked stays untracked; null
// for `before` tracks a creation.
std::string note_update(const boost::json::value* before,
                        const boost::json::value& after,
                        std::string_view managed_fields,
                        const ApplyOptions& options,
                        const google::protobuf::Descriptor* schema);

}  // namespace rescheduler::sim
