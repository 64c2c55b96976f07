#include "scheduler/extender/extender_client.h"

#include <algorithm>
#include <unordered_map>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::scheduler {
namespace {

template <class Quantities>
bool asks_for(const Quantities& quantities, const std::vector<config::ManagedResource>& resources) {
  return std::ranges::any_of(
      resources, [&quantities](const config::ManagedResource& one) { return quantities.contains(one.name); });
}

template <class Containers>
bool any_asks_for(const Containers& containers, const std::vector<config::ManagedResource>& resources) {
  return std::ranges::any_of(containers, [&resources](const auto& container) {
    return asks_for(container.resources().requests(), resources) || asks_for(container.resources().limits(), resources);
  });
}

kube::MetaVictimsByNode by_uid(const kube::VictimsByNode& victims) {
  kube::MetaVictimsByNode meta;
  for (const auto& [node, on_node] : victims) {
    auto& of_node = meta[node];
    of_node.pdb_violations = on_node.pdb_violations;
    for (const PodPtr& pod : on_node.pods) of_node.uids.push_back(pod->metadata().uid());
  }
  return meta;
}

Result<kube::VictimsByNode> found(const kube::MetaVictimsByNode& meta, const PodLookup& lookup) {
  kube::VictimsByNode victims;
  for (const auto& [node, on_node] : meta) {
    auto& of_node = victims[node];
    of_node.pdb_violations = on_node.pdb_violations;
    for (const std::string& uid : on_node.uids) {
      PodPtr pod = lookup(node, uid);
      if (!pod)
        return fail(Errc::Invalid, "the extender names pod {} as a victim on node {}, but the pod is not on this node",
                    uid, node);
      of_node.pods.push_back(std::move(pod));
    }
  }
  return victims;
}

}  // namespace

ExtenderClient::ExtenderClient(ExtenderSettings settings, std::string base_path, std::unique_ptr<net::HttpClient> http)
    : settings_(std::move(settings)), base_path_(std::move(base_path)), http_(std::move(http)) {}

Result<std::unique_ptr<ExtenderClient>> ExtenderClient::make(net::Executor executor, ExtenderSettings settings) {
  if (settings.http_timeout <= std::chrono::nanoseconds::zero()) settings.http_timeout = std::chrono::seconds{5};
  auto endpoint = endpoint_of(settings);
  if (!endpoint) return fail(std::move(endpoint.error()));
  auto http = net::make_http_client(std::move(executor), std::move(endpoint->client));
  if (!http) return fail(std::move(http.error()).within(fmt::format("extender {}", settings.url_prefix)));
  return std::unique_ptr<ExtenderClient>(
      new ExtenderClient(std::move(settings), std::move(endpoint->base_path), std::move(*http)));
}

bool ExtenderClient::is_interested(const api::Pod& pod) const {
  const auto& resources = settings_.managed_resources;
  return resources.empty() || any_asks_for(pod.spec().containers(), resources)
         || any_asks_for(pod.spec().init_containers(), resources);
}

Unexpected ExtenderClient::failure(std::string_view verb, Error error) const {
  return fail(std::move(error).within(fmt::format("extender {}: {}", name(), verb)));
}

Unexpected ExtenderClient::complaint(std::string_view verb, std::string message) const {
  return failure(verb, Error{Errc::Unavailable, std::move(message)});
}

net::Task<Result<std::string>> ExtenderClient::post(std::string verb, std::string body) {
  net::HttpRequest request;
  request.method = "POST";
  request.target = fmt::format("{}/{}", base_path_, verb);
  request.headers.set("Content-Type", "application/json");
  request.body = std::move(body);
  auto response = co_await http_->send(std::move(request), settings_.http_timeout);
  if (!response) co_return failure(verb, std::move(response.error()));
  if (response->status != 200) {
    Error error{Errc::Unavailable,
                fmt::format("the extender answered with status {} instead of 200", response->status)};
    error.http_status = response->status;
    co_return failure(verb, std::move(error));
  }
  co_return std::move(response->body);
}

kube::ExtenderArgs ExtenderClient::arguments(PodPtr pod, const std::vector<NodePtr>& nodes) const {
  kube::ExtenderArgs args;
  args.pod = std::move(pod);
  if (settings_.node_cache_capable) {
    auto& names = args.node_names.emplace();
    for (const NodePtr& node : nodes) names.push_back(node->metadata().name());
  } else {
    auto& full = args.nodes.emplace();
    for (const NodePtr& node : nodes) full.push_back(kube::ExtenderNode{node});
  }
  return args;
}

