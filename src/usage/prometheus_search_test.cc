#include "usage/prometheus_search.h"

#include <gmock/gmock.h>

#include "kube/client/api.h"
#include "kube/proto/core.pb.h"
#include "net/http/http_server.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::usage {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct Port {
  std::string name;
  int port = 9090;
};

api::Service service(const std::string& name, const std::string& ip, const std::vector<Port>& ports) {
  api::Service made;
  made.mutable_metadata()->set_namespace_("monitoring");
  made.mutable_metadata()->set_name(name);
  made.mutable_spec()->set_cluster_ip(ip);
  for (const Port& one : ports) {
    api::ServicePort& port = *made.mutable_spec()->add_ports();
    port.set_name(one.name);
    port.set_port(one.port);
  }
  return made;
}

std::string address(const std::vector<api::Service>& services) {
  std::vector<ServicePtr> all;
  for (const api::Service& one : services) all.push_back(std::make_shared<api::Service>(one));
  return prometheus_address(all).value_or("none");
}

TEST(PrometheusAddress, TheServiceOfEachUsualInstallationIsKnown) {
  const std::vector<Port> stack{{"reloader-web", 8080}, {"http-web", 9090}};
  for (const auto& [name, ports, expected] : std::vector<std::tuple<std::string, std::vector<Port>, std::string>>{
           // kube-prometheus-stack, installed as kube-prometheus-stack, prometheus and kube-prom-stack
           {"kube-prometheus-stack-prometheus", stack, "http://10.0.0.7:9090"},
           {"prometheus-kube-prometheus-prometheus", stack, "http://10.0.0.7:9090"},
           {"kube-prom-stack-kube-prome-prometheus", stack, "http://10.0.0.7:9090"},
           {"prometheus-k8s", {{"web", 9090}, {"reloader-web", 8080}}, "http://10.0.0.7:9090"},
           {"prometheus-server", {{"http", 80}}, "http://10.0.0.7:80"},
           {"mine-prometheus-server", {{"http", 80}}, "http://10.0.0.7:80"},
           {"prometheus", {{"http", 9090}}, "http://10.0.0.7:9090"},
           {"prometheus", {{"", 9091}}, "http://10.0.0.7:9091"},
           {"prometheus-operated", {{"web", 9090}}, "http://10.0.0.7:9090"},
           // Services beside them
           {"prometheus-kube-prometheus-alertmanager", {{"http-web", 9093}}, "none"},
           {"prometheus-kube-prometheus-operator", {{"https", 443}}, "none"},
           {"prometheus-node-exporter", {{"http-metrics", 9100}}, "none"},
           {"prometheus-pushgateway", {{"http", 9091}}, "none"},
           {"prometheus-k8s", {{"web-secure", 9091}, {"metrics", 9092}}, "none"},
       }) {
    EXPECT_EQ(address({service(name, "10.0.0.7", ports)}), expected) << name;
  }
}

TEST(PrometheusAddress, OfSeveralServicesTheBestKnownOneIsUsedWhateverTheirOrder) {
  const std::vector<api::Service> services{service("prometheus-operated", "None", {{"http-web"}}),
                                           service("prometheus", "10.0.0.1", {{"http"}}),
                                           service("b-kube-prometheus-prometheus", "10.0.0.3", {{"http-web"}}),
                                           service("a-kube-prometheus-prometheus", "10.0.0.2", {{"http-web"}})};
  EXPECT_EQ(address(services), "http://10.0.0.2:9090");
  EXPECT_EQ(address({services[3], services[2], services[1], services[0]}), "http://10.0.0.2:9090");
  EXPECT_EQ(address({services[0], services[1]}), "http://10.0.0.1:9090");
}

TEST(PrometheusAddress, AHeadlessServiceIsUsedByItsName) {
  EXPECT_EQ(address({service("prometheus-operated", "None", {{"web"}})}),
            "http://prometheus-operated.monitoring.svc:9090");
}

TEST(PrometheusAddress, AnIpv6AddressIsInBrackets) {
  EXPECT_EQ(address({service("prometheus", "fd00::1", {{"http"}})}), "http://[fd00::1]:9090");
}

TEST(PrometheusAddress, AServiceThatPointsOutOfTheClusterOrNeedsTlsIsNotUsed) {
  api::Service external = service("prometheus", "", {{"http"}});
  external.mutable_spec()->set_type("ExternalName");
  external.mutable_spec()->set_external_name("example.com");
  EXPECT_EQ(address({external}), "none");
  api::Service tls = service("prometheus", "10.0.0.1", {{"web"}});
  tls.mutable_spec()->mutable_ports(0)->set_app_protocol("https");
  EXPECT_EQ(address({tls}), "none");
}

