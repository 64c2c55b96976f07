#include "sim/frontend/webhooks/webhook_review.h"

#include <boost/json.hpp>
#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/json_value.h"
#include "kube/codec/metadata.h"
#include "kube/codec/protobuf.h"
#include "kube/proto/admission.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/patch/json_patch.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

std::string group_version(std::string_view version) { return fmt::format("admission.k8s.io/{}", version); }

void name_kind(const Kind& kind, api::GroupVersionKind& out) {
  out.set_group(kind.group);
  out.set_version(kind.version);
  out.set_kind(kind.kind);
}

void name_resource(const Kind& kind, api::GroupVersionResource& out) {
  out.set_group(kind.group);
  out.set_version(kind.version);
  out.set_resource(kind.plural);
}

std::string options_json(const PendingWrite& pending_write) {
  json::object options{
      {"apiVersion", "meta.k8s.io/v1"},
      {"kind", pending_write.operation == PendingWrite::Operation::Create ? "CreateOptions" : "UpdateOptions"},
      {"fieldManager", pending_write.context.manager}};
  if (pending_write.context.dry_run) options["dryRun"] = json::array{"All"};
  return json::serialize(options);
}

StatusError denied(const Webhook& webhook, const api::Status& status) {
  const std::string by = fmt::format("admission webhook \"{}\" denied the request", webhook.name);
  StatusError refusal;
  refusal.code = std::max(status.code(), 400);
  refusal.reason = status.reason();
  if (!status.message().empty()) {
    refusal.message = fmt::format("{}: {}", by, status.message());
  } else if (!status.reason().empty()) {
    refusal.message = fmt::format("{}: {}", by, status.reason());
  } else {
    refusal.message = by + " without explanation";
  }
  return refusal;
}

Result<void> check_patch(const Webhook& webhook, const api::AdmissionResponse& response, bool v1) {
  if (!webhook.mutating) {
    if (v1 && response.has_patch()) return fail(Errc::Invalid, "validating webhook may not return response.patch");
    return {};
  }
  if (!v1) return {};
  if (!response.patch().empty() && !response.has_patch_type()) {
    return fail(Errc::Invalid, "webhook returned response.patch but not response.patchType");
  }
  if (response.patch().empty() && response.has_patch_type()) {
    return fail(Errc::Invalid, "webhook returned response.patchType but not response.patch");
  }
  if (response.has_patch_type() && response.patch_type() != "JSONPatch") {
    return fail(Errc::Invalid, "webhook returned invalid response.patchType of \"{}\"", response.patch_type());
  }
  return {};
}

std::string text_of(const json::object& object, const char* name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string().data(), value->get_string().size())
                                                : std::string();
}

}  // namespace

std::string review_version(const Webhook& webhook) {
  for (const std::string& version : webhook.review_versions) {
    if (version == "v1" || version == "v1beta1") return version;
  }
  return {};
}

std::string review_request(const PendingWrite& pending_write,
                           std::string_view version,
                           std::string_view uid,
                           std::string_view user) {
  api::AdmissionReview review;
  api::AdmissionRequest& request = *review.mutable_request();
  const api::ObjectMeta& metadata = kube::metadata_of(*pending_write.object);
  request.set_uid(std::string(uid));
  name_kind(*pending_write.kind, *request.mutable_kind());
  name_resource(*pending_write.kind, *request.mutable_resource());
  name_kind(*pending_write.kind, *request.mutable_request_kind());
  name_resource(*pending_write.kind, *request.mutable_request_resource());
  if (!pending_write.subresource.empty()) {
    request.set_sub_resource(pending_write.subresource);
    request.set_request_sub_resource(pending_write.subresource);
  }
  if (!metadata.name().empty()) request.set_name(metadata.name());
  // For a Namespace object, the namespace is the object itself.
  const bool is_namespace = pending_write.kind->group.empty() && pending_write.kind->plural == "namespaces";
  const std::string& ns = is_namespace ? metadata.name() : metadata.namespace_();
  if (!ns.empty()) request.set_namespace_(ns);
  request.set_operation(pending_write.operation == PendingWrite::Operation::Create ? "CREATE" : "UPDATE");
  request.mutable_user_info()->set_username(std::string(user));
  request.mutable_user_info()->add_groups("system:authenticated");
  request.mutable_object()->set_raw(object_to_json(*pending_write.kind, *pending_write.object));
  if (pending_write.before)
    request.mutable_old_object()->set_raw(object_to_json(*pending_write.kind, *pending_write.before->object()));
  request.set_dry_run(pending_write.context.dry_run);
  request.mutable_options()->set_raw(options_json(pending_write));
  const std::string body = kube::to_json(review, {.with_type_meta = false});
  return fmt::format("{{\"kind\":\"AdmissionReview\",\"apiVersion\":\"{}\",{}", group_version(version),
                     std::string_view(body).substr(1));
}

Result<Verdict> read_review(const Webhook& webhook,
                            std::string_view version,
                            std::string_view uid,
                            std::string_view body) {
  json::error_code error;
  json::value document = json::parse(json::string_view(body.data(), body.size()), error);
  if (error || !document.is_object()) return fail(Errc::Invalid, "the answer is not a JSON object");
  const bool v1 = version == "v1";
  const std::string api_version = text_of(document.get_object(), "apiVersion");
  const std::string kind = text_of(document.get_object(), "kind");
  if (v1 && (api_version != group_version(version) || kind != "AdmissionReview")) {
    return fail(Errc::Invalid, "expected webhook response of {}, Kind=AdmissionReview, got {}, Kind={}",
                group_version(version), api_version, kind);
  }
  document.get_object().erase("apiVersion");
  document.get_object().erase("kind");
  api::AdmissionReview review;
  auto read = kube::from_json_value(document, review);
  if (!read) return fail(std::move(read.error()));
  if (!review.has_response()) return fail(Errc::Invalid, "webhook response was absent");
  const api::AdmissionResponse& response = review.response();
  if (v1 && response.uid() != uid) {
    return fail(Errc::Invalid, "expected response.uid=\"{}\", got \"{}\"", uid, response.uid());
  }
  auto checked = check_patch(webhook, response, v1);
  if (!checked) return fail(std::move(checked.error()));
  Verdict verdict;
  verdict.allowed = response.allowed();
  if (!verdict.allowed) verdict.refusal = denied(webhook, response.status());
  if (webhook.mutating) verdict.patch = response.patch();
  return verdict;
}

ApiResult<bool> apply_patch(const Webhook&, std::string_view patch, PendingWrite& pending_write) {
  if (patch.empty()) return false;
  json::error_code error;
  const json::value operations = json::parse(json::string_view(patch.data(), patch.size()), error);
  if (error) return refuse(internal_error(fmt::format("the patch is not JSON: {}", error.message())));
  json::value document = json::parse(object_to_json(*pending_write.kind, *pending_write.object), error);
  if (error) return refuse(internal_error("the object to be patched cannot be read back"));
  auto patched = json_patched(std::move(document), operations);
  if (!patched) return refuse(internal_error(patched.error().message));
  auto object = object_from_json(*pending_write.kind, json::serialize(*patched), false);
  if (!object) return refuse(std::move(object.error()));
  if (pending_write.kind->rules.defaults) pending_write.kind->rules.defaults(**object);
  const bool changed = kube::encode_bare(**object) != kube::encode_bare(*pending_write.object);
  pending_write.object = std::move(*object);
  return changed;
}

}  // namespace rescheduler::sim
