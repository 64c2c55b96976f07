#include "sim/frontend/operation.h"

#include <algorithm>
#include <array>

#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>
#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/metadata.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/proto/policy.pb.h"
#include "net/waiter.h"
#include "sim/frontend/reviews.h"
#include "sim/patch/json_patch.h"
#include "sim/patch/merge_patch.h"

namespace rescheduler::sim {
namespace {

using kube::Verb;

// Number of attempts of a patch or an unconditional update after conflicts, as in the real server.
constexpr int kTries = 5;

bool is_pods(const Kind& kind) { return kind.group.empty() && kind.plural == "pods"; }

StatusError no_such_path() { return {404, "NotFound", "the server could not find the requested resource"}; }

// Kinds whose deletion returns the object even if it is removed at once; the others return a Status.
bool returns_deleted(const Kind& kind) {
  static constexpr std::array<std::string_view, 8> kCore = {
      "pods",       "services",     "serviceaccounts", "persistentvolumeclaims", "persistentvolumes",
      "namespaces", "podtemplates", "resourcequotas"};
  if (kind.group.empty()) return std::ranges::find(kCore, kind.plural) != kCore.end();
  return kind.group == "storage.k8s.io" && kind.plural != "csistoragecapacities";
}

ObjectPtr success(const Kind& kind, std::string_view name, std::string_view uid) {
  auto status = std::make_shared<api::Status>();
  status->set_status("Success");
  if (name.empty()) return status;
  status->mutable_details()->set_name(std::string(name));
  if (!kind.group.empty()) status->mutable_details()->set_group(kind.group);
  status->mutable_details()->set_kind(kind.plural);
  if (!uid.empty()) status->mutable_details()->set_uid(std::string(uid));
  return status;
}

ObjectPtr plain_success(int code) {
  auto status = std::make_shared<api::Status>();
  status->set_status("Success");
  status->set_code(code);
  return status;
}

struct PendingReview {
  explicit PendingReview(const net::Executor& executor) : waiter(executor) {}
  net::Waiter waiter;
  std::optional<ApiResult<PendingWrite>> answer;
};

// Calls the admission if it concerns the write, then commits. `asked`: the admission was called, so other writes can
// have been committed in the meantime.
net::Task<Result<ApiResult<VersionPtr>>> admit_and_commit(Server& server, PendingWrite pending_write, bool& asked) {
  Admission* admission = server.admission();
  asked = admission != nullptr && admission->concerns(pending_write);
  if (!asked) co_return server.commit(std::move(pending_write));
  auto executor = co_await boost::asio::this_coro::executor;
  auto pending = std::make_shared<PendingReview>(executor);
  admission->review(std::move(pending_write), [pending](ApiResult<PendingWrite> answer) {
    pending->answer.emplace(std::move(answer));
    pending->waiter.wake();
  });
  auto woken = co_await pending->waiter.wait(net::kNoDeadline);
  if (!woken) co_return fail(std::move(woken.error()));
  if (!*pending->answer) co_return ApiResult<VersionPtr>(refuse(std::move(pending->answer->error())));
  co_return server.commit(std::move(**pending->answer));
}

ApiResult<PendingWrite> prepare(Server& server, Operation& operation, bool last_try) {
  if (operation.verb == Verb::Create) {
    return server.prepare_create(*operation.kind, operation.ns, std::move(operation.body), operation.context);
  }
  if (operation.verb == Verb::Patch) {
    return server.prepare_patch(*operation.kind, operation.ns, operation.name, operation.subresource,
                                {operation.patch_kind, operation.patch}, operation.context);
  }
  MessagePtr body = std::move(operation.body);
  if (!last_try) {
    operation.body.reset(body->New());
    operation.body->CopyFrom(*body);
  }
  return server.prepare_update(*operation.kind, operation.ns, operation.name, operation.subresource, std::move(body),
                               operation.context);
}

net::Task<Result<ApiResult<Outcome>>> write(Server& server, Operation operation) {
  for (int left = kTries;; --left) {
    auto pending_write = prepare(server, operation, left == 1);
    if (!pending_write) co_return ApiResult<Outcome>(refuse(std::move(pending_write.error())));
    const bool creates = pending_write->operation == PendingWrite::Operation::Create;
    bool asked = false;
    auto stored = co_await admit_and_commit(server, std::move(*pending_write), asked);
    if (!stored) co_return fail(std::move(stored.error()));
    if (*stored) {
      Outcome outcome;
      outcome.version = std::move(**stored);
      outcome.code = creates ? 201 : 200;
      co_return outcome;
    }
    // If another write was committed during admission, the loop prepares the write again for the current object.
    const bool again = asked && stored->error().reason == "Conflict" && left > 1 && operation.verb != Verb::Create;
    if (!again) co_return ApiResult<Outcome>(refuse(std::move(stored->error())));
  }
}

ApiResult<Outcome> read(Server& server, const Operation& operation) {
  Outcome outcome;
  VersionPtr old;
  if (operation.as_of
      && server.store().find_as_of(*operation.as_of, *operation.kind, operation.ns, operation.name, &old)) {
    if (!old) return refuse(not_found(*operation.kind, operation.name));
    outcome.version = std::move(old);
    return outcome;
  }
  auto version = server.get(*operation.kind, operation.ns, operation.name);
  if (!version) return refuse(std::move(version.error()));
  outcome.version = std::move(*version);
  return outcome;
}

ApiResult<Outcome> list(Server& server, const Operation& operation) {
  Outcome outcome;
  if (operation.as_of && operation.query.continue_token.empty()) {
    ListQuery stale = operation.query;
    stale.resource_version = std::to_string(*operation.as_of);
    stale.resource_version_match = "Exact";
    auto listing = server.list(*operation.kind, stale);
    if (listing) {
      outcome.listing = std::move(*listing);
      return outcome;
    }  // the history does not reach back that far: return the current state
  }
  auto listing = server.list(*operation.kind, operation.query);
  if (!listing) return refuse(std::move(listing.error()));
  outcome.listing = std::move(*listing);
  return outcome;
}

const api::DeleteOptions& options_of(const Operation& operation) {
  return operation.delete_options ? *operation.delete_options : api::DeleteOptions::default_instance();
}

ApiResult<Outcome> remove(Server& server, const Operation& operation) {
  auto removed =
      server.remove(*operation.kind, operation.ns, operation.name, options_of(operation), operation.context.dry_run);
  if (!removed) return refuse(std::move(removed.error()));
  Outcome outcome;
  if (removed->gone && !returns_deleted(*operation.kind)) {
    outcome.other = success(*operation.kind, operation.name, kube::metadata_of(*removed->object).uid());
  } else {
    outcome.other = std::move(removed->object);
  }
  return outcome;
}

ApiResult<Outcome> remove_collection(Server& server, const Operation& operation) {
  auto removed =
      server.remove_collection(*operation.kind, operation.query, options_of(operation), operation.context.dry_run);
  if (!removed) return refuse(std::move(removed.error()));
  Outcome outcome;
  outcome.other = success(*operation.kind, {}, {});
  return outcome;
}

ApiResult<Outcome> post_to_pod(Server& server, const Operation& operation) {
  auto done = operation.subresource == "eviction"
                  ? server.evict(operation.ns, operation.name, static_cast<const api::Eviction&>(*operation.body),
                                 operation.context.dry_run)
                  : server.bind(operation.ns, operation.name, static_cast<const api::Binding&>(*operation.body),
                                operation.context.dry_run);
  if (!done) return refuse(std::move(done.error()));
  Outcome outcome;
  outcome.code = 201;
  outcome.other = plain_success(201);
  return outcome;
}

ApiResult<boost::json::value> patched(boost::json::value document, const Operation& operation) {
  boost::json::error_code error;
  const boost::json::value patch = boost::json::parse(operation.patch, error);
  if (error) return refuse(bad_request(fmt::format("error decoding patch: {}", error.message())));
  switch (operation.patch_kind) {
    case kube::PatchKind::Merge:
    case kube::PatchKind::StrategicMerge: return merge_patched(std::move(document), patch);  // a Scale has no lists
    case kube::PatchKind::Json: {
      auto done = json_patched(std::move(document), patch);
      if (done) return std::move(*done);
      return refuse(StatusError{422, "Invalid", done.error().message});
    }
    case kube::PatchKind::Apply: break;
  }
  return refuse(unsupported_media_type("a scale cannot be applied here; merge, strategic merge and JSON patches can"));
}

ApiResult<api::Scale> patched_scale(const api::Scale& before, const Operation& operation) {
  boost::json::error_code error;
  auto document = patched(boost::json::parse(kube::to_json(before), error), operation);
  if (!document) return refuse(std::move(document.error()));
  api::Scale after;
  auto decoded = kube::from_json(boost::json::serialize(*document), after);
  if (!decoded) return refuse(bad_request(decoded.error().message));
  return after;
}

ApiResult<Outcome> scale(Server& server, const Operation& operation) {
  auto present = server.scale_of(*operation.kind, operation.ns, operation.name);
  if (!present) return refuse(std::move(present.error()));
  if (operation.verb != Verb::Get) {
    ApiResult<api::Scale> wanted = operation.verb == Verb::Patch
                                       ? patched_scale(*present, operation)
                                       : ApiResult<api::Scale>(static_cast<const api::Scale&>(*operation.body));
    if (!wanted) return refuse(std::move(wanted.error()));
    present = server.set_scale(*operation.kind, operation.ns, operation.name, *wanted, operation.context);
    if (!present) return refuse(std::move(present.error()));
  }
  Outcome outcome;
  outcome.other = std::make_shared<api::Scale>(std::move(*present));
  return outcome;
}

ApiResult<Outcome> review(const Server& server, const Operation& operation) {
  auto answer = answer_review(*operation.kind, *operation.body, operation.user, server.access());
  if (!answer) return refuse(std::move(answer.error()));
  Outcome outcome;
  outcome.other = std::move(*answer);
  outcome.code = 201;
  return outcome;
}

ApiResult<void> check_allowed(const Operation& operation) {
  const std::string_view verb = kube::to_string(operation.verb);
  if (operation.subresource.empty()) {
    if (!allows(*operation.kind, verb)) return refuse(method_not_supported(*operation.kind, verb));
    return {};
  }
  const auto all = subresources_of(*operation.kind);
  const Subresource* found = find_subresource(all, operation.subresource);
  if (found == nullptr) return refuse(no_such_path());
  if (std::ranges::find(found->verbs, verb) == found->verbs.end()) {
    return refuse(method_not_supported(*operation.kind, verb));
  }
  return {};
}

bool is_binding(const Kind& kind) { return kind.group.empty() && kind.plural == "bindings"; }

}  // namespace

net::Task<Result<ApiResult<Outcome>>> perform(Server& server, Operation operation) {
  auto allowed = check_allowed(operation);
  if (!allowed) co_return ApiResult<Outcome>(refuse(std::move(allowed.error())));
  if (operation.subresource == "scale") co_return scale(server, operation);
  if (operation.verb == Verb::Create && !operation.subresource.empty()) co_return post_to_pod(server, operation);
  switch (operation.verb) {
    case Verb::Get: co_return read(server, operation);
    case Verb::List:
    case Verb::Watch: co_return list(server, operation);
    case Verb::Delete: co_return remove(server, operation);
    case Verb::DeleteCollection: co_return remove_collection(server, operation);
    case Verb::Create:
    case Verb::Update:
    case Verb::Patch: break;
  }
  if (is_review(*operation.kind)) co_return review(server, operation);
  if (is_binding(*operation.kind)) {
    operation.name = kube::metadata_of(*operation.body).name();
    co_return post_to_pod(server, operation);
  }
  auto written = co_await write(server, std::move(operation));
  co_return written;
}

std::vector<Subresource> subresources_of(const Kind& kind) {
  const std::vector<std::string> whole{"get", "patch", "update"};
  std::vector<Subresource> all;
  if (is_pods(kind)) {
    all.push_back({"binding", "", "v1", "Binding", {"create"}});
    all.push_back({"eviction", "policy", "v1", "Eviction", {"create"}});
    all.push_back({"log", "", "v1", "Pod", {"get"}});
    all.push_back({"resize", "", "v1", "Pod", whole});
  }
  if (kind.has_scale) all.push_back({"scale", "autoscaling", "v1", "Scale", whole});
  if (kind.has_status) all.push_back({"status", kind.group, kind.version, kind.kind, whole});
  return all;
}

const Subresource* find_subresource(const std::vector<Subresource>& all, std::string_view name) {
  const auto found = std::ranges::find_if(all, [name](const Subresource& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

MessagePtr make_body(const Kind& kind, std::string_view subresource) {
  if (subresource == "scale") return std::make_unique<api::Scale>();
  if (subresource == "binding") return std::make_unique<api::Binding>();
  if (subresource == "eviction") return std::make_unique<api::Eviction>();
  return kind.make();
}

ApiResult<void> check_watch(const Kind& kind, bool send_initial_events, std::string_view resource_version_match) {
  if (!allows(kind, "watch")) return refuse(method_not_supported(kind, "watch"));
  if (!send_initial_events || resource_version_match == "NotOlderThan") return {};
  return refuse(
      StatusError{422, "Invalid",
                  "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents "
                  "requires setting resourceVersionMatch to NotOlderThan"});
}

bool allows(const Kind& kind, std::string_view verb) {
  return kind.verbs.empty() || std::ranges::find(kind.verbs, verb) != kind.verbs.end();
}

}  // namespace rescheduler::sim
