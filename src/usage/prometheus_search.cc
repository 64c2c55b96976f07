#include "usage/prometheus_search.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kube/client/client.h"
#include "kube/proto/core.pb.h"

namespace rescheduler::usage {
namespace {

// A Prometheus is installed rarely, and sources are read every few seconds.
constexpr std::chrono::nanoseconds kNextSearch = std::chrono::minutes{1};

// The position among the known names; nothing: the name is not known. The headless Service of the operator is the last
// one: it selects every Prometheus of the namespace.
std::optional<std::size_t> rank_of(std::string_view name) {
  // kube-prometheus-stack: RELEASE-kube-prometheus-stack, cut after 26 characters, and -prometheus.
  if (name.ends_with("-prometheus") && name.find("kube-prom") != std::string_view::npos) return 0;
  if (name == "prometheus-k8s") return 1;                                             // kube-prometheus
  if (name == "prometheus-server" || name.ends_with("-prometheus-server")) return 2;  // chart prometheus
  if (name == "prometheus") return 3;                                                 // node-monitor.yaml
  if (name == "prometheus-operated") return 4;                                        // operator
  return std::nullopt;
}

// These installations name the port of the web interface http-web, web or http. Other ports belong to sidecars.
std::optional<int> web_port(const api::ServiceSpec& spec) {
  for (const std::string_view name : {"http-web", "web", "http"}) {
    for (const api::ServicePort& port : spec.ports()) {
      if (port.name() == name && port.app_protocol() != "https") return port.port();
    }
  }
  const bool only_one = spec.ports_size() == 1 && spec.ports(0).name().empty();
  return only_one ? std::optional(spec.ports(0).port()) : std::nullopt;
}

std::optional<std::string> address_of(const api::Service& service) {
  const api::ServiceSpec& spec = service.spec();
  if (spec.type() == "ExternalName") return std::nullopt;  // it can point out of the cluster
  const auto port = web_port(spec);
  if (!port) return std::nullopt;
  std::string host = spec.cluster_ip();
  if (host.empty() || host == "None") {
    host = fmt::format("{}.{}.svc", service.metadata().name(), service.metadata().namespace_());
  } else if (host.find(':') != std::string::npos) {
    host = fmt::format("[{}]", host);
  }
  return fmt::format("http://{}:{}", host, *port);
}

class FoundPrometheusSource final : public Source {
 public:
  FoundPrometheusSource(kube::Api& api,
                        const kube::LoopServices& services,
                        PrometheusSettings settings,
                        std::vector<std::string> namespaces)
      : api_(api), services_(services), settings_(std::move(settings)), namespaces_(std::move(namespaces)) {}

  std::string_view name() const override { return settings_.name; }
  net::Task<Result<Reading>> read(NodeList nodes, WallTime now) override;
  net::Task<Result<std::vector<PodUse>>> read_pods() override;

 private:
  // Shared, because a second read can replace the source while the first one waits for an answer.
  using SourcePtr = std::shared_ptr<Source>;
  net::Task<Result<SourcePtr>> found();
  net::Task<Result<SourcePtr>> search();

  kube::Api& api_;
  kube::LoopServices services_;
  PrometheusSettings settings_;
  std::vector<std::string> namespaces_;
  SourcePtr source_;                        // null: search before the next read
  std::optional<SteadyTime> none_until_{};  // the last search found nothing; the next one is not earlier
};

net::Task<Result<Reading>> FoundPrometheusSource::read(NodeList nodes, WallTime now) {
  auto source = co_await found();
  if (!source) co_return fail(std::move(source.error()));
  auto reading = co_await (*source)->read(nodes, now);
  if (!reading && source_ == *source) source_.reset();  // its Service may have a new address
  co_return reading;
}

net::Task<Result<std::vector<PodUse>>> FoundPrometheusSource::read_pods() {
  auto source = co_await found();
  if (!source) co_return fail(std::move(source.error()));
  auto pods = co_await (*source)->read_pods();
  co_return pods;
}

net::Task<Result<FoundPrometheusSource::SourcePtr>> FoundPrometheusSource::found() {
  if (source_) co_return source_;
  const SteadyTime now = services_.clock->steady_now();
  if (!none_until_ || now >= *none_until_) {
    none_until_.reset();
    auto source = co_await search();
    if (!source) co_return fail(std::move(source.error()).within(settings_.name));
    source_ = std::move(*source);
    if (source_) co_return source_;
    none_until_ = now + kNextSearch;
  }
  co_return fail(Errc::NotFound, "{}: no known Service of Prometheus in namespace {}", settings_.name,
                 fmt::join(namespaces_, ", "));
}

// Null: there is no Service.
net::Task<Result<FoundPrometheusSource::SourcePtr>> FoundPrometheusSource::search() {
  for (const std::string& ns : namespaces_) {
    std::vector<ServicePtr> services;
    kube::ApiCall call;
    call.verb = kube::Verb::List;
    call.resource = &kube::resource_of<api::Service>();
    call.ns = ns;
    call.timeout = settings_.timeout;
    call.repeat = kube::Repeat::Never;  // the next read follows soon
    do {
      const kube::ItemSink sink = [&services](const kube::ObjectPtr& object) {
        services.push_back(std::static_pointer_cast<const api::Service>(object));
      };
      auto page = co_await api_.list(call, sink);
      if (!page) co_return fail(std::move(page.error()));
      call.continue_token = page->continue_token;
    } while (!call.continue_token.empty());
    auto address = prometheus_address(services);
    if (!address) continue;
    PrometheusSettings settings = settings_;
    settings.url = std::move(*address);
    auto made = make_prometheus_source(services_, std::move(settings));
    if (!made) co_return fail(std::move(made.error()));
    co_return SourcePtr(std::move(*made));
  }
  co_return SourcePtr();
}

}  // namespace

std::optional<std::string> prometheus_address(const std::vector<ServicePtr>& services) {
  std::optional<std::pair<std::size_t, std::string>> best;  // rank and name
  std::optional<std::string> address;
  for (const ServicePtr& service : services) {
    const std::string& name = service->metadata().name();
    const auto rank = rank_of(name);
    if (!rank || (best && std::pair(*rank, name) >= *best)) continue;
    auto found = address_of(*service);
    if (!found) continue;
    best = std::pair(*rank, name);
    address = std::move(found);
  }
  return address;
}

std::unique_ptr<Source> make_found_prometheus_source(kube::Api& api,
                                                     const kube::LoopServices& services,
                                                     PrometheusSettings settings,
                                                     std::vector<std::string> namespaces) {
  return std::make_unique<FoundPrometheusSource>(api, services, std::move(settings), std::move(namespaces));
}

}  // namespace rescheduler::usage
