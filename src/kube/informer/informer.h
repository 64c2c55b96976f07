// Informer<T>: an up-to-date local copy of all objects of a kind, with handlers and indexes. The typed form of
// Reflector, which documents the guarantees.
//
//   Informer<api::Pod> pods(api, {}, services);
//   pods.add_handler({.added = ..., .updated = ..., .removed = ..., .synced = ...});
//   net::spawn(executor, "pods informer", pods.run());
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kube/informer/reflector.h"

namespace rescheduler::kube {

template <class T>
class Informer {
 public:
  using Ptr = std::shared_ptr<const T>;
  struct Handler {
    std::function<void(const Ptr& object)> added{};
    std::function<void(const Ptr& before, const Ptr& after)> updated{};
    std::function<void(const Ptr& object)> upserted{};  // called after added or updated; costs no decoding
    std::function<void(const Ptr& last_known)> removed{};
    std::function<void()> synced{};
  };

  Informer(Api& api, InformerSettings settings, LoopServices services)
      : reflector_(api, resource_of<T>(), std::move(settings), services) {}

  void add_index(std::string name, std::function<std::vector<std::string>(const T&)> function) {
    reflector_.add_index(std::move(name), [function = std::move(function)](const Message& object) {
      return function(static_cast<const T&>(object));
    });
  }

  void add_handler(Handler handler) {
    ObjectHandler untyped;
    if (handler.added) {
      untyped.added = [call = std::move(handler.added)](const ObjectPtr& object) { call(typed(object)); };
    }
    if (handler.updated) {
      untyped.updated = [call = std::move(handler.updated)](const ObjectPtr& before, const ObjectPtr& after) {
        call(typed(before), typed(after));
      };
    }
    if (handler.upserted) {
      untyped.upserted = [call = std::move(handler.upserted)](const ObjectPtr& object) { call(typed(object)); };
    }
    if (handler.removed) {
      untyped.removed = [call = std::move(handler.removed)](const ObjectPtr& object) { call(typed(object)); };
    }
    untyped.synced = std::move(handler.synced);
    reflector_.add_handler(std::move(untyped));
  }

  net::Task<void> run() { return reflector_.run(); }
  bool synced() const { return reflector_.synced(); }
  net::Task<Result<void>> wait_synced() { return reflector_.wait_synced(); }

  Ptr find(std::string_view ns, std::string_view name) const { return typed(reflector_.store().find(ns, name)); }
  std::size_t size() const { return reflector_.store().size(); }
  void for_each(const std::function<void(const Ptr&)>& visit) const {
    reflector_.store().for_each([&visit](const ObjectPtr& object) { visit(typed(object)); });
  }
  std::vector<Ptr> indexed(std::string_view index, std::string_view value) const {
    std::vector<Ptr> found;
    for (const ObjectPtr& object : reflector_.store().indexed(index, value)) found.push_back(typed(object));
    return found;
  }
  const Reflector& reflector() const { return reflector_; }

 private:
  static Ptr typed(const ObjectPtr& object) { return std::static_pointer_cast<const T>(object); }

  Reflector reflector_;
};

}  // namespace rescheduler::kube