Result<ExtenderFiltered> ExtenderClient::filtered(const std::vector<NodePtr>& asked,
                                                  kube::ExtenderFilterResult result) const {
  ExtenderFiltered answer;
  answer.failed = std::move(result.failed);
  answer.failed_and_unresolvable = std::move(result.failed_and_unresolvable);
  if (settings_.node_cache_capable && result.node_names) {
    std::unordered_map<std::string_view, NodePtr> by_name;
    for (const NodePtr& node : asked) by_name.emplace(node->metadata().name(), node);
    for (const std::string& name_given : *result.node_names) {
      const auto known = by_name.find(name_given);
      if (known == by_name.end()) {
        return fail(Errc::Invalid, "the extender returned node {}, which the request did not contain", name_given);
      }
      answer.passing.push_back(known->second);
    }
  } else if (result.nodes) {
    answer.fresh = true;
    for (auto& one : *result.nodes) answer.passing.push_back(std::move(one.node));
  }
  return answer;
}

net::Task<Result<ExtenderFiltered>> ExtenderClient::filter(PodPtr pod, std::vector<NodePtr> nodes) {
  const std::string& verb = settings_.filter_verb;
  if (verb.empty()) {
    ExtenderFiltered all;
    all.passing = std::move(nodes);
    co_return all;
  }
  std::string body = kube::write_extender_args(arguments(std::move(pod), nodes));
  auto answer = co_await post(verb, std::move(body));
  if (!answer) co_return fail(std::move(answer.error()));
  auto result = kube::read_filter_result(*answer);
  if (!result) co_return failure(verb, std::move(result.error()));
  if (!result->error.empty()) co_return complaint(verb, std::move(result->error));
  auto passed = filtered(nodes, std::move(*result));
  if (!passed) co_return failure(verb, std::move(passed.error()));
  co_return passed;
}

net::Task<Result<ExtenderPriorities>> ExtenderClient::prioritize(PodPtr pod, std::vector<NodePtr> nodes) {
  const std::string& verb = settings_.prioritize_verb;
  ExtenderPriorities priorities;
  if (verb.empty()) {
    for (const NodePtr& node : nodes) priorities.scores.push_back({node->metadata().name(), 0});
    co_return priorities;
  }
  std::string body = kube::write_extender_args(arguments(std::move(pod), nodes));
  auto answer = co_await post(verb, std::move(body));
  if (!answer) co_return fail(std::move(answer.error()));
  auto scores = kube::read_priorities(*answer);
  if (!scores) co_return failure(verb, std::move(scores.error()));
  priorities.scores = std::move(*scores);
  priorities.weight = settings_.weight;
  co_return priorities;
}

net::Task<Result<kube::VictimsByNode>> ExtenderClient::process_preemption(PodPtr pod,
                                                                          kube::VictimsByNode victims,
                                                                          PodLookup lookup) {
  const std::string& verb = settings_.preempt_verb;
  if (verb.empty()) co_return fail(Errc::Invalid, "extender {} has no preemptVerb", name());
  kube::ExtenderPreemptionArgs args;
  args.pod = std::move(pod);
  if (settings_.node_cache_capable) {
    args.meta_victims = by_uid(victims);
  } else {
    args.victims = std::move(victims);
  }
  auto answer = co_await post(verb, kube::write_preemption_args(args));
  if (!answer) co_return fail(std::move(answer.error()));
  auto meta = kube::read_preemption_result(*answer);
  if (!meta) co_return failure(verb, std::move(meta.error()));
  auto remaining = found(*meta, lookup);
  if (!remaining) co_return failure(verb, std::move(remaining.error()));
  co_return remaining;
}

net::Task<Result<void>> ExtenderClient::bind(kube::ExtenderBindingArgs args) {
  const std::string& verb = settings_.bind_verb;
  if (verb.empty()) co_return fail(Errc::Invalid, "extender {} has no bindVerb", name());
  auto answer = co_await post(verb, kube::write_binding_args(args));
  if (!answer) co_return fail(std::move(answer.error()));
  auto refused = kube::read_binding_result(*answer);
  if (!refused) co_return failure(verb, std::move(refused.error()));
  if (!refused->empty()) co_return complaint(verb, std::move(*refused));
  co_return Result<void>{};
}

}  // namespace rescheduler::scheduler
