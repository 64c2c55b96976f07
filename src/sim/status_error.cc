#include "sim/status_error.h"

#include <fmt/format.h>

#include "kube/client/response.h"
#include "kube/proto/meta.pb.h"
#include "sim/kinds/kind.h"

namespace rescheduler::sim {
namespace {

StatusError about(const Kind& kind, std::string_view name, int code, std::string_view reason, std::string message) {
  StatusError refusal{code, std::string(reason), std::move(message)};
  refusal.group = kind.group;
  refusal.kind = kind.plural;
  refusal.name = name;
  return refusal;
}

std::string listed(const std::vector<Cause>& causes) {
  std::vector<std::string> texts;
  for (const Cause& cause : causes) texts.push_back(fmt::format("{}: {}", cause.field, cause.message));
  if (texts.size() == 1) return texts.front();
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

StatusError not_found(const Kind& kind, std::string_view name) {
  return about(kind, name, 404, "NotFound", fmt::format("{} \"{}\" not found", kind.qualified(), name));
}

StatusError already_exists(const Kind& kind, std::string_view name) {
  return about(kind, name, 409, "AlreadyExists", fmt::format("{} \"{}\" already exists", kind.qualified(), name));
}

StatusError conflict(const Kind& kind, std::string_view name, std::string_view why) {
  return about(kind, name, 409, "Conflict",
               fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", kind.qualified(), name, why));
}

StatusError invalid(const Kind& kind, std::string_view name, std::vector<Cause> causes) {
  const std::string subject = kind.group.empty() ? kind.kind : kind.kind + "." + kind.group;
  StatusError refusal =
      about(kind, name, 422, "Invalid", fmt::format("{} \"{}\" is invalid: {}", subject, name, listed(causes)));
  refusal.kind = kind.kind;
  refusal.causes = std::move(causes);
  return refusal;
}

StatusError forbidden(const Kind& kind, std::string_view name, std::string_view why) {
  return about(kind, name, 403, "Forbidden",
               name.empty() ? fmt::format("{} is forbidden: {}", kind.qualified(), why)
                            : fmt::format("{} \"{}\" is forbidden: {}", kind.qualified(), name, why));
}

StatusError bad_request(std::string_view why) { return {400, "BadRequest", std::string(why)}; }

StatusError expired(std::string_view why) { return {410, "Expired", std::string(why)}; }

StatusError too_many_requests(std::string_view why, int retry_after_seconds) {
  StatusError refusal{429, "TooManyRequests", std::string(why)};
  refusal.retry_after_seconds = retry_after_seconds;
  return refusal;
}

StatusError internal_error(std::string_view why) {
  return {500, "InternalError", fmt::format("Internal error occurred: {}", why)};
}

StatusError method_not_supported(const Kind& kind, std::string_view verb) {
  return about(kind, {}, 405, "MethodNotAllowed",
               fmt::format("{} is not supported on resources of kind \"{}\"", verb, kind.qualified()));
}

StatusError unsupported_media_type(std::string_view why) { return {415, "UnsupportedMediaType", std::string(why)}; }

api::Status to_status(const StatusError& refusal) {
  api::Status status;
  status.set_status("Failure");
  status.set_message(refusal.message);
  status.set_reason(refusal.reason);
  status.set_code(refusal.code);
  const bool detailed = !refusal.kind.empty() || !refusal.name.empty() || !refusal.causes.empty()
                        || refusal.retry_after_seconds.has_value();
  if (!detailed) return status;
  auto& details = *status.mutable_details();
  if (!refusal.name.empty()) details.set_name(refusal.name);
  if (!refusal.group.empty()) details.set_group(refusal.group);
  if (!refusal.kind.empty()) details.set_kind(refusal.kind);
  if (!refusal.uid.empty()) details.set_uid(refusal.uid);
  for (const Cause& cause : refusal.causes) {
    auto& added = *details.add_causes();
    added.set_reason(cause.reason);
    added.set_message(cause.message);
    if (!cause.field.empty()) added.set_field(cause.field);
  }
  if (refusal.retry_after_seconds) details.set_retry_after_seconds(*refusal.retry_after_seconds);
  return status;
}

Error to_error(const StatusError& refusal, std::string_view where) {
  return kube::error_from_status(to_status(refusal), where);
}

}  // namespace rescheduler::sim
