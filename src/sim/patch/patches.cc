#include "sim/patch/patches.h"

#include <string>
#include <utility>

#include <boost/json/value.hpp>

#include "base/check.h"
#include "kube/codec/json_text.h"
#include "sim/patch/json_patch.h"
#include "sim/patch/merge_patch.h"
#include "sim/patch/strategic_merge.h"
#include "sim/patch/yaml_document.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

// As in Kubernetes, the error does not say what is wrong with the patch.
StatusError unprocessable() {
  return {422, "Invalid", "the server rejected our request due to an error in our request"};
}

ApiResult<json::value> parsed(std::string_view text) {
  auto value = kube::parse_json(text, {});
  if (!value) return refuse(bad_request("error decoding patch: " + value.error().message));
  return std::move(*value);
}

ApiResult<json::value> by_json_patch(const json::value& live, const json::value& patch) {
  auto outcome = json_patched(live, patch);
  if (outcome) return std::move(*outcome);
  const JsonPatchFault& fault = outcome.error();
  switch (fault.kind) {
    case JsonPatchFault::Kind::Malformed: return refuse(bad_request("error decoding patch: " + fault.message));
    case JsonPatchFault::Kind::TooMany:
      return refuse({413, "RequestEntityTooLarge", "Request entity is too large: " + fault.message});
    case JsonPatchFault::Kind::MissingPath:
    case JsonPatchFault::Kind::TestFailed:
    case JsonPatchFault::Kind::TooLarge: break;
  }
  return refuse(unprocessable());
}

ApiResult<json::value> by_strategic_merge(const json::value& live,
                                          const json::value& patch,
                                          const PatchRequest& request) {
  auto outcome = strategically_merged(live, patch, request.schema);
  if (outcome) return std::move(*outcome);
  const StrategicFault& fault = outcome.error();
  switch (fault.kind) {
    case StrategicFault::Kind::BadFormat: return refuse(bad_request(fault.message));
    case StrategicFault::Kind::Unprocessable: return refuse(unprocessable());
    case StrategicFault::Kind::Failed: break;
  }
  return refuse({500, "", fault.message});
}

ApiResult<json::value> patched(const json::value& live, const PatchRequest& request) {
  auto patch = parsed(request.text);
  if (!patch) return patch;
  if (request.kind == kube::PatchKind::Json) return by_json_patch(live, *patch);
  if (!patch->is_object()) return refuse(bad_request("error decoding patch: the patch is not an object"));
  if (request.kind == kube::PatchKind::Merge) return merge_patched(live, *patch);
  return by_strategic_merge(live, *patch, request);
}

}  // namespace

ApiResult<ApplyResult> patch_document(const json::value* live, const PatchRequest& request) {
  if (request.kind == kube::PatchKind::StrategicMerge && request.custom) {
    return refuse(unsupported_media_type(
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"));
  }
  if (request.kind == kube::PatchKind::Apply) {
    const auto config = yaml_document(request.text);
    if (!config) return refuse(bad_request("error decoding patch: " + config.error().message));
    return server_side_apply(live, *config, request.managed_fields, request.options, request.schema);
  }
  RESCHEDULER_CHECK(live != nullptr, "only server-side apply creates objects");
  auto outcome = patched(*live, request);
  if (!outcome) return refuse(std::move(outcome.error()));
  if (!outcome->is_object()) return refuse(unprocessable());
  return ApplyResult{std::move(*outcome), std::string(request.managed_fields)};
}

}  // namespace rescheduler::sim