class FoundPrometheus : public ::testing::Test {
 protected:
  ~FoundPrometheus() override { (void)time_.loop.await_result<void>(end()); }
  net::Task<Result<void>> end() {
    source_.reset();
    auto stopped = co_await stop_servers();
    co_return stopped;
  }
  net::Task<Result<void>> stop_servers() {
    for (const auto& one : servers_) {
      co_await one->stop(seconds(0));
    }
    servers_.clear();
    co_return Result<void>{};
  }

  // A Prometheus that reports this CPU load, and its Service.
  void install(const std::string& ns, int percent) {
    auto made = net::serve_http(
        time_.loop.executor(), {},
        [percent](const net::HttpRequest&, const net::PeerIdentity&, net::Responder& responder) -> net::Task<void> {
          net::HttpResponse response;
          response.status = 200;
          response.body = fmt::format(
              R"({{"status":"success","data":{{"resultType":"vector","result":[{{"metric":{{"instance":"a"}},"value":[1700000000,"{}"]}}]}}}})",
              percent);
          (void)co_await responder.send(std::move(response));
        });
    ASSERT_TRUE(made) << made.error().message;
    servers_.push_back(std::move(*made));
    api::Service found = service("prometheus", "127.0.0.1", {{"http", servers_.back()->port()}});
    found.mutable_metadata()->set_namespace_(ns);
    api_.put(found);
  }
  void make(std::vector<std::string> namespaces) {
    source_ = make_found_prometheus_source(
        api_, time_.services(), {.queries = {{.resource = "cpu", .expression = "cpu"}}}, std::move(namespaces));
  }
  // The CPU load in percent, or the error.
  std::string read() {
    auto reading = time_.loop.await_result<Reading>(source_->read(nodes_, WallTime{}));
    code_ = reading ? std::nullopt : std::optional(reading.error().code);
    return reading ? fmt::format("{:.0f}", reading->samples.at(0).value * 100) : reading.error().message;
  }
  std::vector<std::string> searches() const {
    std::vector<std::string> all;
    for (const auto& call : api_.calls()) all.push_back(call.text);
    return all;
  }

  NodeList nodes_ = std::make_shared<const std::vector<NodeIdentity>>(std::vector<NodeIdentity>{{.name = "a"}});
  std::optional<Errc> code_{};
  test::ScriptedApi api_;
  test::VirtualTime time_;
  std::vector<std::unique_ptr<net::HttpServer>> servers_;
  std::unique_ptr<Source> source_;
};

TEST_F(FoundPrometheus, ReadsThePrometheusOfItsNamespacesAndSearchesOnce) {
  install("elsewhere", 10);
  install("monitoring", 30);
  make({"monitoring"});
  EXPECT_EQ(read(), "30");
  EXPECT_EQ(read(), "30");
  EXPECT_THAT(searches(), ElementsAre("list services in monitoring"));
}

TEST_F(FoundPrometheus, TheNamespacesAreSearchedInTheirOrder) {
  install("first", 10);
  install("second", 20);
  make({"empty", "second", "first"});
  EXPECT_EQ(read(), "20");
}

TEST_F(FoundPrometheus, WithoutAServiceTheSourceIsNotInstalledAndTheSearchIsRepeatedAfterAMinute) {
  make({"monitoring", "telemetry"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(read(), "prometheus: no known Service of Prometheus in namespace monitoring, telemetry");
    EXPECT_EQ(code_, Errc::NotFound);
  }
  EXPECT_THAT(searches(), ElementsAre("list services in monitoring", "list services in telemetry"));
  install("telemetry", 40);
  time_.clock.advance(seconds{59});
  EXPECT_THAT(read(), HasSubstr("no known Service"));
  time_.clock.advance(seconds{1});
  EXPECT_EQ(read(), "40");
}

TEST_F(FoundPrometheus, AfterAFailedReadTheServiceIsSearchedAgain) {
  install("monitoring", 30);
  make({"monitoring"});
  EXPECT_EQ(read(), "30");
  (void)time_.loop.await_result<void>(stop_servers());
  EXPECT_THAT(read(), HasSubstr("refused"));
  EXPECT_NE(code_, Errc::NotFound);
  install("monitoring", 50);  // the Service has a new address
  EXPECT_EQ(read(), "50");
}

TEST_F(FoundPrometheus, ASearchThatFailsIsAFailureOfTheSource) {
  install("monitoring", 30);
  make({"monitoring"});
  api_.fail_calls(0, 1, Error{Errc::Denied, "services is forbidden"});
  EXPECT_THAT(read(), StartsWith("prometheus: services is forbidden"));
  EXPECT_EQ(code_, Errc::Denied);
  EXPECT_EQ(read(), "30");
}

}  // namespace
}  // namespace rescheduler::usage
