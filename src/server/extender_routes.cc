#include "server/extender_routes.h"

#include <set>

#include "kube/proto/core_node.pb.h"
#include "server/server.h"

namespace rescheduler::server {
namespace {

net::HttpResponse unreadable(const Error& error) { return text_response(400, fmt::format("{}.\n", error.message)); }
net::HttpResponse failed(const Error& error) { return text_response(500, fmt::format("{}.\n", error.message)); }

Result<kube::ExtenderArgs> read_args(const std::string& body) {
  auto args = kube::read_extender_args(body);
  if (args && !args->nodes && !args->node_names) {
    return fail(Errc::Invalid, "the extender arguments contain no nodes: Nodes or NodeNames must be given");
  }
  return args;
}

// Only the nodes of the request, in their order: kube-scheduler treats an unknown name as an error.
kube::ExtenderFilterResult mirrored(kube::ExtenderArgs args, FilterResult answer) {
  const std::set<std::string> passing(answer.passing.begin(), answer.passing.end());
  kube::ExtenderFilterResult result;
  if (args.nodes) {
    std::erase_if(*args.nodes, [&passing](const auto& one) { return !passing.contains(one.node->metadata().name()); });
    result.nodes = std::move(args.nodes);
  }
  if (args.node_names) {
    std::erase_if(*args.node_names, [&passing](const std::string& name) { return !passing.contains(name); });
    result.node_names = std::move(args.node_names);
  }
  result.failed = std::move(answer.failed);
  result.failed_and_unresolvable = std::move(answer.failed_and_unresolvable);
  return result;
}

net::Task<net::HttpResponse> filter(ExtenderService& service, const net::HttpRequest& request) {
  auto args = read_args(request.body);
  if (!args) co_return unreadable(args.error());
  auto answer = co_await service.filter(*args);
  kube::ExtenderFilterResult result;
  if (answer) {
    result = mirrored(std::move(*args), std::move(*answer));
  } else {
    result.error = std::move(answer.error().message);
  }
  co_return json_response(200, kube::write_filter_result(result));
}

net::Task<net::HttpResponse> prioritize(ExtenderService& service, const net::HttpRequest& request) {
  auto args = read_args(request.body);
  if (!args) co_return unreadable(args.error());
  auto answer = co_await service.prioritize(*args);
  if (!answer) co_return failed(answer.error());
  co_return json_response(200, kube::write_priorities(*answer));
}

net::Task<net::HttpResponse> preempt(ExtenderService& service, const net::HttpRequest& request) {
  auto args = kube::read_preemption_args(request.body);
  if (!args) co_return unreadable(args.error());
  auto answer = co_await service.preempt(*args);
  if (!answer) co_return failed(answer.error());
  co_return json_response(200, kube::write_preemption_result(*answer));
}

net::Task<net::HttpResponse> bind(ExtenderService& service, const net::HttpRequest& request) {
  auto args = kube::read_binding_args(request.body);
  if (!args) co_return unreadable(args.error());
  auto bound = co_await service.bind(*args);
  std::string error;
  if (!bound) error = std::move(bound.error().message);
  co_return json_response(200, kube::write_binding_result(error));
}

}  // namespace

std::vector<std::string> node_names_of(const kube::ExtenderArgs& args) {
  if (args.node_names) return *args.node_names;
  std::vector<std::string> names;
  if (!args.nodes) return names;
  names.reserve(args.nodes->size());
  for (const auto& one : *args.nodes) names.push_back(one.node->metadata().name());
  return names;
}

void add_extender_routes(Server& server, ExtenderService& service) {
  using Verb = net::Task<net::HttpResponse> (*)(ExtenderService&, const net::HttpRequest&);
  const std::pair<const char*, Verb> verbs[] = {
      {"/extender/filter", filter},
      {"/extender/prioritize", prioritize},
      {"/extender/preempt", preempt},
      {"/extender/bind", bind},
  };
  for (const auto& [path, answer] : verbs) {
    Route route;
    route.path = path;
    route.methods = {"POST"};
    route.access = Access::Extender;
    route.handle = [&service, verb = answer](const net::HttpRequest& request, const RequestTarget&) {
      return verb(service, request);
    };
    server.add_route(std::move(route));
  }
}

}  // namespace rescheduler::server
