#include "support/live_api.h"

#include <thread>

#include "base/check.h"
#include "kube/config/kubeconfig.h"
#include "kube/proto/core.pb.h"

namespace rescheduler::test {
namespace {

net::Task<Result<void>> looked(std::function<void()> look) {
  look();
  co_return Result<void>{};
}

}  // namespace

kube::ClientConfig config_of(const std::string& kubeconfig) {
  kube::KubeconfigSource source;
  source.explicit_path = kubeconfig;
  auto config = kube::load_kubeconfig(source);
  RESCHEDULER_CHECK(config.has_value(), "{}", config.error().message);
  return std::move(*config);
}

kube::HttpsApiSettings LiveApi::unlimited() {
  kube::HttpsApiSettings settings;
  settings.requests_per_second = 0;
  return settings;
}

LiveApi::LiveApi(const std::string& kubeconfig, kube::HttpsApiSettings settings)
    : LiveApi(config_of(kubeconfig), std::move(settings)) {}

LiveApi::LiveApi(const kube::ClientConfig& config, kube::HttpsApiSettings settings)
    : own_loop_(std::make_unique<net::EventLoop>()), loop_(own_loop_.get()) {
  auto made = kube::make_https_api(config, std::move(settings), services());
  RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
  own_api_ = std::move(*made);
  api_ = own_api_.get();
}

LiveApi::LiveApi(net::EventLoop& loop, kube::Api& api) : loop_(&loop), api_(&api) {}

LiveApi::~LiveApi() {
  on_loop([this] { own_api_.reset(); });
}

kube::LoopServices LiveApi::services() { return {loop_->executor(), &timers_, &clock_, &rng_, &metrics_}; }

void LiveApi::on_loop(std::function<void()> look) { (void)loop_->await_result(looked(std::move(look))); }

TestNamespace::TestNamespace(LiveApi& live) : live_(live) {
  api::Namespace wanted;
  wanted.mutable_metadata()->set_generate_name("test-");
  auto made = live_.await(live_.client().create(wanted));
  RESCHEDULER_CHECK(made.has_value(), "no namespace for the test: {}", made.error().message);
  name_ = made->metadata().name();
}

TestNamespace::~TestNamespace() {
  // A namespace that is left behind does no harm: the rig is removed after the run.
  (void)live_.await(live_.client().remove<api::Namespace>("", name_));
}

bool eventually(const std::function<bool()>& condition, std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
    // The interval between two checks: a loop without a pause would use a whole core.
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return true;
}

}  // namespace rescheduler::test
