#include "cluster/pod_requests.h"

#include <algorithm>
#include <map>
#include <string>

#include "kube/proto/core_container.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/quantity.h"

namespace rescheduler::cluster {
namespace {

using kube::Quantity;
using List = std::map<std::string_view, Quantity>;
using Wire = google::protobuf::Map<std::string, api::Quantity>;

constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemory = std::int64_t{200} << 20;

void add(List& into, const List& added) {
  for (const auto& [name, amount] : added) into[name] += amount;
}

void raise(List& into, const List& least) {
  for (const auto& [name, amount] : least) {
    const auto [place, fresh] = into.try_emplace(name, amount);
    if (!fresh && place->second < amount) place->second = amount;
  }
}

// A quantity that the API server would reject counts as absent.
List read(const Wire& wire) {
  List list;
  for (const auto& [name, text] : wire) {
    if (const auto amount = Quantity::parse(text.string())) list.emplace(name, *amount);
  }
  return list;
}

const api::ContainerStatus* status_of(const api::Pod& pod, const api::Container& container, bool init) {
  const auto& statuses = init ? pod.status().init_container_statuses() : pod.status().container_statuses();
  const auto found = std::ranges::find(statuses, container.name(), &api::ContainerStatus::name);
  return found == statuses.end() ? nullptr : &*found;
}

bool resize_is_infeasible(const api::Pod& pod) {
  return std::ranges::any_of(pod.status().conditions(), [](const api::PodCondition& condition) {
    return condition.type() == "PodResizePending" && condition.reason() == "Infeasible";
  });
}

List container_requests(const api::Pod& pod, const api::Container& container, bool init, RequestsOf which) {
  List spec = read(container.resources().requests());
  if (which == RequestsOf::Incoming) return spec;
  const api::ContainerStatus* status = status_of(pod, container, init);
  if (status == nullptr) return spec;
  List most = resize_is_infeasible(pod) ? List{} : spec;
  raise(most, read(status->allocated_resources()));
  if (status->has_resources()) raise(most, read(status->resources().requests()));
  return most.empty() ? spec : most;
}

bool restarts_always(const api::Container& container) { return container.restart_policy() == "Always"; }

// The largest sum of requests at any one time. `each` returns the requests of a container.
template <class Each>
List aggregate(const api::PodSpec& spec, const Each& each) {
  List sum;
  for (const auto& container : spec.containers()) add(sum, each(container, false));
  List sidecars;
  List most_at_start;
  for (const auto& container : spec.init_containers()) {
    List step = each(container, true);
    if (restarts_always(container)) {
      add(sum, step);
      add(sidecars, step);
      raise(most_at_start, sidecars);
    } else {
      add(step, sidecars);
      raise(most_at_start, step);
    }
  }
  raise(sum, most_at_start);
  return sum;
}

bool may_be_pod_level(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

void replace_by_pod_level(List& sum, const List& pod_level) {
  if (std::ranges::none_of(pod_level, [](const auto& entry) { return may_be_pod_level(entry.first); })) return;
  for (const auto& [name, amount] : pod_level) {
    if (may_be_pod_level(name)) sum[name] = amount;
  }
}

List pod_level_requests(const api::Pod& pod, RequestsOf which) {
  List spec = read(pod.spec().resources().requests());
  if (which == RequestsOf::Incoming || !pod.status().has_resources() || pod.status().allocated_resources().empty()) {
    return spec;
  }
  List most = resize_is_infeasible(pod) ? List{} : spec;
  raise(most, read(pod.status().allocated_resources()));
  raise(most, read(pod.status().resources().requests()));
  return most;
}

std::int64_t milli(const List& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? 0 : found->second.milli_value();
}

std::int64_t whole(const List& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? 0 : found->second.value();
}

ResourceList to_amounts(const List& list, SymbolTable& symbols) {
  ResourceList amounts;
  for (const auto& [name, amount] : list) {
    if (name == "cpu") {
      amounts.cpu = amount.milli_value();
    } else if (name == "memory") {
      amounts.memory = amount.value();
    } else if (name == "ephemeral-storage") {
      amounts.ephemeral_storage = amount.value();
    } else if (is_counted_resource(name)) {
      amounts.set_other(symbols.intern(name), amount.value());
    }
  }
  return amounts;
}

}  // namespace

bool is_counted_resource(std::string_view name) {
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  if (name.find("kubernetes.io/") != std::string_view::npos) return true;
  return name.find('/') != std::string_view::npos && !name.starts_with("requests.");
}

PodRequests requests_of(const api::Pod& pod, RequestsOf which, SymbolTable& symbols) {
  const auto& spec = pod.spec();
  const List pod_level = pod_level_requests(pod, which);
  const List overhead = read(spec.overhead());

  List plain = aggregate(spec, [&](const api::Container& container, bool init) {
    return container_requests(pod, container, init, which);
  });
  replace_by_pod_level(plain, pod_level);
  add(plain, overhead);

  const auto with_defaults = [&](const List& unless_in) {
    return [&pod, which, unless_in](const api::Container& container, bool init) {
      List list = container_requests(pod, container, init, which);
      if (!unless_in.contains("cpu")) list.try_emplace("cpu", Quantity::from_milli(kDefaultMilliCpu));
      if (!unless_in.contains("memory")) list.try_emplace("memory", Quantity::from_value(kDefaultMemory));
      return list;
    };
  };
  List nonzero = aggregate(spec, with_defaults(pod_level));
  replace_by_pod_level(nonzero, pod_level);
  add(nonzero, overhead);
  List scored = aggregate(spec, with_defaults({}));
  add(scored, overhead);

  PodRequests requests;
  requests.plain = to_amounts(plain, symbols);
  requests.nonzero_cpu = milli(nonzero, "cpu");
  requests.nonzero_memory = whole(nonzero, "memory");
  requests.scored_cpu = milli(scored, "cpu");
  requests.scored_memory = whole(scored, "memory");
  return requests;
}

}  // namespace rescheduler::cluster
