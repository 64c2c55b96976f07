#include "support/listener.h"

namespace rescheduler::test {

void Listener::added(const api::ObjectMeta& meta) {
  ++notifications_;
  if (!versions_.emplace(key(meta), meta.resource_version()).second) add_violation("added twice", meta);
}

void Listener::updated(const api::ObjectMeta& before, const api::ObjectMeta& after) {
  ++notifications_;
  const auto known = versions_.find(key(after));
  if (known == versions_.end()) return add_violation("changed but never added", after);
  if (known->second != before.resource_version()) add_violation("changed from a version that was not delivered", after);
  if (before.uid() != after.uid()) add_violation("changed into another object", after);
  if (std::stoull(after.resource_version()) <= std::stoull(known->second))
    add_violation("changed without a newer resourceVersion", after);
  known->second = after.resource_version();
}

void Listener::removed(const api::ObjectMeta& meta) {
  ++notifications_;
  if (versions_.erase(key(meta)) == 0) add_violation("removed but never added", meta);
}

void Listener::add_violation(const char* what, const api::ObjectMeta& meta) {
  violations_.push_back(key(meta) + " " + what + " (version " + meta.resource_version() + ")");
}

}  // namespace rescheduler::test
