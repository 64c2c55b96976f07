// Creates and updates objects: prepare, then commit.
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "base/check.h"
#include "kube/codec/metadata.h"
#include "kube/codec/protobuf.h"
#include "kube/proto/meta.pb.h"
#include "sim/server/metadata_rules.h"
#include "sim/server/removal.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

constexpr int kNameTries = 8;  // to find an unused generated name

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

// An update of these kinds without a resourceVersion is rejected.
bool needs_version(const Kind& kind) {
  return kind.custom || kind.group == "coordination.k8s.io" || kind.group == "policy"
         || kind.group == "apiextensions.k8s.io";
}

ApiResult<void> namespace_fits(const Kind& kind, std::string_view ns, api::ObjectMeta& metadata) {
  if (!kind.namespaced) return {};
  if (metadata.namespace_().empty()) metadata.set_namespace_(std::string(ns));
  if (metadata.namespace_() == ns) return {};
  return refuse(bad_request(
      fmt::format("the namespace of the provided object does not match the namespace sent on the request (\"{}\" != "
                  "\"{}\")",
                  metadata.namespace_(), ns)));
}

StatusError being_terminated(const Kind& kind, std::string_view name, std::string_view ns) {
  StatusError refusal = forbidden(
      kind, name, fmt::format("unable to create new content in namespace {} because it is being terminated", ns));
  refusal.causes.push_back(
      {"NamespaceTerminating", fmt::format("namespace {} is being terminated", ns), "metadata.namespace"});
  return refusal;
}

MessagePtr copy_of(const Message& object) {
  MessagePtr copy(object.New());
  copy->CopyFrom(object);
  return copy;
}

VersionPtr unsaved(const Kind& kind, MessagePtr object, std::string managed_fields, std::uint64_t number) {
  const ObjectPtr shared = std::move(object);
  return std::make_shared<const Version>(kind, number, shared, std::move(managed_fields));
}

}  // namespace

ApiResult<void> Server::namespace_takes(const Kind& kind, std::string_view ns, std::string_view name) const {
  if (!kind.namespaced) return {};
  const Kind& namespaces = *kinds_.find("", "v1", "namespaces");
  const VersionPtr found = store_.find(namespaces, "", ns);
  if (!found) return refuse(not_found(namespaces, ns));
  if (kube::metadata_of(*found->object()).has_deletion_timestamp()) return refuse(being_terminated(kind, name, ns));
  return {};
}

ApiResult<PendingWrite> Server::prepare_create(const Kind& kind,
                                               std::string_view ns,
                                               MessagePtr object,
                                               WriteContext context) const {
  auto& metadata = kube::mutable_metadata_of(*object);
  if (auto fits = namespace_fits(kind, ns, metadata); !fits) return refuse(std::move(fits.error()));
  if (!metadata.resource_version().empty()) {
    return refuse(StatusError{500, "", "resourceVersion should not be set on objects to be created"});
  }
  if (auto takes = namespace_takes(kind, metadata.namespace_(), metadata.name()); !takes) {
    return refuse(std::move(takes.error()));
  }
  if (kind.rules.defaults) kind.rules.defaults(*object);
  if (kind.rules.admit) {
    Faults faults;
    kind.rules.admit(*object, rule_context(), faults);
    if (!faults.empty()) return refuse(refusal_of(kind, metadata.name(), std::move(faults)));
  }
  PendingWrite pending_write;
  pending_write.operation = PendingWrite::Operation::Create;
  pending_write.kind = &kind;
  pending_write.object = std::move(object);
  pending_write.context = std::move(context);
  return pending_write;
}

