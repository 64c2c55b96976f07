#include "cli/explain/cluster_reader.h"

#include "cluster/feed.h"
#include "kube/client/client.h"

namespace rescheduler::cli {

net::Task<Result<void>> read_cluster(kube::Api& api, cluster::Cluster& into, cluster::Dump& dump) {
  kube::Client client(api);
  for (const kube::ResourceType* kind : cluster::model_kinds()) {
    const std::string everywhere;
    auto objects = co_await client.list_any(*kind, everywhere);
    if (!objects) co_return fail(std::move(objects.error()));
    for (const kube::ObjectPtr& object : *objects) cluster::take_object(*object, into, dump);
  }
  co_return Result<void>{};
}

}  // namespace rescheduler::cli
