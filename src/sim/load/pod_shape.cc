#include "sim/load/pod_shape.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/quantity.h"
#include "sim/load/series.h"
#include "sim/names.h"

namespace rescheduler::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

template <class Map>
std::string_view text_of(const Map& map, std::string_view key) {
  const auto found = map.find(std::string(key));
  if (found == map.end()) return {};
  if constexpr (requires { found->second.string(); }) {
    return found->second.string();
  } else {
    return found->second;
  }
}

std::int64_t amount(std::string_view text, int scale) {
  if (text.empty()) return 0;
  const auto quantity = kube::Quantity::parse(text);
  return quantity && quantity->sign() > 0 ? quantity->scaled_value(scale) : 0;
}

template <class Visit>
void for_each_lasting_container(const api::PodSpec& spec, const Visit& visit) {
  for (const api::Container& container : spec.init_containers())
    if (container.restart_policy() == "Always") visit(container);
  for (const api::Container& container : spec.containers()) visit(container);
}

// All inputs of the shape as text.
std::string key_of(const api::Pod& pod) {
  std::string key;
  const auto add = [&key](std::string_view text) {
    key.append(text);
    key.push_back('\n');
  };
  add(text_of(pod.metadata().annotations(), kCpuProfile));
  add(text_of(pod.metadata().annotations(), kMemoryProfile));
  for_each_lasting_container(pod.spec(), [&add](const api::Container& container) {
    add(container.name());
    for (const std::string_view resource : {"cpu", "memory"}) {
      add(text_of(container.resources().requests(), resource));
      add(text_of(container.resources().limits(), resource));
    }
  });
  return key;
}

// Parts of a million by weight, equal without weights; their sum is exactly one million.
template <class Member>
void set_parts(std::vector<ContainerShape>& containers, std::vector<std::int64_t> weights, Member part) {
  std::int64_t total = 0;
  for (const std::int64_t weight : weights) total += weight;
  if (total == 0) {
    std::ranges::fill(weights, 1);
    total = static_cast<std::int64_t>(weights.size());
  }
  std::int64_t given = 0;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const double share = static_cast<double>(weights[i]) / static_cast<double>(total);
    containers[i].*part = static_cast<std::int64_t>(share * kMillion);
    given += containers[i].*part;
  }
  if (!containers.empty()) containers.front().*part += kMillion - given;
}

}  // namespace

PodShapes::PodShapes(SeriesLibrary& library, DefaultLoad defaults) : library_(library), defaults_(std::move(defaults)) {
  for (const auto& [text, resource] : {std::pair{std::string_view(defaults_.cpu), LoadResource::Cpu},
                                       std::pair{std::string_view(defaults_.memory), LoadResource::Memory}}) {
    const auto parsed = Profile::parse(text, resource, library_);
    RESCHEDULER_CHECK(parsed.has_value(), "the default load must be readable: {}", parsed.error().message);
  }
}

std::shared_ptr<const Profile> PodShapes::profile(std::string_view text, LoadResource resource, std::string& fault) {
  const bool cpu = resource == LoadResource::Cpu;
  if (text.empty()) text = cpu ? defaults_.cpu : defaults_.memory;
  auto& known = profiles_[cpu ? 0 : 1];
  auto found = known.find(text);
  if (found == known.end()) {
    auto parsed = Profile::parse(text, resource, library_);
    Parsed entry;
    if (parsed) {
      entry.profile = std::make_shared<const Profile>(std::move(*parsed));
    } else {
      entry.fault = parsed.error().message;
      std::string none;
      entry.profile = profile({}, resource, none);
    }
    found = known.emplace(text, std::move(entry)).first;
  }
  if (fault.empty()) fault = found->second.fault;
  return found->second.profile;
}

std::shared_ptr<const PodShape> PodShapes::of(const api::Pod& pod) {
  std::string key = key_of(pod);
  if (const auto known = shapes_.find(key); known != shapes_.end()) {
    if (auto alive = known->second.lock()) return alive;
  }
  auto shape = std::make_shared<PodShape>();
  shape->cpu = profile(text_of(pod.metadata().annotations(), kCpuProfile), LoadResource::Cpu, shape->fault);
  shape->memory = profile(text_of(pod.metadata().annotations(), kMemoryProfile), LoadResource::Memory, shape->fault);
  std::vector<std::int64_t> cpu;
  std::vector<std::int64_t> memory;
  bool unlimited = false;
  for_each_lasting_container(pod.spec(), [&](const api::Container& container) {
    const auto& resources = container.resources();
    const std::int64_t cpu_limit = amount(text_of(resources.limits(), "cpu"), -6);
    ContainerShape& added = shape->containers.emplace_back();
    added.name = container.name();
    added.memory_limit = amount(text_of(resources.limits(), "memory"), 0);
    cpu.push_back(amount(text_of(resources.requests(), "cpu"), -6));
    memory.push_back(amount(text_of(resources.requests(), "memory"), 0));
    shape->cpu_request += cpu.back();
    shape->memory_request += memory.back();
    shape->cpu_limit += cpu_limit;
    unlimited = unlimited || cpu_limit == 0;
    shape->memory_limited = shape->memory_limited || added.memory_limit > 0;
  });
  if (unlimited) shape->cpu_limit = 0;
  shape->cpu_base = shape->cpu_request > 0 ? shape->cpu_request : defaults_.cpu_without_request;
  shape->memory_base = shape->memory_request > 0 ? shape->memory_request : defaults_.memory_without_request;
  set_parts(shape->containers, std::move(cpu), &ContainerShape::cpu_ppm);
  set_parts(shape->containers, std::move(memory), &ContainerShape::memory_ppm);
  if (shapes_.size() >= sweep_at_) {  // annotations can make every pod a different shape: drop unused shapes
    std::erase_if(shapes_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = std::max<std::size_t>(1024, 2 * shapes_.size());
  }
  shapes_[std::move(key)] = shape;
  return shape;
}

}  // namespace rescheduler::sim
