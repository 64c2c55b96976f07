#include "kube/client/client.h"

#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {

ApiCall Client::object_call(Verb verb, const ResourceType& resource, std::string ns, std::string name) {
  ApiCall call;
  call.verb = verb;
  call.resource = &resource;
  call.ns = std::move(ns);
  call.name = std::move(name);
  return call;
}

void Client::apply(const WriteOptions& options, ApiCall& call) {
  call.dry_run = options.dry_run;
  call.field_manager = options.field_manager;
  call.repeat = options.repeat;
}

net::Task<Result<void>> Client::removed(Api& api, ApiCall call, DeleteSettings settings) {
  api::DeleteOptions options;
  if (!settings.uid.empty()) options.mutable_preconditions()->set_uid(settings.uid);
  if (!settings.resource_version.empty()) {
    options.mutable_preconditions()->set_resource_version(settings.resource_version);
  }
  if (settings.grace_period_seconds) options.set_grace_period_seconds(*settings.grace_period_seconds);
  if (!settings.propagation.empty()) options.set_propagation_policy(settings.propagation);
  if (settings.dry_run) options.add_dry_run("All");  // if there is a body, the server ignores the query parameter
  call.body = &options;
  auto done = co_await api.call(std::move(call), nullptr);
  co_return done;
}

net::Task<Result<void>> Client::list_all(Api& api,
                                         ApiCall call,
                                         ListSettings settings,
                                         std::vector<ObjectPtr>& objects) {
  call.label_selector = std::move(settings.label_selector);
  call.field_selector = std::move(settings.field_selector);
  call.limit = settings.page;
  bool started_over = false;
  for (;;) {
    ItemSink sink = [&objects](ObjectPtr object) { objects.push_back(std::move(object)); };
    auto page = co_await api.list(call, std::move(sink));
    if (page && page->continue_token.empty()) co_return Result<void>{};
    if (page) {
      call.continue_token = std::move(page->continue_token);
      continue;
    }
    const bool expired_midway = page.error().code == Errc::Expired && !call.continue_token.empty();
    if (!expired_midway || started_over) co_return fail(std::move(page.error()));
    // The continue token expired before the last page: list again without paging.
    started_over = true;
    objects.clear();
    call.continue_token.clear();
    call.limit = 0;
  }
}

net::Task<Result<std::vector<ObjectPtr>>> Client::listed_any(Api& api, ApiCall call, ListSettings settings) {
  std::vector<ObjectPtr> objects;
  auto done = co_await list_all(api, std::move(call), std::move(settings), objects);
  if (!done) co_return fail(std::move(done.error()));
  co_return objects;
}

}  // namespace rescheduler::kube
