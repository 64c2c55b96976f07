#include "usage/prometheus_source.h"

#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "kube/config/credentials.h"
#include "kube/config/file.h"
#include "net/http/http_client.h"
#include "net/http/url.h"
#include "usage/prometheus_answer.h"

namespace rescheduler::usage {
namespace {

using std::chrono::nanoseconds;

// A series takes about 200 bytes, so this is enough for a hundred thousand nodes.
constexpr std::size_t kMostAnswerBytes = std::size_t{64} << 20;
constexpr std::array<double, 3> kNoPodValues{cluster::kUnknownLoad, cluster::kUnknownLoad, cluster::kUnknownLoad};

// Seconds since 1970; nothing: not a plausible time.
std::optional<WallTime> time_of(double seconds) {
  if (!(seconds >= 0.0 && seconds < 9e9)) return std::nullopt;
  return WallTime{std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(seconds))};
}

class PrometheusSource final : public Source {
 public:
  PrometheusSource(const Clock& clock,
                   PrometheusSettings settings,
                   std::string path,
                   std::unique_ptr<kube::CredentialSource> credentials,
                   std::unique_ptr<net::HttpClient> http)
      : clock_(clock),
        settings_(std::move(settings)),
        path_(std::move(path)),
        credentials_(std::move(credentials)),
        http_(std::move(http)) {}

  std::string_view name() const override { return settings_.name; }
  net::Task<Result<Reading>> read(NodeList nodes, WallTime now) override;
  net::Task<Result<std::vector<PodUse>>> read_pods() override;

 private:
  net::Task<Result<void>> read_resource(std::size_t resource, SteadyTime deadline, Reading& into);
  // `label`: of the result, it names the node or the pod.
  net::Task<Result<std::vector<Series>>> ask(std::string expression, std::string label, SteadyTime deadline);
  net::HttpRequest request(const std::string& expression, nanoseconds left) const;
  void use(const NodeList& nodes);
  void add(std::size_t resource, const Series& series, Reading& into) const;
  Error within(std::string_view what, Error error) const {
    return std::move(error).within(fmt::format("prometheus {}: {}", settings_.url, what));
  }

