#include "support/listener.h"

namespace rescheduler::test {

void Listener::added(const api::ObjectMeta& meta) {
  ++notifications_;
  if (!versions_.emplace(key(meta), meta.resource_version()).second) complain("added twice", meta);
}

void Listener::updated(const api::ObjectMeta& before, const api::ObjectMeta& after) {
  ++notifications_;
  const auto known = versions_.find(key(after));
  if (known == versions_.end()) return complain("changed but never added", after);
  if (known->second != before.resource_version()) complain("changed from a version that was never told", after);
  if (before.uid() != after.uid()) complain("changed into another object", after);
  if (std::stoull(after.resource_version()) <= std::stoull(known->second)) complain("went back in time", after);
  known->second = after.resource_version();
}

void Listener::removed(const api::ObjectMeta& meta) {
  ++notifications_;
  if (versions_.erase(key(meta)) == 0) complain("removed but never there", meta);
}

void Listener::complain(const char* what, const api::ObjectMeta& meta) {
  complaints_.push_back(key(meta) + " " + what + " (version " + meta.resource_version() + ")");
}

}  // namespace rescheduler::test
