// Client and server of the extender protocol over TLS on loopback.
#include "server/extender_routes.h"

#include <gmock/gmock.h>

#include "kube/config/temp_directory.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "net/http/http_server.h"
#include "scheduler/extender/extender_client.h"
#include "support/port_fixture.h"
#include "support/test_certificates.h"

namespace rescheduler::server {
namespace {

using scheduler::ExtenderClient;
using scheduler::ExtenderSettings;
using scheduler::NodePtr;
using scheduler::PodPtr;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

// Passes nodes whose name does not begin with "bad", and scores long names higher.
class TestExtenderService final : public ExtenderService {
 public:
  net::Task<Result<FilterResult>> filter(const kube::ExtenderArgs& args) override {
    if (args.pod->metadata().name() == "rejected") co_return fail(Errc::Invalid, "this pod is rejected");
    FilterResult answer;
    for (const std::string& name : node_names_of(args)) {
      if (name == "bad-for-good") {
        answer.failed_and_unresolvable[name] = "it is beyond repair";
      } else if (name.starts_with("bad")) {
        answer.failed[name] = "it is bad";
      } else {
        answer.passing.push_back(name);
      }
    }
    answer.passing.emplace_back("made-up");
    saw_nodes = args.nodes.has_value();
    co_return answer;
  }
  net::Task<Result<std::vector<kube::HostPriority>>> prioritize(const kube::ExtenderArgs& args) override {
    if (args.pod->metadata().name() == "rejected") co_return fail(Errc::Invalid, "this pod is rejected");
    std::vector<kube::HostPriority> scores;
    for (const std::string& name : node_names_of(args)) {
      scores.push_back({name, static_cast<std::int64_t>(name.size())});
    }
    co_return scores;
  }
  net::Task<Result<kube::MetaVictimsByNode>> preempt(const kube::ExtenderPreemptionArgs& args) override {
    saw_meta = args.meta_victims.has_value();
    kube::MetaVictimsByNode kept;
    kept["n1"] = {{"uid-low"}, 1};
    if (args.pod->metadata().name() == "rejected") kept["n1"].uids.emplace_back("uid-unknown");
    co_return kept;
  }
  net::Task<Result<void>> bind(const kube::ExtenderBindingArgs& args) override {
    bound = args;
    if (args.node == "bad") co_return fail(Errc::Conflict, "the node is taken");
    co_return Result<void>{};
  }

  bool saw_nodes = false, saw_meta = false;
  kube::ExtenderBindingArgs bound;
};

PodPtr pod_named(const std::string& name) {
  auto pod = std::make_shared<api::Pod>();
  pod->mutable_metadata()->set_name(name);
  pod->mutable_metadata()->set_uid("uid-" + name);
  return pod;
}

NodePtr node_named(const std::string& name) {
  auto node = std::make_shared<api::Node>();
  node->mutable_metadata()->set_name(name);
  return node;
}

class ExtenderTest : public PortFixture {
 protected:
  ExtenderTest() {
    ServerSettings settings;
    settings.extender.anonymous = true;
    start(std::move(settings));
    cluster_->on_loop([this] { add_extender_routes(*server_, service_); });
  }

  ExtenderSettings every_verb() const {
    ExtenderSettings settings;
    settings.url_prefix = fmt::format("https://127.0.0.1:{}/extender/", server_->port());
    settings.filter_verb = "filter";
    settings.prioritize_verb = "prioritize";
    settings.preempt_verb = "preempt";
    settings.bind_verb = "bind";
    settings.weight = 4;
    settings.enable_https = true;
    return settings;
  }
  ExtenderClient& client(ExtenderSettings settings) {
    auto made = ExtenderClient::make(cluster_->loop().executor(), std::move(settings));
    RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
    clients_.push_back(std::move(*made));
    return *clients_.back();
  }
  template <class T>
  Result<T> await(net::Task<Result<T>> task) {
    return cluster_->loop().await_result(std::move(task));
  }
  template <class T>
  static std::string error_of(const Result<T>& result) {
    return result ? "no error" : result.error().message;
  }
  static std::vector<std::string> names_of(const std::vector<NodePtr>& nodes) {
    std::vector<std::string> names;
    for (const NodePtr& node : nodes) names.push_back(node->metadata().name());
    return names;
  }

