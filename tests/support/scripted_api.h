// An Api in memory for unit tests. It has objects with resource versions and optimistic concurrency, lists by namespace
// and label, deletions and evictions with a UID precondition, failures that the test injects, and a record of all
// calls.
//
// Use it on the loop's thread only, as every Api. A test reads calls() and objects while nothing runs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/client/api.h"

namespace rescheduler::test {

class ScriptedApi final : public kube::Api {
 public:
  struct Call {
    std::string text;  // "update leases.coordination.k8s.io kube-system/l", or "GET /version"
    std::string patch;
    std::chrono::nanoseconds timeout;
    bool succeeded = false;
  };
  enum class Effect {
    None,  // the call does not reach the server
    Done,  // the server performs the call, but the answer is lost
  };

  ScriptedApi();
  ~ScriptedApi() override;

  // From the nth call on (counted from 0), `count` calls fail.
  void fail_calls(std::size_t nth, std::size_t count, Error error, Effect effect = Effect::None);
  // Runs before each call; if it returns an error, the call fails with it.
  using Hook = std::function<std::optional<Error>(const kube::ApiCall& call)>;
  void before_each(Hook hook) { hook_ = std::move(hook); }
  // A create of this resource stores nothing; the function fills the answer. For reviews, which are never stored.
  using Review = std::function<void(const kube::Message& asked, kube::Message& answer)>;
  void answer_creates_of(const kube::ResourceType& resource, Review review);
  void serve_text(std::string path, Result<std::string> text) {
    texts_.insert_or_assign(std::move(path), std::move(text));
  }

  const std::vector<Call>& calls() const { return calls_; }
  std::vector<std::string> accepted() const { return accepts_; }  // media types of get_text calls

  template <class T>
  std::optional<T> find(const std::string& ns, const std::string& name) const {
    const kube::Message* object = find_object(kube::resource_of<T>(), ns, name);
    if (object == nullptr) return std::nullopt;
    return static_cast<const T&>(*object);
  }
  template <class T>
  std::vector<T> all() const {
    std::vector<T> typed;
    for (const kube::Message* object : objects_of(kube::resource_of<T>()))
      typed.push_back(static_cast<const T&>(*object));
    return typed;
  }
  void put(const kube::Message& object);  // as a write of another client
  void erase(const kube::ResourceType& resource, const std::string& ns, const std::string& name);

  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override;
  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override;
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override;
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override;

 private:
  struct Failure {
    std::size_t first, end;
    Error error;
    Effect effect;
  };
  using Key = std::string;  // plural.group/namespace/name
  static Key key_of(const kube::ResourceType& resource, const std::string& ns, const std::string& name);

  const kube::Message* find_object(const kube::ResourceType& resource,
                                   const std::string& ns,
                                   const std::string& name) const;
  std::vector<const kube::Message*> objects_of(const kube::ResourceType& resource) const;
  const Failure* failure_of(std::size_t call) const;
  Result<void> perform(const kube::ApiCall& call, kube::Message* answer);
  Result<void> create(const kube::ApiCall& call, kube::Message* answer);
  Result<void> update(const kube::ApiCall& call, kube::Message* answer);
  Result<void> remove(const kube::ApiCall& call, const kube::Message& options);
  const kube::Message& store(const kube::ResourceType& resource, const kube::Message& object, std::string uid);

  std::map<Key, std::unique_ptr<kube::Message>> objects_;
  std::map<const kube::ResourceType*, Review> reviews_;
  std::map<std::string, Result<std::string>> texts_;
  std::vector<Failure> failures_;
  Hook hook_;
  std::vector<Call> calls_;
  std::vector<std::string> accepts_;
  int version_ = 0;
};

}  // namespace rescheduler::test