ApiResult<PendingWrite> Server::prepare_update(const Kind& kind,
                                               std::string_view ns,
                                               std::string_view name,
                                               std::string_view subresource,
                                               MessagePtr object,
                                               WriteContext context) const {
  auto& metadata = kube::mutable_metadata_of(*object);
  if (auto fits = namespace_fits(kind, ns, metadata); !fits) return refuse(std::move(fits.error()));
  if (!metadata.name().empty() && metadata.name() != name) {
    return refuse(bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", metadata.name(), name)));
  }
  PendingWrite pending_write;
  pending_write.operation = PendingWrite::Operation::Update;
  pending_write.kind = &kind;
  pending_write.subresource = subresource;
  pending_write.before = store_.find(kind, ns, name);
  if (!pending_write.before) return refuse(not_found(kind, name));
  const ObjectPtr before = pending_write.before->object();
  const auto& stored = kube::metadata_of(*before);
  if (!metadata.uid().empty() && metadata.uid() != stored.uid()) {
    return refuse(conflict(kind, name,
                           fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                                       metadata.uid(), stored.uid())));
  }
  if (metadata.resource_version().empty()) {
    if (needs_version(kind)) {
      return refuse(invalid(
          kind, name,
          {{"FieldValueInvalid", "Invalid value: 0: must be specified for an update", "metadata.resourceVersion"}}));
    }
    metadata.set_resource_version(stored.resource_version());
  }
  if (metadata.resource_version() != stored.resource_version()) return refuse(conflict(kind, name, kModified));
  if (kind.rules.defaults) kind.rules.defaults(*object);
  keep_system_fields(stored, metadata);
  const auto& restore = subresource == "status" ? kind.rules.on_status_update : kind.rules.on_update;
  if (restore) restore(*before, *object);
  pending_write.object = std::move(object);
  pending_write.context = std::move(context);
  return pending_write;
}

ApiResult<VersionPtr> Server::commit(PendingWrite pending_write) {
  return pending_write.operation == PendingWrite::Operation::Create ? commit_create(std::move(pending_write))
                                                                    : commit_update(std::move(pending_write));
}

ApiResult<VersionPtr> Server::commit_create(PendingWrite pending_write) {
  const Kind& kind = *pending_write.kind;
  auto& metadata = kube::mutable_metadata_of(*pending_write.object);
  if (auto named = name_it(kind, metadata); !named) return refuse(std::move(named.error()));
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(agenda_.wall_now().time_since_epoch());
  metadata.set_uid(new_uid());
  metadata.mutable_creation_timestamp()->set_seconds(now.count());
  metadata.clear_deletion_timestamp();
  metadata.clear_deletion_grace_period_seconds();
  metadata.clear_generation();
  if (kind.rules.spec_differs) metadata.set_generation(1);

  Faults faults;
  if (kind.rules.on_create) kind.rules.on_create(*pending_write.object, rule_context(), faults);
  check_metadata(kind, metadata, faults);
  if (kind.rules.validate) kind.rules.validate(*pending_write.object, faults);
  if (!faults.empty()) return refuse(refusal_of(kind, metadata.name(), std::move(faults)));
  if (store_.find(kind, metadata.namespace_(), metadata.name())) return refuse(already_exists(kind, metadata.name()));
  // The namespace can be deleted while a webhook runs.
  if (auto takes = namespace_takes(kind, metadata.namespace_(), metadata.name()); !takes) {
    return refuse(std::move(takes.error()));
  }
  if (pending_write.context.dry_run)
    return unsaved(kind, std::move(pending_write.object), std::move(pending_write.managed_fields), 0);
  return store_.put(kind, std::move(pending_write.object), std::move(pending_write.managed_fields));
}

ApiResult<void> Server::name_it(const Kind& kind, api::ObjectMeta& metadata) const {
  if (!metadata.name().empty() || metadata.generate_name().empty()) return {};
  for (int attempt = 0; attempt < kNameTries; ++attempt) {
    // At most 63 characters; the suffix has five.
    std::string name = metadata.generate_name().substr(0, 58) + new_suffix();
    if (store_.find(kind, metadata.namespace_(), name)) continue;
    metadata.set_name(std::move(name));
    return {};
  }
  return refuse(already_exists(kind, metadata.generate_name()));
}

