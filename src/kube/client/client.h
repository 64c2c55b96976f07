// Typed calls on top of Api; most code uses this class.
//
//   auto pod = co_await client.get<api::Pod>("web", "api-0");
//   auto bound = co_await client.create_sub<api::Pod>("web", "api-0", "binding", binding);
//
// get() keeps fields that the wire types do not have, so get, change and update of built-in kinds lose nothing.
// Informers and lists drop such fields, because their objects are stored for a long time and must be small.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kube/client/api.h"

namespace rescheduler::kube {

struct WriteOptions {
  bool dry_run = false;
  std::string field_manager = "rescheduler";
  Repeat repeat = Repeat::WhenSafe;
};

struct PatchOptions {
  PatchKind kind = PatchKind::Merge;
  bool force = false;
  std::string subresource{};
  WriteOptions write{};
};

struct DeleteSettings {
  std::string uid{};  // not empty: delete only the object with this UID
  std::string resource_version{};
  std::optional<std::int64_t> grace_period_seconds{};
  std::string propagation{};  // Foreground, Background, Orphan; empty: the default of the kind
  bool dry_run = false;
};

struct ListSettings {
  std::string label_selector{};
  std::string field_selector{};
  std::uint32_t page = 500;
};

// Default options. They are named objects, because g++ 12 destroys aggregate temporaries of a co_await twice.
inline const WriteOptions kUsualWrite;
inline const PatchOptions kUsualPatch;
inline const DeleteSettings kUsualDelete;
inline const ListSettings kWholeList;

class Client {
 public:
  explicit Client(Api& api) : api_(&api) {}
  Api& api() const { return *api_; }

  template <class T>
  net::Task<Result<T>> get(std::string ns, std::string name, std::string subresource = {}) {
    ApiCall call = object_call(Verb::Get, resource_of<T>(), std::move(ns), std::move(name));
    call.subresource = std::move(subresource);
    return answer_of<T>(*api_, std::move(call));
  }

  // The namespace comes from the object's metadata, and so does the name unless the server generates it.
  template <class T>
  net::Task<Result<T>> create(T object, const WriteOptions& options = kUsualWrite) {
    ApiCall call = object_call(Verb::Create, resource_of<T>(), object.metadata().namespace_(), {});
    apply(options, call);
    return sent<T>(*api_, std::move(call), std::move(object));
  }

  // Requires the object's resourceVersion: after a concurrent change it fails with Errc::Conflict.
  template <class T>
  net::Task<Result<T>> update(T object, const WriteOptions& options = kUsualWrite, std::string subresource = {}) {
    ApiCall call =
        object_call(Verb::Update, resource_of<T>(), object.metadata().namespace_(), object.metadata().name());
    call.subresource = std::move(subresource);
    apply(options, call);
    return sent<T>(*api_, std::move(call), std::move(object));
  }

  template <class T>
  net::Task<Result<T>> patch(std::string ns,
                             std::string name,
                             std::string json,
                             const PatchOptions& options = kUsualPatch) {
    ApiCall call = object_call(Verb::Patch, resource_of<T>(), std::move(ns), std::move(name));
    call.patch = std::move(json);
    call.patch_kind = options.kind;
    call.force = options.force;
    call.subresource = options.subresource;
    apply(options.write, call);
    return answer_of<T>(*api_, std::move(call));
  }

  template <class T>
  net::Task<Result<void>> remove(std::string ns, std::string name, const DeleteSettings& settings = kUsualDelete) {
    return removed(*api_, object_call(Verb::Delete, resource_of<T>(), std::move(ns), std::move(name)), settings);
  }

  template <class T>
  net::Task<Result<void>> remove_all(std::string ns,
                                     ListSettings which,
                                     const DeleteSettings& settings = kUsualDelete) {
    ApiCall call = object_call(Verb::DeleteCollection, resource_of<T>(), std::move(ns), {});
    call.label_selector = std::move(which.label_selector);
    call.field_selector = std::move(which.field_selector);
    return removed(*api_, std::move(call), settings);
  }

  // Posts another kind to a subresource: binding, eviction. The answer is ignored.
  template <class Owner, class Body>
  net::Task<Result<void>> create_sub(std::string ns,
                                     std::string name,
                                     std::string subresource,
                                     Body body,
                                     const WriteOptions& options = kUsualWrite) {
    ApiCall call = object_call(Verb::Create, resource_of<Owner>(), std::move(ns), std::move(name));
    call.subresource = std::move(subresource);
    apply(options, call);
    return posted<Body>(*api_, std::move(call), std::move(body));
  }

  // Lists all objects page by page; starts again if the list expires meanwhile.
  template <class T>
  net::Task<Result<std::vector<std::shared_ptr<const T>>>> list(std::string ns,
                                                                const ListSettings& settings = kWholeList) {
    ApiCall call = object_call(Verb::List, resource_of<T>(), std::move(ns), {});
    return listed<T>(*api_, std::move(call), settings);
  }

  // The same for a kind that is known only at run time.
  net::Task<Result<std::vector<ObjectPtr>>> list_any(const ResourceType& resource,
                                                     std::string ns,
                                                     const ListSettings& settings = kWholeList) {
    return listed_any(*api_, object_call(Verb::List, resource, std::move(ns), {}), settings);
  }

 private:
  static ApiCall object_call(Verb verb, const ResourceType& resource, std::string ns, std::string name);
  static void apply(const WriteOptions& options, ApiCall& call);

  // The coroutines refer to the Api, not to the Client, so a Client may be a temporary.
  static net::Task<Result<void>> removed(Api& api, ApiCall call, DeleteSettings settings);
  static net::Task<Result<void>> list_all(Api& api,
                                          ApiCall call,
                                          ListSettings settings,
                                          std::vector<ObjectPtr>& objects);
  static net::Task<Result<std::vector<ObjectPtr>>> listed_any(Api& api, ApiCall call, ListSettings settings);
  template <class T>
  static net::Task<Result<std::vector<std::shared_ptr<const T>>>> listed(Api& api,
                                                                         ApiCall call,
                                                                         ListSettings settings) {
    std::vector<ObjectPtr> objects;
    auto done = co_await list_all(api, std::move(call), std::move(settings), objects);
    if (!done) co_return fail(std::move(done.error()));
    std::vector<std::shared_ptr<const T>> typed;
    typed.reserve(objects.size());
    for (auto& object : objects) typed.push_back(std::static_pointer_cast<const T>(std::move(object)));
    co_return typed;
  }
  template <class T>
  static net::Task<Result<T>> answer_of(Api& api, ApiCall call) {
    T answer;
    auto done = co_await api.call(std::move(call), &answer);
    if (!done) co_return fail(std::move(done.error()));
    co_return answer;
  }
  template <class T>
  static net::Task<Result<T>> sent(Api& api, ApiCall call, T object) {
    call.body = &object;
    T answer;
    auto done = co_await api.call(std::move(call), &answer);
    if (!done) co_return fail(std::move(done.error()));
    co_return answer;
  }
  template <class Body>
  static net::Task<Result<void>> posted(Api& api, ApiCall call, Body body) {
    call.body = &body;
    auto done = co_await api.call(std::move(call), nullptr);
    co_return done;
  }

  Api* api_;
};

}  // namespace rescheduler::kube
