#include "cluster/resource_list.h"

#include <algorithm>

namespace rescheduler::cluster {
namespace {

auto place_of(auto& others, Symbol name) {
  return std::ranges::lower_bound(others, name, {}, [](const auto& other) { return other.first; });
}

}  // namespace

std::int64_t ResourceList::other(Symbol name) const {
  const auto place = place_of(others, name);
  return place == others.end() || place->first != name ? 0 : place->second;
}

void ResourceList::set_other(Symbol name, std::int64_t amount) {
  const auto place = place_of(others, name);
  if (place == others.end() || place->first != name) {
    others.emplace(place, name, amount);
  } else {
    place->second = amount;
  }
}

bool ResourceList::falls_short_of(const ResourceList& more) const {
  if (cpu < more.cpu || memory < more.memory || ephemeral_storage < more.ephemeral_storage) return true;
  return std::ranges::any_of(more.others, [&](const auto& entry) { return other(entry.first) < entry.second; });
}

ResourceList& ResourceList::operator+=(const ResourceList& added) {
  cpu += added.cpu;
  memory += added.memory;
  ephemeral_storage += added.ephemeral_storage;
  for (const auto& [name, amount] : added.others) set_other(name, other(name) + amount);
  return *this;
}

ResourceList& ResourceList::operator-=(const ResourceList& taken) {
  cpu -= taken.cpu;
  memory -= taken.memory;
  ephemeral_storage -= taken.ephemeral_storage;
  for (const auto& [name, amount] : taken.others) set_other(name, other(name) - amount);
  return *this;
}

}  // namespace rescheduler::cluster
