// The embedded API server: Kubernetes' rules for objects, on top of the store. It has no wire format and no coroutines;
// the frontends (src/sim/frontend) add them.
//
// A write has two halves, so that admission webhooks can run in between. prepare_*() reads the object, applies defaults
// and checks preconditions. commit() validates, checks for conflicts and stores. create(), update() and patch() do both
// at once; controllers and kubelets use them. Only the creation of pods must use submit_create(), because of webhooks.
//
// Belongs to one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "kube/client/api.h"
#include "sim/kinds/kind.h"
#include "sim/server/access.h"
#include "sim/server/requests.h"
#include "sim/server/watch.h"
#include "sim/store/store.h"
#include "sim/time/agenda.h"

namespace rescheduler::api {
class Binding;
class DeleteOptions;
class Eviction;
class ObjectMeta;
class Scale;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// Parses a resourceVersion from a client.
ApiResult<std::uint64_t> parse_version(std::string_view text);

// A write that is complete except for admission.
struct PendingWrite {
  enum class Operation { Create, Update };
  Operation operation = Operation::Create;
  const Kind* kind = nullptr;
  std::string subresource{};
  VersionPtr before{};  // Update only
  MessagePtr object{};
  std::string managed_fields{};
  bool applied = false;  // server-side apply: managed_fields is already updated
  WriteContext context{};
};

// Can change or reject a write before it is stored: the webhook caller. The answer comes at once, or later on the same
// thread.
class Admission {
 public:
  virtual ~Admission() = default;
  virtual bool concerns(const PendingWrite& pending_write) = 0;
  using Done = std::function<void(ApiResult<PendingWrite>)>;
  virtual void review(PendingWrite pending_write, Done done) = 0;
};

struct Removed {
  ObjectPtr object;   // the last state, or the current state of a terminating object
  bool gone = false;  // false: finalizers, a grace period or dependents delay the deletion
};

struct Patch {
  kube::PatchKind kind{};
  std::string_view text{};
};

class Server {
 public:
  Server(Agenda& agenda, Rng rng, StoreSettings settings = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Store& store() { return store_; }
  const Store& store() const { return store_; }
  KindRegistry& kinds() { return kinds_; }
  const KindRegistry& kinds() const { return kinds_; }
  Agenda& agenda() { return agenda_; }
  // Objects of this kind are not stored but computed on request (metrics.k8s.io): list and get only.
  using Provider = std::function<std::vector<ObjectPtr>(std::string_view ns)>;
  void provide(const Kind& kind, Provider provider);
  void set_admission(Admission* admission) { admission_ = admission; }
  Admission* admission() const { return admission_; }
  // Without a table every token belongs to an administrator.
  void set_access(AccessTable table) { access_ = std::move(table); }
  const std::optional<AccessTable>& access() const { return access_; }

  ApiResult<VersionPtr> get(const Kind& kind, std::string_view ns, std::string_view name) const;
  ApiResult<Listing> list(const Kind& kind, const ListQuery& query) const;
  ApiResult<std::unique_ptr<Watch>> watch(const Kind& kind, const WatchQuery& query);

  ApiResult<PendingWrite> prepare_create(const Kind& kind,
                                         std::string_view ns,
                                         MessagePtr object,
                                         WriteContext context) const;
  // subresource: "", "status", or another subresource that is written as the whole object, such as "resize".
  ApiResult<PendingWrite> prepare_update(const Kind& kind,
                                         std::string_view ns,
                                         std::string_view name,
                                         std::string_view subresource,
                                         MessagePtr object,
                                         WriteContext context) const;
  // An apply patch for an object that does not exist prepares its creation.
  ApiResult<PendingWrite> prepare_patch(const Kind& kind,
                                        std::string_view ns,
                                        std::string_view name,
                                        std::string_view subresource,
                                        const Patch& patch,
                                        WriteContext context) const;
  // Returns the stored version; for a dry run, the version that would have been stored.
  ApiResult<VersionPtr> commit(PendingWrite pending_write);

  ApiResult<VersionPtr> create(const Kind& kind, std::string_view ns, MessagePtr object, WriteContext context = {});
  ApiResult<VersionPtr> update(const Kind& kind,
                               std::string_view ns,
                               std::string_view name,
                               std::string_view subresource,
                               MessagePtr object,
                               WriteContext context = {});
  ApiResult<VersionPtr> patch(const Kind& kind,
                              std::string_view ns,
                              std::string_view name,
                              std::string_view subresource,
                              const Patch& patch,
                              WriteContext context = {});
  ApiResult<Removed> remove(const Kind& kind,
                            std::string_view ns,
                            std::string_view name,
                            const api::DeleteOptions& options,
                            bool dry_run = false);
  // Calls `remove` for each listed object. Returns the objects that are terminating or deleted.
  ApiResult<std::vector<ObjectPtr>> remove_collection(const Kind& kind,
                                                      const ListQuery& query,
                                                      const api::DeleteOptions& options,
                                                      bool dry_run = false);

  // Calls the admission if it concerns this write, else commits at once. `done` is called exactly once, perhaps before
  // the function returns.
  void submit_create(const Kind& kind,
                     std::string_view ns,
                     MessagePtr object,
                     WriteContext context,
                     std::function<void(ApiResult<VersionPtr>)> done);

  void submit(PendingWrite pending_write, std::function<void(ApiResult<VersionPtr>)> done);

  // Subresources with their own request type.
  ApiResult<void> bind(std::string_view ns, std::string_view pod, const api::Binding& binding, bool dry_run = false);
  ApiResult<void> evict(std::string_view ns, std::string_view pod, const api::Eviction& eviction, bool dry_run = false);
  ApiResult<api::Scale> scale_of(const Kind& kind, std::string_view ns, std::string_view name) const;
  ApiResult<api::Scale> set_scale(const Kind& kind,
                                  std::string_view ns,
                                  std::string_view name,
                                  const api::Scale& scale,
                                  WriteContext context = {});

  // --- typed, for controllers and kubelets ---

  template <class T>
  std::shared_ptr<const T> find(std::string_view ns, std::string_view name) const {
    const VersionPtr version = store_.find(kinds_.of<T>(), ns, name);
    return version ? version->as<T>() : nullptr;
  }
  template <class T>
  ApiResult<std::shared_ptr<const T>> create(T object, WriteContext context = {}) {
    std::string ns = object.metadata().namespace_();
    return typed<T>(create(kinds_.of<T>(), ns, std::make_unique<T>(std::move(object)), std::move(context)));
  }
  // Reads, changes and writes in one step: no conflict is possible. Writes nothing if nothing changed.
  template <class T>
  ApiResult<std::shared_ptr<const T>> modify(std::string_view ns,
                                             std::string_view name,
                                             const std::function<void(T&)>& change,
                                             std::string_view subresource = {},
                                             WriteContext context = {}) {
    return typed<T>(modify_message(
        kinds_.of<T>(), ns, name, subresource, [&change](Message& object) { change(static_cast<T&>(object)); },
        std::move(context)));
  }
  template <class T>
  ApiResult<std::shared_ptr<const T>> modify_status(std::string_view ns,
                                                    std::string_view name,
                                                    const std::function<void(T&)>& change,
                                                    WriteContext context = {}) {
    return modify<T>(ns, name, change, "status", std::move(context));
  }

  std::string new_uid();                         // from the seeded generator
  std::string new_suffix(int length = 5) const;  // for generated names: letters and digits that form no words

 private:
  template <class T>
  static ApiResult<std::shared_ptr<const T>> typed(ApiResult<VersionPtr> version) {
    if (!version) return refuse(std::move(version.error()));
    return (*version)->template as<T>();
  }
  ApiResult<VersionPtr> modify_message(const Kind& kind,
                                       std::string_view ns,
                                       std::string_view name,
                                       std::string_view subresource,
                                       const std::function<void(Message&)>& change,
                                       WriteContext context);
  RuleContext rule_context() const;
  ApiResult<void> namespace_takes(const Kind& kind, std::string_view ns, std::string_view name) const;
  ApiResult<void> name_it(const Kind& kind, api::ObjectMeta& metadata) const;
  ApiResult<VersionPtr> commit_create(PendingWrite pending_write);
  ApiResult<VersionPtr> commit_update(PendingWrite pending_write);
  void note_managers(PendingWrite& pending_write, const Version& before) const;
  std::vector<VersionPtr> provided(const Provider& provider, const Kind& kind, std::string_view ns) const;
  void definition_changed(const Change& change);
  void erase_all(const Kind& kind);

  Agenda& agenda_;
  mutable Rng rng_;
  KindRegistry kinds_;
  Store store_;
  Admission* admission_ = nullptr;
  std::optional<AccessTable> access_;
  std::unordered_map<const Kind*, Provider> providers_;
  std::unique_ptr<Store::Subscription> definitions_;
};

}  // namespace rescheduler::sim