ApiResult<VersionPtr> Server::commit_update(PendingWrite pending_write) {
  const Kind& kind = *pending_write.kind;
  auto& metadata = kube::mutable_metadata_of(*pending_write.object);
  VersionPtr current = store_.find(kind, metadata.namespace_(), metadata.name());
  if (!current) return refuse(not_found(kind, metadata.name()));
  if (current != pending_write.before) return refuse(conflict(kind, metadata.name(), kModified));
  const ObjectPtr before = current->object();

  const bool status = pending_write.subresource == "status";
  Faults faults;
  check_metadata(kind, metadata, faults);
  check_metadata_update(kube::metadata_of(*before), metadata, faults);
  if (kind.rules.validate && !status) kind.rules.validate(*pending_write.object, faults);
  const auto& compare = status ? kind.rules.validate_status_update : kind.rules.validate_update;
  if (compare) compare(*before, *pending_write.object, faults);
  if (!faults.empty()) return refuse(refusal_of(kind, metadata.name(), std::move(faults)));

  if (!status && kind.rules.spec_differs && kind.rules.spec_differs(*before, *pending_write.object)) {
    metadata.set_generation(metadata.generation() + 1);
  }
  note_managers(pending_write, *current);
  if (pending_write.managed_fields == current->managed_fields()
      && kube::encode_bare(*pending_write.object) == current->bytes()) {
    return current;  // nothing changed: no write, no notification
  }
  if (pending_write.context.dry_run) {
    return unsaved(kind, std::move(pending_write.object), std::move(pending_write.managed_fields), current->number());
  }
  const bool completes_deletion = metadata.has_deletion_timestamp() && !has_finalizers(kind, *pending_write.object)
                                  && metadata.deletion_grace_period_seconds() == 0;
  const std::string ns = metadata.namespace_();
  const std::string name = metadata.name();
  VersionPtr stored = store_.put(kind, std::move(pending_write.object), std::move(pending_write.managed_fields));
  if (completes_deletion) store_.erase(kind, ns, name);
  return stored;
}

ApiResult<VersionPtr> Server::create(const Kind& kind, std::string_view ns, MessagePtr object, WriteContext context) {
  auto pending_write = prepare_create(kind, ns, std::move(object), std::move(context));
  if (!pending_write) return refuse(std::move(pending_write.error()));
  return commit(std::move(*pending_write));
}

ApiResult<VersionPtr> Server::update(const Kind& kind,
                                     std::string_view ns,
                                     std::string_view name,
                                     std::string_view subresource,
                                     MessagePtr object,
                                     WriteContext context) {
  auto pending_write = prepare_update(kind, ns, name, subresource, std::move(object), std::move(context));
  if (!pending_write) return refuse(std::move(pending_write.error()));
  return commit(std::move(*pending_write));
}

ApiResult<VersionPtr> Server::modify_message(const Kind& kind,
                                             std::string_view ns,
                                             std::string_view name,
                                             std::string_view subresource,
                                             const std::function<void(Message&)>& change,
                                             WriteContext context) {
  const VersionPtr current = store_.find(kind, ns, name);
  if (!current) return refuse(not_found(kind, name));
  const ObjectPtr before = current->object();  // held, so that it is decoded only once
  MessagePtr object = copy_of(*before);
  change(*object);
  return update(kind, ns, name, subresource, std::move(object), std::move(context));
}

void Server::submit_create(const Kind& kind,
                           std::string_view ns,
                           MessagePtr object,
                           WriteContext context,
                           std::function<void(ApiResult<VersionPtr>)> done) {
  auto pending_write = prepare_create(kind, ns, std::move(object), std::move(context));
  if (!pending_write) return done(refuse(std::move(pending_write.error())));
  submit(std::move(*pending_write), std::move(done));
}

void Server::submit(PendingWrite pending_write, std::function<void(ApiResult<VersionPtr>)> done) {
  if (admission_ == nullptr || !admission_->concerns(pending_write)) return done(commit(std::move(pending_write)));
  admission_->review(std::move(pending_write), [this, done = std::move(done)](ApiResult<PendingWrite> reviewed) {
    if (!reviewed) return done(refuse(std::move(reviewed.error())));
    done(commit(std::move(*reviewed)));
  });
}

}  // namespace rescheduler::sim
