// A kind of object that the embedded cluster serves: its names, its message type and its rules.
//
// Kinds that the product knows use the wire types of src/kube. All other kinds use sim::CustomObject: typed metadata,
// and the rest as JSON text, so nothing is lost. These are the kinds that CustomResourceDefinitions add, and built-in
// kinds whose content the cluster does not use (roles, ingresses, CustomResourceDefinitions). The address of a Kind is
// its identity and is valid as long as the registry.
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
  void invalid(std::string field, std::string_view value, std::string_view detail);  // value as JSON: "x", 3
  void not_supported(std::string field, std::string_view value, const std::vector<std::string>& allowed);
  void forbidden(std::string field, std::string_view detail);
  void duplicate(std::string field, std::string_view value);
  void too_long(std::string field, int most);
  void too_many(std::string field, int count, int most);
  // Any other fault, with its own reason and message.
  void add(std::string_view reason, std::string message, std::string field);
  // Admission rejects the object: 403 instead of 422.
  void deny(std::string why) { denied_ = std::move(why); }
  bool empty() const { return causes_.empty() && denied_.empty(); }
  const std::string& denied() const { return denied_; }
  std::vector<Cause> take() { return std::move(causes_); }

 private:
  std::vector<Cause> causes_;
  std::string denied_;
};
// The error for faults that are not empty: 403 if admission rejected the object, else 422 with all faults.
StatusError refusal_of(const Kind& kind, std::string_view name, Faults faults);

// What the rules of a kind can read besides the object.
struct RuleContext {
  WallTime now;
  // Finds another object (a PriorityClass, a Namespace) by group, plural, namespace and name; null if there is none.
  std::function<ObjectPtr(std::string_view, std::string_view, std::string_view, std::string_view)> find{};
  // Visits all objects of a kind, given by group and plural.
  std::function<void(std::string_view, std::string_view, const std::function<void(const Message&)>&)> each{};
};

// Every rule is optional. The server handles the metadata of all kinds: names, uid, generation, timestamps, finalizers.
struct KindRules {
  std::function<void(Message&)> defaults;  // the defaults that decoding sets
  // Built-in admission of new objects, before webhooks: sets fields that depend on other objects.
  std::function<void(Message&, const RuleContext&, Faults&)> admit;
  // Runs after webhooks, when name and uid are set: resets status, generates selectors.
  std::function<void(Message&, const RuleContext&, Faults&)> on_create;
  std::function<void(const Message& before, Message& after)> on_update;  // spec update: restores status etc.
  std::function<void(const Message& before, Message& after)>
      on_status_update;  // status update: restores everything except status
  std::function<void(const Message&, Faults&)> validate;
  std::function<void(const Message& before, const Message& after, Faults&)> validate_update;
  std::function<void(const Message& before, const Message& after, Faults&)> validate_status_update;
  // Whether the difference increments metadata.generation. Null: the kind has no generation.
  std::function<bool(const Message& before, const Message& after)> spec_differs;
  // The fields that a field selector can name besides metadata.name and metadata.namespace. Null result: not
  // selectable.
  std::function<const std::string*(const Message&, std::string_view field, std::string& scratch)> field;
  std::vector<std::string> selectable_fields;
  // Checks names instead of the DNS-1123 subdomain rule. Returns the message of the fault, or empty.
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
  const kube::ResourceType* type = nullptr;  // the wire type of its objects; null: sim::CustomObject
  bool custom = false;                       // added by a CustomResourceDefinition
  bool has_status = false;                   // has a status subresource
  bool has_scale = false;
  std::vector<std::string> verbs{};  // empty: all verbs. Some kinds cannot be stored (TokenReview): {"create"}
  KindRules rules{};
  // If set, this kind is a view of that kind's objects: core events, or another version of a custom kind. The store
  // keeps the objects as that kind. object_to_json() and object_from_json() convert them to and from this kind.
  const Kind* stored_as = nullptr;
  std::shared_ptr<const CustomVersion> definition{};  // custom kinds only: custom_version.h

  // The kind under which the store keeps the objects.
  const Kind& stored() const { return stored_as == nullptr ? *this : *stored_as; }
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  MessagePtr make() const;  // an empty object
  // "pods", "deployments.apps": the resource as error messages name it.
  std::string qualified() const { return group.empty() ? plural : plural + "." + group; }
};

class KindRegistry {
 public:
  KindRegistry();  // with every built-in kind
  ~KindRegistry();
  KindRegistry(const KindRegistry&) = delete;
  KindRegistry& operator=(const KindRegistry&) = delete;

  // Null if the kind is not served. An empty version means the preferred version.
  const Kind* find(std::string_view group, std::string_view version, std::string_view plural) const;
  const Kind* find_kind(std::string_view group, std::string_view version, std::string_view kind) const;
  const Kind& of(const kube::ResourceType& type) const;  // built-in kinds only; any other type ends the process
  template <class T>
  const Kind& of() const {
    return of(kube::resource_of<T>());
  }
  // Every served kind, by group, version and plural. Pointers stay valid as long as the registry, also those of removed
  // kinds.
  std::vector<const Kind*> served() const;

  // The server calls these when a CustomResourceDefinition was stored, changed or deleted. They add, replace or remove
  // its kinds. A replaced kind keeps its address.
  void define(const CustomObject& definition);
  void withdraw(std::string_view group, std::string_view plural);
  // Grows with every define() and withdraw(), so that caches of discovery documents can detect a change.
  std::uint64_t revision() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// JSON of any object. The content of a custom object is at the top level, beside metadata.
std::string object_to_json(const Kind& kind, const Message& object);
// Returns a new message of the kind. `strict` rejects unknown and duplicate fields (fieldValidation=Strict).
ApiResult<MessagePtr> object_from_json(const Kind& kind, std::string_view text, bool strict);
// Converts typed messages of custom kinds (such as the product's Migration) to and from the form in the store.
ApiResult<MessagePtr> to_stored(const Kind& kind, const Message& typed);
Result<void> from_stored(const Kind& kind, const Message& stored, Message& typed);

}  // namespace rescheduler::sim
