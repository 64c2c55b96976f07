// A kind of object the embedded cluster serves: its names, its message type and its rules.
//
// Kinds the product knows use the wire types of src/kube. All others - those that CustomResourceDefinitions add, and
// built-in ones nobody here looks into (roles, ingresses, the definitions themselves) - use sim::CustomObject: typed
// metadata, and the rest as JSON text, so nothing is lost. A Kind's address is its identity and stays valid as long as
// the registry lives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "kube/client/api.h"
#include "sim/status_error.h"

namespace rescheduler::sim {

class CustomObject;
struct CustomVersion;
using google::protobuf::Message;
using kube::ObjectPtr;
using MessagePtr = std::unique_ptr<Message>;

// Collects faults: faults.required("spec.containers", ""), ...
class Faults {
 public:
  void required(std::string field, std::string_view detail = {});
  void invalid(std::string field, std::string_view value, std::string_view detail);  // value as JSON: "x" quoted, 3 not
  void not_supported(std::string field, std::string_view value, const std::vector<std::string>& allowed);
  void forbidden(std::string field, std::string_view detail);
  void duplicate(std::string field, std::string_view value);
  void too_long(std::string field, int most);
  void too_many(std::string field, int count, int most);
  // Any other fault, in its own words.
  void add(std::string_view reason, std::string message, std::string field);
  // Not a fault of the object but a no of admission: 403 instead of 422.
  void deny(std::string why) { denied_ = std::move(why); }
  bool empty() const { return causes_.empty() && denied_.empty(); }
  const std::string& denied() const { return denied_; }
  std::vector<Cause> take() { return std::move(causes_); }

 private:
  std::vector<Cause> causes_;
  std::string denied_;
};
// What faults that are not empty come to: 403 if admission said no, else 422 with all of them.
StatusError refusal_of(const Kind& kind, std::string_view name, Faults faults);

// What a kind's rules may look at besides the object.
struct RuleContext {
  WallTime now;
  // Looks another object up (a PriorityClass, a Namespace); null when there is none. Group, plural, namespace, name.
  std::function<ObjectPtr(std::string_view, std::string_view, std::string_view, std::string_view)> find{};
  // Visits all objects of a kind: group, plural.
  std::function<void(std::string_view, std::string_view, const std::function<void(const Message&)>&)> each{};
};

// All optional. Metadata every kind has (names, uid, generation, timestamps, finalizers) is the server's business.
struct KindRules {
  std::function<void(Message&)> defaults;  // what decoding fills in
  // Built-in admission of new objects, before webhooks are asked: fills in what depends on other objects.
  std::function<void(Message&, const RuleContext&, Faults&)> admit;
  // After webhooks, with name and uid given: resets status, generates selectors.
  std::function<void(Message&, const RuleContext&, Faults&)> on_create;
  std::function<void(const Message& before, Message& after)> on_update;  // spec update: restores status etc.
  std::function<void(const Message& before, Message& after)>
      on_status_update;  // status update: restores everything else
  std::function<void(const Message&, Faults&)> validate;
  std::function<void(const Message& before, const Message& after, Faults&)> validate_update;
  std::function<void(const Message& before, const Message& after, Faults&)> validate_status_update;
  // Is the difference one that bumps metadata.generation? Null: the kind has no generation.
  std::function<bool(const Message& before, const Message& after)> spec_differs;
  // The fields a field selector may name beyond metadata.name and metadata.namespace; null result: not selectable.
  std::function<const std::string*(const Message&, std::string_view field, std::string& scratch)> field;
  std::vector<std::string> selectable_fields;
  // Its names are checked by this rule instead of DNS-1123 subdomain; returns a fault's text or empty.
  std::function<std::string(std::string_view name)> name_fault;
};

struct Kind {
  std::string group;  // empty: core
  std::string version;
  std::string kind;
  std::string list_kind;
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names{};
  std::vector<std::string> categories{};
  bool namespaced = false;
  const kube::ResourceType* type = nullptr;  // the wire type its objects are held in; null: sim::CustomObject
  bool custom = false;                       // added by a CustomResourceDefinition
  bool has_status = false;                   // a status subresource
  bool has_scale = false;
  std::vector<std::string> verbs{};  // empty: all of them. Some kinds cannot be stored (TokenReview): {"create"}
  KindRules rules{};
  // Set: another view of that kind's objects - core events, further versions of a custom kind. They lie on its shelf
  // and are held in its messages; object_to_json() and object_from_json() show them as this kind has them.
  const Kind* stored_as = nullptr;
  std::shared_ptr<const CustomVersion> definition{};  // of custom kinds: custom_version.h

  // Whose shelf its objects lie on.
  const Kind& stored() const { return stored_as == nullptr ? *this : *stored_as; }
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  MessagePtr make() const;  // an empty object
  // "pods", "deployments.apps": as messages name the resource.
  std::string qualified() const { return group.empty() ? plural : plural + "." + group; }
};

class KindRegistry {
 public:
  KindRegistry();  // with every built-in kind
  ~KindRegistry();
  KindRegistry(const KindRegistry&) = delete;
  KindRegistry& operator=(const KindRegistry&) = delete;

  // Null when not served. An empty version means the preferred one.
  const Kind* find(std::string_view group, std::string_view version, std::string_view plural) const;
  const Kind* find_kind(std::string_view group, std::string_view version, std::string_view kind) const;
  const Kind& of(const kube::ResourceType& type) const;  // built-in ones; anything else ends the process
  template <class T>
  const Kind& of() const {
    return of(kube::resource_of<T>());
  }
  // Every served kind, by group, version and plural; pointers stay valid for ever, also of kinds since removed.
  std::vector<const Kind*> served() const;

  // A CustomResourceDefinition was stored, changed or removed. The kinds it names are added, replaced or withdrawn;
  // a replaced kind keeps its address.
  void define(const CustomObject& definition);
  void withdraw(std::string_view group, std::string_view plural);
  // Grows with every define() and withdraw(): caches of discovery look at it.
  std::uint64_t revision() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// JSON of any object, custom ones included (their content stands at the top level, beside metadata).
std::string object_to_json(const Kind& kind, const Message& object);
// Into a fresh message of the kind. `strict`: unknown and duplicate fields are refused (fieldValidation=Strict).
ApiResult<MessagePtr> object_from_json(const Kind& kind, std::string_view text, bool strict);
// For typed messages of custom kinds (our own Migration): both ways between them and what the store holds.
ApiResult<MessagePtr> to_stored(const Kind& kind, const Message& typed);
Result<void> from_stored(const Kind& kind, const Message& stored, Message& typed);

}  // namespace rescheduler::sim