  const Clock& clock_;
  PrometheusSettings settings_;
  std::string path_;
  std::unique_ptr<kube::CredentialSource> credentials_;
  std::unique_ptr<net::HttpClient> http_;
  NodeList nodes_;  // the nodes that finder_ was built from
  std::unique_ptr<NodeFinder> finder_;
};

void PrometheusSource::use(const NodeList& nodes) {
  if (finder_ && nodes == nodes_) return;
  nodes_ = nodes;
  finder_ = std::make_unique<NodeFinder>(*nodes, settings_.find);
}

net::Task<Result<Reading>> PrometheusSource::read(NodeList nodes, WallTime /*now*/) {
  use(nodes);
  const SteadyTime deadline = clock_.steady_now() + settings_.timeout;
  Reading reading;
  for (std::size_t resource = 0; resource < settings_.queries.size(); ++resource) {
    auto done = co_await read_resource(resource, deadline, reading);
    if (!done) co_return fail(within(settings_.queries[resource].resource, std::move(done.error())));
  }
  co_return reading;
}

net::Task<Result<void>> PrometheusSource::read_resource(std::size_t resource, SteadyTime deadline, Reading& into) {
  const PrometheusQuery& query = settings_.queries[resource];
  auto values = co_await ask(query.expression, settings_.instance_label, deadline);
  if (!values) co_return fail(std::move(values.error()));
  // Some clusters have no data for further resources, for example if the kernel does not measure pressure. Missing CPU
  // or memory data is an error.
  if (values->empty() && resource <= cluster::kMemoryLoad) {
    co_return fail(Errc::Unavailable, "the query returns no series: check that Prometheus scrapes node_exporter");
  }
  if (!query.freshness_query.empty()) {
    auto last_seen = co_await ask(query.freshness_query, settings_.instance_label, deadline);
    if (!last_seen) co_return fail(std::move(last_seen.error()).within("query for the time of the last sample"));
    std::unordered_map<std::string, double> times;
    for (const Series& one : *last_seen) {
      if (one.label) times[*one.label] = std::max(times[*one.label], one.value);
    }
    for (Series& one : *values) {
      const auto known = one.label ? times.find(*one.label) : times.end();
      // A node without a last sample gets the oldest possible time, so its value is stale.
      one.at = known == times.end() ? WallTime{} : time_of(known->second).value_or(WallTime{});
    }
  }
  for (const Series& one : *values) add(resource, one, into);
  co_return Result<void>{};
}

void PrometheusSource::add(std::size_t resource, const Series& series, Reading& into) const {
  const NodeFinder::Found found = series.label ? finder_->find(*series.label) : NodeFinder::Found{};
  if (found.ambiguous || !found.node) {
    ++into.dropped[found.ambiguous ? Drop::Ambiguous : Drop::NoNode];
    return;
  }
  const double scale = settings_.queries[resource].unit == Unit::Percent ? 0.01 : 1.0;
  into.samples.push_back(
      {.node = std::string(*found.node), .resource = resource, .value = series.value * scale, .at = series.at});
}

// Only pods with all three values are returned.
net::Task<Result<std::vector<PodUse>>> PrometheusSource::read_pods() {
  const SteadyTime deadline = clock_.steady_now() + settings_.timeout;
  const PodQueries& pods = settings_.pod_queries;
  const std::array<const std::string*, 3> queries{&pods.cpu, &pods.memory, &pods.last_time};
  std::unordered_map<std::string, std::array<double, 3>> values;  // by pod: in the order of the queries
  for (std::size_t i = 0; i < queries.size(); ++i) {
    auto series = co_await ask(*queries[i], std::string(kPodLabel), deadline);
    if (!series) co_return fail(within("pods", std::move(series.error())));
    for (const Series& one : *series) {
      if (!one.label) continue;
      auto [place, added] = values.try_emplace(*one.label, kNoPodValues);
      place->second[i] = one.value;
    }
    if (values.empty()) break;  // this Prometheus does not scrape cAdvisor
  }
  std::vector<PodUse> all;
  all.reserve(values.size());
  for (const auto& [pod, value] : values) {
    const auto slash = pod.find('/');
    const auto at = time_of(value[2]);
    if (slash == std::string::npos || std::isnan(value[0]) || std::isnan(value[1]) || !at) continue;
    all.push_back({pod.substr(0, slash), pod.substr(slash + 1), value[0], value[1], *at});
  }
  if (all.empty()) {
    const Error error{Errc::NotFound,
                      "no series of containers: check that Prometheus scrapes the cAdvisor of kubelets"};
    co_return fail(within("pods", error));
  }
  co_return all;
}

net::HttpRequest PrometheusSource::request(const std::string& expression, nanoseconds left) const {
  net::HttpRequest made;
  // Prometheus stops the query when the client's timeout ends.
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  std::string form = fmt::format("query={}&timeout={}ms", net::percent_encode(expression), milliseconds);
  if (settings_.use_get) {
    made.target = fmt::format("{}?{}", path_, form);
  } else {
    made.method = "POST";
    made.target = path_;
    made.headers.set("Content-Type", "application/x-www-form-urlencoded");
    made.body = std::move(form);
  }
  made.headers.set("Accept", "application/json");
  return made;
}

net::Task<Result<std::vector<Series>>> PrometheusSource::ask(std::string expression,
                                                             std::string label,
                                                             SteadyTime deadline) {
  auto credential = co_await credentials_->current();
  if (!credential) co_return fail(std::move(credential.error()));
  const nanoseconds left = deadline - clock_.steady_now();
  if (left <= nanoseconds::zero()) co_return fail(Errc::Timeout, "the earlier queries used up the timeout");
  net::HttpRequest asked = request(expression, left);
  if (!credential->authorization.empty()) asked.headers.set("Authorization", credential->authorization);
  auto response = co_await http_->send(std::move(asked), left);
  if (!response) co_return fail(std::move(response.error()));
  if (response->status == 401) credentials_->rejected();
  if (response->status != 200) {
    Error error{Errc::Unavailable, complaint_of(response->status, response->body)};
    error.http_status = response->status;
    co_return fail(std::move(error));
  }
  co_return read_vector(response->body, label);
}

}  // namespace

