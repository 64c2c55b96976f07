// Every kind of patch behind one door: text in, patched document or Kubernetes' refusal out.
#pragma once

#include <string_view>

#include <boost/json/fwd.hpp>

#include "kube/client/api.h"
#include "sim/patch/apply.h"

namespace rescheduler::sim {

struct PatchRequest {
  kube::PatchKind kind = kube::PatchKind::Merge;
  std::string_view text;                                 // JSON; for Apply YAML as well
  const google::protobuf::Descriptor* schema = nullptr;  // of the wire type; null when the kind has none
  bool custom = false;                                   // a CustomResourceDefinition's kind: no strategic merge
  std::string_view managed_fields{};                     // of the live object
  ApplyOptions options{};                                // Apply only
};

// live: null only for Apply, which then creates. All but Apply leave the managed fields as they are: they are noted
// when it is known what became of the object (note_update).
ApiResult<ApplyResult> patch_document(const boost::json::value* live, const PatchRequest& request);

}  // namespace rescheduler::sim
