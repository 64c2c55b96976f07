#include "cli/connection.h"

#include "kube/client/https_api.h"
#include "kube/config/in_cluster.h"

namespace rescheduler::cli {

Connection::Connection()
    : rng_(static_cast<std::uint64_t>(clock_.wall_now().time_since_epoch().count())),
      services_{loop_.executor(), &timers_, &clock_, &rng_, &metrics_} {}

// On the loop, because the connections belong to its thread.
Connection::~Connection() { (void)loop_.await_result(close()); }

net::Task<Result<void>> Connection::close() {
  apis_.clear();
  co_return Result<void>{};
}

Result<kube::Api*> Connection::open(const kube::ClientConfig& config) {
  auto made = kube::make_https_api(config, {}, services_);
  if (!made) return fail(std::move(made.error()));
  apis_.push_back(std::move(*made));
  return apis_.back().get();
}

Result<kube::Api*> Connection::open(const std::string& kubeconfig, const std::string& context) {
  const auto config = cluster_named(kubeconfig, context);
  if (!config) return fail(config.error());
  return open(*config);
}

Result<kube::ClientConfig> cluster_named(const std::string& kubeconfig, const std::string& context) {
  return kube::default_config({kubeconfig, context, kube::process_environment()});
}

}  // namespace rescheduler::cli
