// An informer handler that checks its notifications: no object is added twice, none is changed or removed before it is
// added, no resourceVersion repeats or goes back. At the end its versions must equal a fresh list.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kube/informer/informer.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::test {

class Listener {
 public:
  using Versions = std::map<std::string, std::string>;  // "namespace/name" -> resourceVersion

  template <class T>
  void attach(kube::Informer<T>& informer) {
    using Ptr = std::shared_ptr<const T>;
    typename kube::Informer<T>::Handler handler;
    handler.added = [this](const Ptr& object) { added(object->metadata()); };
    handler.updated = [this](const Ptr& before, const Ptr& after) { updated(before->metadata(), after->metadata()); };
    handler.removed = [this](const Ptr& object) { removed(object->metadata()); };
    handler.synced = [this] { ++synced_; };
    informer.add_handler(std::move(handler));
  }

  const Versions& versions() const { return versions_; }
  const std::vector<std::string>& violations() const { return violations_; }
  int synced() const { return synced_; }
  std::uint64_t notifications() const { return notifications_; }

  static std::string key(const api::ObjectMeta& meta) { return meta.namespace_() + "/" + meta.name(); }

 private:
  void added(const api::ObjectMeta& meta);
  void updated(const api::ObjectMeta& before, const api::ObjectMeta& after);
  void removed(const api::ObjectMeta& meta);
  void add_violation(const char* what, const api::ObjectMeta& meta);

  Versions versions_;
  std::vector<std::string> violations_;
  int synced_ = 0;
  std::uint64_t notifications_ = 0;
};

template <class T>
Listener::Versions versions_of(const std::vector<std::shared_ptr<const T>>& objects) {
  Listener::Versions versions;
  for (const auto& object : objects)
    versions[Listener::key(object->metadata())] = object->metadata().resource_version();
  return versions;
}

}  // namespace rescheduler::test
