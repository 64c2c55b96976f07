// Patches, and the field ownership after them.
#include <utility>

#include <boost/json.hpp>
#include <google/protobuf/message.h>

#include "base/check.h"
#include "kube/value/time.h"
#include "sim/patch/patches.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

boost::json::value document_of(const Kind& kind, const Message& object) {
  boost::system::error_code problem;
  boost::json::value document = boost::json::parse(object_to_json(kind, object), problem);
  RESCHEDULER_CHECK(!problem, "what we print is JSON");
  return document;
}

const google::protobuf::Descriptor* schema_of(const Kind& kind) {
  return kind.type == nullptr ? nullptr : kind.type->message;
}

ApplyOptions options_of(const Kind& kind, std::string_view subresource, const WriteContext& context, WallTime now) {
  ApplyOptions options;
  options.manager = context.manager;
  options.force = context.force;
  options.api_version = kind.api_version();
  options.kind = kind.kind;
  options.subresource = subresource;
  options.time = kube::format_time(now);
  options.has_status = kind.has_status;
  return options;
}

}  // namespace

ApiResult<PendingWrite> Server::prepare_patch(const Kind& kind,
                                              std::string_view ns,
                                              std::string_view name,
                                              std::string_view subresource,
                                              const Patch& patch,
                                              WriteContext context) const {
  const bool apply = patch.kind == kube::PatchKind::Apply;
  const VersionPtr current = store_.find(kind, ns, name);
  if (!current && (!apply || !subresource.empty())) return refuse(not_found(kind, name));

  PatchRequest request;
  request.kind = patch.kind;
  request.text = patch.text;
  request.schema = schema_of(kind);
  request.custom = kind.custom;
  request.options = options_of(kind, subresource, context, agenda_.wall_now());
  boost::json::value live;
  if (current) {
    live = document_of(kind, *current->object());
    request.managed_fields = current->managed_fields();
  }
  auto patched = patch_document(current ? &live : nullptr, request);
  if (!patched) {
    StatusError refusal = std::move(patched.error());
    if (refusal.kind.empty() && refusal.code == 409) {
      refusal.group = kind.group;
      refusal.kind = kind.plural;
      refusal.name = name;
    }
    return refuse(std::move(refusal));
  }
  auto object = object_from_json(kind, boost::json::serialize(patched->object), context.strict);
  if (!object) return refuse(std::move(object.error()));

  auto pending_write = current ? prepare_update(kind, ns, name, subresource, std::move(*object), std::move(context))
                               : prepare_create(kind, ns, std::move(*object), std::move(context));
  if (pending_write && apply) pending_write->managed_fields = std::move(patched->managed_fields);
  if (pending_write) pending_write->applied = apply;
  return pending_write;
}

ApiResult<VersionPtr> Server::patch(const Kind& kind,
                                    std::string_view ns,
                                    std::string_view name,
                                    std::string_view subresource,
                                    const Patch& patch,
                                    WriteContext context) {
  auto pending_write = prepare_patch(kind, ns, name, subresource, patch, std::move(context));
  if (!pending_write) return refuse(std::move(pending_write.error()));
  return commit(std::move(*pending_write));
}

void Server::note_managers(PendingWrite& pending_write, const Version& before) const {
  if (pending_write.applied) return;  // apply has updated it
  pending_write.managed_fields = before.managed_fields();
  if (pending_write.managed_fields.empty()) return;  // fields are tracked only after the first apply
  const Kind& kind = *pending_write.kind;
  const boost::json::value was = document_of(kind, *before.object());
  pending_write.managed_fields = note_update(
      &was, document_of(kind, *pending_write.object), before.managed_fields(),
      options_of(kind, pending_write.subresource, pending_write.context, agenda_.wall_now()), schema_of(kind));
}

}  // namespace rescheduler::sim