  TestExtenderService service_;
  std::vector<std::unique_ptr<ExtenderClient>> clients_;
  const std::vector<NodePtr> nodes_{node_named("a"), node_named("bad-1"), node_named("bad-for-good"), node_named("bb")};
};

TEST_F(ExtenderTest, FilterAnswersInTheFormOfTheRequest) {
  for (const bool cached : {false, true}) {
    ExtenderSettings settings = every_verb();
    settings.node_cache_capable = cached;
    auto filtered = await(client(settings).filter(pod_named("p"), nodes_));
    ASSERT_TRUE(filtered) << filtered.error().message;
    EXPECT_THAT(names_of(filtered->passing), ElementsAre("a", "bb"));
    EXPECT_THAT(filtered->failed, ElementsAre(Pair("bad-1", "it is bad")));
    EXPECT_THAT(filtered->failed_and_unresolvable, ElementsAre(Pair("bad-for-good", "it is beyond repair")));
    EXPECT_EQ(filtered->fresh, !cached);
    EXPECT_EQ(service_.saw_nodes, !cached);
    if (cached) {
      EXPECT_EQ(filtered->passing.front(), nodes_.front()) << "the same node object as in the request";
    }
  }
}

TEST_F(ExtenderTest, ScoresComeWithTheConfiguredWeight) {
  auto scored = await(client(every_verb()).prioritize(pod_named("p"), {node_named("a"), node_named("bb")}));
  ASSERT_TRUE(scored) << scored.error().message;
  EXPECT_THAT(scored->scores, ElementsAre(kube::HostPriority{"a", 1}, kube::HostPriority{"bb", 2}));
  EXPECT_EQ(scored->weight, 4);
}

TEST_F(ExtenderTest, VerbsThatAreNotConfiguredAreNotCalled) {
  ExtenderSettings settings = every_verb();
  settings.filter_verb = settings.prioritize_verb = settings.preempt_verb = settings.bind_verb = "";
  ExtenderClient& silent = client(settings);
  EXPECT_EQ(await(silent.filter(pod_named("rejected"), nodes_))->passing.size(), 4u);
  auto scored = await(silent.prioritize(pod_named("rejected"), nodes_));
  EXPECT_EQ(scored->scores.at(3), (kube::HostPriority{"bb", 0}));
  EXPECT_EQ(scored->weight, 0);
  EXPECT_THAT(error_of(await(silent.bind({}))), HasSubstr("has no bindVerb"));
  EXPECT_THAT(error_of(await(silent.process_preemption(pod_named("p"), {}, {}))), HasSubstr("has no preemptVerb"));
}

TEST_F(ExtenderTest, ErrorsOfTheServiceReachTheClient) {
  ExtenderClient& asking = client(every_verb());
  EXPECT_THAT(error_of(await(asking.filter(pod_named("rejected"), nodes_))), HasSubstr("filter: this pod is rejected"));
  EXPECT_THAT(error_of(await(asking.prioritize(pod_named("rejected"), nodes_))), HasSubstr("status 500"));
  EXPECT_THAT(error_of(await(asking.bind({"p", "ns", "u", "bad"}))), HasSubstr("bind: the node is taken"));
}

TEST_F(ExtenderTest, TheServiceReceivesTheWholeBinding) {
  const kube::ExtenderBindingArgs args{"p", "ns", "uid", "node"};
  auto bound = await(client(every_verb()).bind(args));
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(service_.bound, args);
}

TEST_F(ExtenderTest, VictimUidsAreResolvedToPods) {
  const PodPtr low = pod_named("low");
  const auto lookup = [&low](const std::string& node, const std::string& uid) {
    return node == "n1" && uid == "uid-low" ? low : nullptr;
  };
  for (const bool cached : {false, true}) {
    ExtenderSettings settings = every_verb();
    settings.node_cache_capable = cached;
    ExtenderClient& asking = client(settings);
    const kube::VictimsByNode victims{{"n1", {{low, pod_named("lower")}, 2}}, {"n2", {{low}, 0}}};
    auto kept = await(asking.process_preemption(pod_named("p"), victims, lookup));
    ASSERT_TRUE(kept) << kept.error().message;
    ASSERT_EQ(kept->size(), 1u);
    EXPECT_THAT(kept->at("n1").pods, ElementsAre(low));
    EXPECT_EQ(kept->at("n1").pdb_violations, 1);
    EXPECT_EQ(service_.saw_meta, cached);
    EXPECT_THAT(error_of(await(asking.process_preemption(pod_named("rejected"), victims, lookup))),
                HasSubstr("names pod uid-unknown as a victim on node n1"));
  }
}

TEST_F(ExtenderTest, OnlyPodsThatRequestManagedResourcesAreOfInterest) {
  ExtenderSettings settings = every_verb();
  EXPECT_TRUE(client(settings).is_interested(*pod_named("p")));
  settings.managed_resources = {{"example.com/gpu", true}};
  const ExtenderClient& asking = client(settings);
  api::Pod pod;
  EXPECT_FALSE(asking.is_interested(pod));
  (*pod.mutable_spec()->add_containers()->mutable_resources()->mutable_requests())["cpu"].set_string("1");
  EXPECT_FALSE(asking.is_interested(pod));
  api::Pod limited = pod;
  (*limited.mutable_spec()->mutable_containers(0)->mutable_resources()->mutable_limits())["example.com/gpu"];
  EXPECT_TRUE(asking.is_interested(limited));
  (*pod.mutable_spec()->add_init_containers()->mutable_resources()->mutable_requests())["example.com/gpu"];
  EXPECT_TRUE(asking.is_interested(pod));
}

TEST_F(ExtenderTest, InvalidRequestsAreRefusedWithAReason) {
  net::HttpRequest request = get_of("/extender/filter");
  request.method = "POST";
  const auto answer_to = [&](const char* path, const char* body) {
    request.target = path;
    request.body = body;
    return text(send(client_settings(true), request));
  };
  EXPECT_THAT(answer_to("/extender/filter", "{"), StartsWith("400 the extender's arguments cannot be read"));
  EXPECT_THAT(answer_to("/extender/filter", R"({"Pod":{}})"),
              StartsWith("400 the extender arguments contain no nodes"));
  EXPECT_THAT(answer_to("/extender/prioritize", "[]"), StartsWith("400 "));
  EXPECT_THAT(answer_to("/extender/preempt", R"({"Pod":7})"), StartsWith("400 "));
  EXPECT_THAT(answer_to("/extender/bind", R"({"Node":7})"), HasSubstr("Node: expected a string"));
  request.method = "GET";
  EXPECT_THAT(answer_to("/extender/bind", ""), StartsWith("405 "));
}

// Unusual answers of a foreign extender.
class ForeignExtenderTest : public ExtenderTest {
 protected:
  Result<scheduler::ExtenderFiltered> filtered_by(std::string answer, int status = 200, bool cached = true) {
    net::HttpResponse response;
    response.status = status;
    response.body = std::move(answer);
    const auto handler = [response](const net::HttpRequest&, const net::PeerIdentity&, net::Responder& responder) {
      return send_back(responder, response);
    };
    auto strange = net::serve_http(cluster_->loop().executor(), {}, handler);
    RESCHEDULER_CHECK(strange.has_value(), "{}", strange.error().message);
    ExtenderSettings settings = every_verb();
    settings.url_prefix = fmt::format("http://127.0.0.1:{}", (*strange)->port());
    settings.node_cache_capable = cached;
    return await(client(settings).filter(pod_named("p"), nodes_));
  }
  static net::Task<void> send_back(net::Responder& responder, net::HttpResponse response) {
    (void)co_await responder.send(std::move(response));
  }
};

TEST_F(ForeignExtenderTest, AStatusOtherThan200IsAFailure) {
  const auto refused = filtered_by(R"({"NodeNames":["a"]})", 201);
  EXPECT_THAT(error_of(refused), HasSubstr("status 201 instead of 200"));
  EXPECT_EQ(refused.error().http_status, 201);
}

TEST_F(ForeignExtenderTest, AnUnknownNodeNameInTheResponseIsAFailure) {
  EXPECT_THAT(error_of(filtered_by(R"({"nodenames":["a","z"]})")), HasSubstr("returned node z"));
}

TEST_F(ForeignExtenderTest, AResponseWithoutNamesAndNodesMeansThatNoNodePasses) {
  EXPECT_TRUE(filtered_by("{}").value().passing.empty());
  EXPECT_TRUE(filtered_by(R"({"NodeNames":["a"]})", 200, false).value().passing.empty())
      << "node names are ignored when nodes were sent";
}

TEST_F(ForeignExtenderTest, NodesInTheResponseAreUsedInsteadOfNames) {
  const auto filtered = filtered_by(R"({"Nodes":{"items":[{"metadata":{"name":"z"}}]}})");
  ASSERT_TRUE(filtered) << filtered.error().message;
  EXPECT_TRUE(filtered->fresh);
  EXPECT_THAT(names_of(filtered->passing), ElementsAre("z"));
}

TEST_F(ForeignExtenderTest, AResponseThatIsNotJsonIsAFailure) {
  EXPECT_THAT(error_of(filtered_by("<html>")), HasSubstr("filter: the extender's filter result cannot be read"));
}

// Access to the extender routes: by kube-scheduler's certificate, or by a token.
class ExtenderAccessTest : public PortFixture {};

TEST_F(ExtenderAccessTest, AClientCertificateOrATokenGivesAccessToTheExtenderRoutes) {
  const test::TestAuthority clients("clients"), others("others");
  const kube::TempDirectory files;
  ServerSettings settings;
  settings.files.client_ca = files.write("ca", clients.pem());
  settings.extender.names = {"system:kube-scheduler"};
  start(std::move(settings));
  TestExtenderService service;
  cluster_->on_loop([&] { add_extender_routes(*server_, service); });
  net::HttpRequest request = get_of("/extender/bind");
  request.method = "POST";
  request.body = R"({"Node":"n"})";
  const auto answer_for = [&](const test::TestAuthority& authority, const std::string& name) {
    test::CertificateOptions options;
    options.common_name = name;
    const auto identity = authority.issue(options);
    net::HttpClientSettings client = client_settings(true);
    client.tls.certificate_pem = identity.certificate_pem;
    client.tls.key_pem = identity.key_pem;
    return text(send(client, request));
  };
  EXPECT_EQ(answer_for(clients, "system:kube-scheduler"), R"(200 {"Error":""})");
  EXPECT_THAT(answer_for(clients, "system:node:n"), StartsWith("401 "));
  EXPECT_THAT(answer_for(others, "system:kube-scheduler"), testing::Not(HasSubstr("200")));
  EXPECT_THAT(text(send(client_settings(true), request)), StartsWith("401 "));
  request.headers.set("Authorization", "Bearer ann-token");
  EXPECT_EQ(text(send(client_settings(true), request)), R"(200 {"Error":""})");
  request.headers.set("Authorization", "Bearer bob-token");
  EXPECT_THAT(text(send(client_settings(true), request)), StartsWith("403 "));
}

}  // namespace
}  // namespace rescheduler::server
