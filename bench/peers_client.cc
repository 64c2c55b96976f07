// The part of bench/peers that a script could not do fast enough.
//
//   peers_client KUBECONFIG nodes FILE COUNT ZONES            creates nodes from the model in FILE, zones rotate
//   peers_client KUBECONFIG pods FILE PREFIX COUNT [NODES]    creates pods from the model; with NODES also bound
//   peers_client KUBECONFIG bind SELECTOR NODES               binds all pending pods: the limit of any scheduler
//   peers_client KUBECONFIG wait-bound SELECTOR COUNT QUIET   prints "watching", then waits until COUNT pods are
//                                                             bound, or no pod was bound for QUIET seconds
//
// All objects are in the namespace `default`; existing objects stay unchanged. Each command prints one JSON line; times
// are of the monotonic clock.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "kube/client/request.h"
#include "kube/codec/json.h"
#include "kube/codec/watch_frames.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "support/live_api.h"
#include "support/objects.h"
#include "support/parallel.h"

namespace rescheduler::test {
namespace {

// The client's default limit (most_connections), which our scheduler has too. More would not make the server faster.
constexpr int kConnections = 64;

std::string node_name(std::uint64_t number) { return fmt::format("node-{:05}", number); }

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class T>
Result<T> model_in(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  T model;
  if (auto read = kube::from_json(text, model, kube::UnknownFields::Refuse); !read) {
    return fail(std::move(read.error()).within(path));
  }
  return model;
}

net::Task<Result<bool>> enough() { co_return false; }

template <class T>
net::Task<Result<bool>> make(LiveApi& live, T object) {
  auto created = co_await live.client().create(std::move(object));
  if (!created && created.error().code != Errc::AlreadyExists) co_return fail(std::move(created.error()));
  co_return true;
}

Result<void> say_done(const Result<std::uint64_t>& done, double begun) {
  if (!done) return fail(done.error());
  fmt::print(R"({{"done":{},"seconds":{:.3f}}})"
             "\n",
             *done, now() - begun);
  return {};
}

Result<void> make_nodes(LiveApi& live, const std::string& file, std::uint64_t count, std::uint64_t zones) {
  const auto model = model_in<api::Node>(file);
  if (!model) return fail(model.error());
  const double begun = now();
  const auto piece = [&](std::uint64_t number) {
    if (number >= count) return enough();
    api::Node node = *model;
    node.mutable_metadata()->set_name(node_name(number));
    auto& labels = *node.mutable_metadata()->mutable_labels();
    labels["kubernetes.io/hostname"] = node_name(number);
    labels["topology.kubernetes.io/zone"] = fmt::format("zone-{}", number % zones);
    return make(live, std::move(node));
  };
  return say_done(in_parallel(live, kConnections, piece), begun);
}

Result<void> make_pods(LiveApi& live,
                       const std::string& file,
                       const std::string& prefix,
                       std::uint64_t count,
                       std::uint64_t nodes) {
  const auto model = model_in<api::Pod>(file);
  if (!model) return fail(model.error());
  const double begun = now();
  const auto piece = [&](std::uint64_t number) {
    if (number >= count) return enough();
    api::Pod pod = *model;
    pod.mutable_metadata()->set_namespace_("default");
    pod.mutable_metadata()->set_name(fmt::format("{}-{:06}", prefix, number));
    if (nodes != 0) pod.mutable_spec()->set_node_name(node_name(number % nodes));
    return make(live, std::move(pod));
  };
  return say_done(in_parallel(live, kConnections, piece), begun);
}

net::Task<Result<bool>> bind(LiveApi& live, const api::Pod& pod, std::string node) {
  api::Binding binding = binding_to("default", pod.metadata().name(), node);
  binding.mutable_metadata()->set_uid(pod.metadata().uid());
  auto bound = co_await live.client().create_sub<api::Pod>("default", pod.metadata().name(), "binding", binding);
  if (!bound) co_return fail(std::move(bound.error()));
  co_return true;
}

Result<void> bind_all(LiveApi& live, const std::string& selector, std::uint64_t nodes) {
  kube::ListSettings waiting;
  waiting.label_selector = selector;
  waiting.field_selector = "spec.nodeName=";
  const auto pods = live.await(live.client().list<api::Pod>("default", waiting));
  if (!pods) return fail(pods.error());
  const double begun = now();
  const auto piece = [&](std::uint64_t number) {
    return number < pods->size() ? bind(live, *(*pods)[number], node_name(number % nodes)) : enough();
  };
  return say_done(in_parallel(live, kConnections, piece), begun);
}

// --- Counts bindings by a watch, at little cost: frames are not decoded. ---

constexpr std::chrono::seconds kHeadTimeout{30};

struct Seen {
  std::uint64_t bound = 0;
  double first = 0;
  double last = 0;
  int watches = 0;  // watches that the server ended
};

// A pod that starts to match "has a node" is reported as ADDED, once; later changes have another type.
bool tells_of_new(std::string_view frame) {
  constexpr std::string_view kAdded =
      "\x0a\x05"
      "ADDED";  // field 1 of a WatchEvent, a string
  return frame.starts_with(kAdded);
}

net::Task<Result<std::unique_ptr<net::BodyStream>>> watch_bound(net::HttpClient& http,
                                                                const kube::ClientConfig& config,
                                                                std::string selector,
                                                                std::chrono::seconds quiet) {
  kube::ApiCall call;
  call.verb = kube::Verb::Watch;
  call.resource = &kube::resource_of<api::Pod>();
  call.ns = "default";
  call.label_selector = std::move(selector);
  call.field_selector = "spec.nodeName!=";
  call.bookmarks = false;
  call.watch_for = std::chrono::hours{1};
  auto request = kube::http_request_for(call, config.base_path);
  if (!request) co_return fail(std::move(request.error()));
  auto body = co_await http.open(std::move(*request), kHeadTimeout, quiet);
  if (!body) co_return fail(std::move(body.error()));
  if ((*body)->status() != 200) co_return fail(Errc::Internal, "the watch was answered with {}", (*body)->status());
  co_return body;
}

Result<void> take(kube::WatchFrames& frames, Seen& seen) {
  for (;;) {
    auto frame = frames.next();
    if (!frame) return fail(std::move(frame.error()));
    if (!*frame) return {};
    if (!tells_of_new(**frame)) continue;
    seen.last = now();
    if (++seen.bound == 1 && seen.first == 0) seen.first = seen.last;
  }
}

// A server under load ends the watch of a client that reads too slowly.
constexpr int kMostWatches = 20;

// Follows one watch until all pods were seen (true) or the server ended it.
net::Task<Result<bool>> follow(net::BodyStream& body, std::uint64_t count, Seen& seen) {
  kube::WatchFrames frames(kube::Encoding::Protobuf);
  seen.bound = 0;  // a watch starts with all existing pods
  std::string bytes;
  while (seen.bound < count) {
    bytes.clear();
    auto read = co_await body.read(bytes);
    if (!read) co_return fail(std::move(read.error()));
    if (*read == 0) co_return false;
    frames.feed(bytes);
    auto taken = take(frames, seen);
    if (!taken) co_return fail(std::move(taken.error()));
  }
  co_return true;
}

net::Task<Result<Seen>> see_bound(net::HttpClient& http,
                                  const kube::ClientConfig& config,
                                  std::string selector,
                                  std::uint64_t count,
                                  std::chrono::seconds quiet) {
  Seen seen;
  for (; seen.watches < kMostWatches; ++seen.watches) {
    auto body = co_await watch_bound(http, config, selector, quiet);
    if (!body) co_return fail(std::move(body.error()));
    if (seen.watches == 0) {
      fmt::print("watching\n");
      std::fflush(stdout);
    }
    auto all = co_await follow(**body, count, seen);
    if (all ? *all : all.error().code == Errc::Timeout) co_return seen;
    if (!all && all.error().code != Errc::Unavailable) co_return fail(std::move(all.error()));
  }
  co_return fail(Errc::Unavailable, "the API server ended {} watches, one after the other", kMostWatches);
}

Result<void> wait_bound(LiveApi& live,
                        const kube::ClientConfig& config,
                        const std::string& selector,
                        std::uint64_t count,
                        std::chrono::seconds quiet) {
  net::HttpClientSettings settings;
  settings.origin = config.origin;
  settings.tls = config.tls;
  auto http = net::make_http_client(live.loop().executor(), settings);
  if (!http) return fail(std::move(http.error()));
  const auto seen = live.await(see_bound(**http, config, selector, count, quiet));
  if (!seen) return fail(seen.error());
  fmt::print(R"({{"bound":{},"first":{:.6f},"last":{:.6f},"watches_ended":{}}})"
             "\n",
             seen->bound, seen->first, seen->last, seen->watches);
  return {};
}

std::uint64_t number_in(const std::string& word) {
  std::uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

// Nothing if the arguments are invalid.
std::optional<Result<void>> run(const std::vector<std::string>& words) {
  if (words.size() < 4) return std::nullopt;
  LiveApi live(words[0]);
  const std::string& command = words[1];
  if (command == "nodes" && words.size() == 5) {
    return make_nodes(live, words[2], number_in(words[3]), number_in(words[4]));
  }
  if (command == "pods" && (words.size() == 5 || words.size() == 6)) {
    return make_pods(live, words[2], words[3], number_in(words[4]), words.size() == 6 ? number_in(words[5]) : 0);
  }
  if (command == "bind" && words.size() == 4) return bind_all(live, words[2], number_in(words[3]));
  if (command == "wait-bound" && words.size() == 5) {
    return wait_bound(live, config_of(words[0]), words[2], number_in(words[3]),
                      std::chrono::seconds{number_in(words[4])});
  }
  return std::nullopt;
}

}  // namespace
}  // namespace rescheduler::test

int main(int argc, char** argv) {
  const auto result = rescheduler::test::run({argv + 1, argv + argc});
  if (!result) {
    fmt::print(stderr, "usage: peers_client KUBECONFIG nodes|pods|bind|wait-bound ...; the source says more\n");
    return 2;
  }
  if (!*result) fmt::print(stderr, "peers_client: {}\n", result->error().message);
  return *result ? 0 : 1;
}
