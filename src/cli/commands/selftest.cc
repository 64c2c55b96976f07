#include "cli/commands/selftest.h"

#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/error.h"
#include "kube/codec/codec.h"
#include "kube/codec/json.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/quantity.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"
#include "net/http/http_server.h"

namespace rescheduler::cli {
namespace {

api::Pod sample_pod() {
  api::Pod pod;
  pod.mutable_metadata()->set_namespace_("default");
  pod.mutable_metadata()->set_name("sample");
  auto& container = *pod.mutable_spec()->add_containers();
  container.set_name("main");
  (*container.mutable_resources()->mutable_requests())["cpu"].set_string("250m");
  return pod;
}

Result<std::string> quantities() {
  auto parsed = kube::Quantity::parse("1.5Gi");
  if (!parsed) return fail(std::move(parsed.error()));
  if (parsed->value() != 1'610'612'736) return fail(Errc::Internal, "1.5Gi is not {} bytes", parsed->value());
  return fmt::format("1.5Gi = {} bytes", parsed->value());
}

Result<std::string> encodings() {
  const api::Pod pod = sample_pod();
  std::string sizes;
  for (const kube::Encoding encoding : {kube::Encoding::Protobuf, kube::Encoding::Json}) {
    const std::string bytes = kube::encode(encoding, pod);
    api::Pod back;
    auto decoded = kube::decode(encoding, bytes, back, kube::UnknownFields::Drop);
    if (!decoded) return fail(std::move(decoded.error()));
    if (kube::to_json(back) != kube::to_json(pod))
      return fail(Errc::Internal, "a pod differs after encoding and decoding");
    sizes += fmt::format("{}{} bytes", sizes.empty() ? "" : ", ", bytes.size());
  }
  return fmt::format("a pod as protobuf and JSON: {}", sizes);
}

net::Task<void> answer_with_pod(const net::HttpRequest&, const net::PeerIdentity&, net::Responder& responder) {
  net::HttpResponse response;
  response.status = 200;
  response.headers.set("Content-Type", kube::media_type(kube::Encoding::Protobuf));
  response.body = kube::encode(kube::Encoding::Protobuf, sample_pod());
  auto sent = co_await responder.send(std::move(response));
  (void)sent;  // the client side of the check reports errors
}

net::Task<Result<net::HttpResponse>> ask(net::HttpClient& client) {
  net::HttpRequest request;
  constexpr std::chrono::seconds kPatience{5};
  auto response = co_await client.send(std::move(request), kPatience);
  co_return response;
}

net::Task<Result<void>> stopped(net::HttpServer& server) {
  constexpr std::chrono::seconds kGrace{1};
  co_await server.stop(kGrace);
  co_return Result<void>{};
}

Result<std::string> loopback() {
  net::EventLoop loop;
  auto server = net::serve_http(loop.executor(), {}, answer_with_pod);
  if (!server) return fail(std::move(server.error()));
  net::HttpClientSettings settings;
  settings.origin = {false, "127.0.0.1", (*server)->port()};
  auto client = net::make_http_client(loop.executor(), settings);
  if (!client) return fail(std::move(client.error()));
  auto response = loop.await_result(ask(**client));
  if (!response) return fail(std::move(response.error()));
  api::Pod pod;
  auto decoded = kube::decode(kube::Encoding::Protobuf, response->body, pod, kube::UnknownFields::Drop);
  if (!decoded) return fail(std::move(decoded.error()));
  (void)loop.await_result(stopped(**server));
  return fmt::format("pod {}/{} fetched from port {}", pod.metadata().namespace_(), pod.metadata().name(),
                     (*server)->port());
}

}  // namespace

int run_self_test() {
  const std::pair<const char*, std::function<Result<std::string>()>> checks[] = {
      {"quantities", quantities}, {"encodings", encodings}, {"http", loopback}};
  int failed = 0;
  for (const auto& [name, check] : checks) {
    const auto outcome = check();
    if (!outcome) ++failed;
    fmt::print("{:<6} {:<12} {}\n", outcome ? "ok" : "FAILED", name, outcome ? *outcome : outcome.error().message);
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace rescheduler::cli