std::vector<PrometheusQuery> default_queries(const std::string& label) {
  return {
      {.resource = "cpu",
       .expression =
           fmt::format(R"(100 - (avg by({}) (rate(node_cpu_seconds_total{{mode="idle"}}[5m])) * 100))", label),
       .freshness_query = fmt::format(R"(max by({}) (timestamp(node_cpu_seconds_total{{mode="idle"}})))", label)},
      {.resource = "memory",
       .expression = "100 * (1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes)",
       .freshness_query = fmt::format("max by({}) (timestamp(node_memory_MemAvailable_bytes))", label)},
  };
}

// Not rate: it divides by the whole window, so the usage of a pod that is younger than the window would be too low.
// The largest value of each container counts: two jobs can scrape one cAdvisor, and the series of a container before
// its restart continue for a few minutes. Series without a container are sums of pods and of nodes.
PodQueries default_pod_queries() {
  const auto by_pod = [](std::string_view expression) {
    return fmt::format(R"(label_join({}, "{}", "/", "namespace", "pod"))", expression, kPodLabel);
  };
  constexpr std::string_view kContainers = R"({container!="",container!="POD",pod!=""})";
  return {
      .cpu = by_pod(fmt::format(
          "sum by(namespace, pod) (max by(namespace, pod, container) (irate(container_cpu_usage_seconds_total{}[5m])))",
          kContainers)),
      .memory = by_pod(fmt::format(
          "sum by(namespace, pod) (max by(namespace, pod, container) (container_memory_working_set_bytes{}))",
          kContainers)),
      .last_time =
          by_pod(fmt::format("max by(namespace, pod) (timestamp(container_memory_working_set_bytes{}))", kContainers)),
  };
}

std::vector<PrometheusQuery> recorded_queries() {
  const std::string freshness_query = "rescheduler:node_heard:timestamp";
  return {
      {.resource = "cpu", .expression = "rescheduler:node_cpu_used:percent", .freshness_query = freshness_query},
      {.resource = "memory", .expression = "rescheduler:node_memory_used:percent", .freshness_query = freshness_query},
  };
}

Result<std::unique_ptr<Source>> make_prometheus_source(const kube::LoopServices& services,
                                                       PrometheusSettings settings) {
  const std::string where = "prometheus";
  std::string_view prefix = settings.url;
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  auto url = net::parse_url(prefix);
  if (!url) return fail(std::move(url.error()).within(where));
  if (!url->query.empty())
    return fail(Errc::Invalid, "prometheus {}: the URL must not contain a query (?)", settings.url);
  if (settings.queries.empty() || settings.queries.size() > cluster::kMostLoads) {
    return fail(Errc::Invalid, "prometheus {}: there must be 1 to {} queries", settings.url, cluster::kMostLoads);
  }
  net::HttpClientSettings client;
  client.origin = url->origin;
  client.most_connections = 4;
  client.most_body_bytes = kMostAnswerBytes;
  client.tls.insecure_skip_verify = settings.insecure_skip_verify;
  if (!settings.ca_file.empty()) {
    auto ca = kube::read_whole_file(settings.ca_file, kube::kMostCredentialFileBytes);
    if (!ca) return fail(std::move(ca.error()).within(where));
    client.tls.ca_pem = std::move(*ca);
  }
  auto http = net::make_http_client(services.executor, std::move(client));
  if (!http) return fail(std::move(http.error()).within(where));
  kube::CredentialSpec spec;
  spec.method = settings.credentials;
  auto credentials = kube::make_credentials(std::move(spec), *services.clock, services.executor);
  std::string path = url->base_path + "/api/v1/query";
  return std::make_unique<PrometheusSource>(*services.clock, std::move(settings), std::move(path),
                                            std::move(credentials), std::move(*http));
}

}  // namespace rescheduler::usage
