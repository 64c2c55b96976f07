// A cache whose entries expire. Its size is bounded: when the cache is full, a new entry replaces the oldest one.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"

namespace rescheduler::server {

template <class T>
class ExpiringCache {
 public:
  ExpiringCache(const Clock& clock, std::size_t most) : clock_(clock), most_(most) {}

  std::optional<T> find(const std::string& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    if (clock_.steady_now() < found->second->ends) return found->second->value;
    erase(found->second);
    return std::nullopt;
  }

  void put(const std::string& key, T value, std::chrono::nanoseconds good_for) {
    if (const auto found = by_key_.find(key); found != by_key_.end()) erase(found->second);
    if (entries_.size() >= most_ && !entries_.empty()) erase(entries_.begin());
    entries_.push_back(Entry{key, std::move(value), clock_.steady_now() + good_for});
    by_key_.emplace(key, std::prev(entries_.end()));
  }

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    T value;
    SteadyTime ends;
  };

  void erase(typename std::list<Entry>::iterator entry) {
    by_key_.erase(entry->key);
    entries_.erase(entry);
  }

  const Clock& clock_;
  std::size_t most_;
  std::list<Entry> entries_;  // oldest first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> by_key_;
};

}  // namespace rescheduler::server
