#include "kube/discovery/self_check.h"

#include <algorithm>

#include "kube/client/client.h"
#include "kube/proto/authorization.pb.h"

namespace rescheduler::kube {
namespace {

// Shared by the coroutines that send reviews, so that it exists until the last of them has ended.
struct Questionnaire {
  Questionnaire(Api& to, std::vector<Permission> all, net::Executor executor)
      : api(to), wanted(std::move(all)), is_missing(wanted.size(), false), answered(std::move(executor)) {}

  Api& api;
  std::vector<Permission> wanted;
  std::vector<bool> is_missing;
  std::size_t next = 0;
  std::size_t askers = 0;
  std::optional<Error> error;
  net::Gate answered;
};

api::SelfSubjectAccessReview review_of(const Permission& permission) {
  api::SelfSubjectAccessReview review;
  api::ResourceAttributes& what = *review.mutable_spec()->mutable_resource_attributes();
  what.set_verb(permission.verb);
  what.set_group(permission.group);
  what.set_resource(permission.resource);
  if (!permission.subresource.empty()) what.set_subresource(permission.subresource);
  if (!permission.ns.empty()) what.set_namespace_(permission.ns);
  if (!permission.name.empty()) what.set_name(permission.name);
  return review;
}

// Sends one review after the other; the last coroutine to finish opens the gate.
net::Task<void> ask_all(std::shared_ptr<Questionnaire> all) {
  Client client(all->api);
  while (all->next < all->wanted.size() && !all->error) {
    const std::size_t mine = all->next++;
    api::SelfSubjectAccessReview review = review_of(all->wanted[mine]);
    WriteOptions options;
    auto answer = co_await client.create(std::move(review), options);
    if (answer) {
      all->is_missing[mine] = !answer->status().allowed();
    } else if (!all->error) {
      all->error = std::move(answer.error()).within("checking permissions at the API server");
    }
  }
  if (--all->askers == 0) all->answered.open();
}

}  // namespace

net::Task<Result<std::vector<Permission>>> find_missing(Api& api,
                                                        std::vector<Permission> wanted,
                                                        LoopServices services,
                                                        std::size_t at_once) {
  if (wanted.empty()) co_return std::vector<Permission>{};
  auto all = std::make_shared<Questionnaire>(api, std::move(wanted), services.executor);
  const std::size_t askers = std::min(std::max<std::size_t>(1, at_once), all->wanted.size());
  all->askers = askers;
  std::vector<net::Job> jobs;
  for (std::size_t i = 0; i < askers; ++i) {
    jobs.push_back(net::spawn(services.executor, "permission check", ask_all(all)));
  }
  auto waited = co_await all->answered.wait();
  if (!waited) {
    for (net::Job& job : jobs) job.cancel();
    co_return fail(std::move(waited.error()));
  }
  if (all->error) co_return fail(std::move(*all->error));
  std::vector<Permission> missing;
  for (std::size_t i = 0; i < all->wanted.size(); ++i) {
    if (all->is_missing[i]) missing.push_back(std::move(all->wanted[i]));
  }
  co_return missing;
}

}  // namespace rescheduler::kube
