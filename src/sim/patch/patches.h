// One function for every kind of patch: takes the text, returns the patched document or Kubernetes' error.
#pragma once

#include <string_view>

#include <boost/json/fwd.hpp>

#include "kube/client/api.h"
#include "sim/patch/apply.h"

namespace rescheduler::sim {

struct PatchRequest {
  kube::PatchKind kind = kube::PatchKind::Merge;
  std::string_view text;                                 // JSON; YAML too for Apply
  const google::protobuf::Descriptor* schema = nullptr;  // of the wire type; null if the kind has none
  bool custom = false;                                   // a custom kind: no strategic merge
  std::string_view managed_fields{};                     // of the live object
  ApplyOptions options{};                                // Apply only
};

// live: null only for Apply, which then creates. All kinds except Apply keep the managed fields; note_update() changes
// them when the final object is known.
ApiResult<ApplyResult> patch_document(const boost::json::value* live, const PatchRequest& request);

}  // namespace rescheduler::sim
