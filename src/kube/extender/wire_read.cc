#include <algorithm>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>

#include "kube/codec/json_text.h"
#include "kube/codec/json_value.h"
#include "kube/extender/wire.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::kube {
namespace {

namespace json = boost::json;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

bool same_but_for_case(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, [](char a, char b) { return lower(a) == lower(b); });
}

std::string_view kind_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_: return "a number";
    case json::kind::string: return "a string";
    case json::kind::array: return "an array";
    case json::kind::object: return "an object";
  }
  return "something else";
}

// One value and its position. A missing value is null, as in Go.
class Place {
 public:
  Place(const json::value* value, std::string path) : value_(value), path_(std::move(path)) {}

  bool absent() const { return value_ == nullptr || value_->is_null(); }
  const json::value& value() const { return *value_; }
  const std::string& path() const { return path_; }

  Unexpected expected(std::string_view what) const {
    return fail(Errc::Invalid, "{}: expected {}, got {}", path_, what,
                value_ == nullptr ? "nothing" : kind_of(*value_));
  }
  Unexpected wrong(Error error) const { return fail(Errc::Invalid, "{}: {}", path_, error.message); }

  // Requires an object or an absent value.
  Result<Place> key(std::string_view name) const {
    const std::string path = path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
    if (absent()) return Place(nullptr, path);
    const json::object* object = value_->if_object();
    if (object == nullptr) return expected("an object");
    const json::value* found = nullptr;
    for (const auto& [key, value] : *object) {
      if (same_but_for_case({key.data(), key.size()}, name)) found = &value;
    }
    return Place(found, path);
  }

 private:
  const json::value* value_;
  std::string path_;
};

Result<std::string> read_string(const Place& place) {
  if (place.absent()) return std::string();
  const json::string* text = place.value().if_string();
  if (text == nullptr) return place.expected("a string");
  return std::string(view(*text));
}

Result<std::int64_t> read_integer(const Place& place) {
  if (place.absent()) return 0;
  const std::int64_t* number = place.value().if_int64();
  if (number == nullptr) return place.expected("a whole number of at most 63 bits");
  return *number;
}

// Read: Result<T>(const Place&)
template <class T, class Read>
Result<std::vector<T>> read_array(const Place& place, const Read& read) {
  std::vector<T> all;
  if (place.absent()) return all;
  const json::array* array = place.value().if_array();
  if (array == nullptr) return place.expected("an array");
  all.reserve(array->size());
  for (const json::value& item : *array) {
    auto one = read(Place(&item, fmt::format("{}[{}]", place.path(), all.size())));
    if (!one) return fail(std::move(one.error()));
    all.push_back(std::move(*one));
  }
  return all;
}

template <class T, class Read>
Result<std::map<std::string, T>> read_map(const Place& place, const Read& read) {
  std::map<std::string, T> all;
  if (place.absent()) return all;
  const json::object* object = place.value().if_object();
  if (object == nullptr) return place.expected("an object");
  for (const auto& [key, item] : *object) {
    const std::string name(key.data(), key.size());
    auto one = read(Place(&item, fmt::format("{}[\"{}\"]", place.path(), name)));
    if (!one) return fail(std::move(one.error()));
    all.insert_or_assign(name, std::move(*one));
  }
  return all;
}

// Like `read`, but an absent value gives nullopt.
template <class T, class Read>
Result<std::optional<T>> read_optional(const Place& place, const Read& read) {
  if (place.absent()) return std::optional<T>();
  auto one = read(place);
  if (!one) return fail(std::move(one.error()));
  return std::optional<T>(std::move(*one));
}

template <class T>
Result<std::shared_ptr<const T>> read_object(const Place& place) {
  if (place.absent()) return place.expected("an object");
  auto object = std::make_shared<T>();
  auto read = from_json_value(place.value(), *object);
  if (!read) return place.wrong(std::move(read.error()));
  return std::shared_ptr<const T>(std::move(object));
}

Result<ExtenderNode> read_node(const Place& place) {
  auto node = read_object<api::Node>(place);
  if (!node) return fail(std::move(node.error()));
  return ExtenderNode{std::move(*node), json::serialize(place.value())};
}

Result<std::vector<ExtenderNode>> read_node_list(const Place& place) {
  auto items = place.key("items");
  if (!items) return fail(std::move(items.error()));
  return read_array<ExtenderNode>(*items, read_node);
}

Result<std::vector<std::string>> read_names(const Place& place) { return read_array<std::string>(place, read_string); }
Result<NodeReasons> read_reasons(const Place& place) { return read_map<std::string>(place, read_string); }

// Reads a message; the first error ends the reading.
class Reading {
 public:
  explicit Reading(const Place& of) : of_(of) {}

  template <class T, class Read>
  void field(std::string_view name, T& into, const Read& read) {
    if (error_) return;
    auto place = of_.key(name);
    if (!place) return note(std::move(place.error()));
    auto value = read(*place);
    if (!value) return note(std::move(value.error()));
    into = std::move(*value);
  }

  template <class T>
  Result<T> done(T message) {
    if (error_) return fail(std::move(*error_));
    return message;
  }

 private:
  void note(Error error) { error_ = std::move(error); }

  const Place& of_;
  std::optional<Error> error_;
};

Result<std::string> read_uid(const Place& place) {
  auto uid = place.key("UID");
  if (!uid) return fail(std::move(uid.error()));
  return read_string(*uid);
}

Result<Victims> read_victims(const Place& place) {
  Victims victims;
  Reading reading(place);
  reading.field("Pods", victims.pods, [](const Place& pods) {
    return read_array<std::shared_ptr<const api::Pod>>(pods, read_object<api::Pod>);
  });
  reading.field("NumPDBViolations", victims.pdb_violations, read_integer);
  return reading.done(std::move(victims));
}

Result<MetaVictims> read_meta_victims(const Place& place) {
  MetaVictims victims;
  Reading reading(place);
  reading.field("Pods", victims.uids, [](const Place& pods) { return read_array<std::string>(pods, read_uid); });
  reading.field("NumPDBViolations", victims.pdb_violations, read_integer);
  return reading.done(std::move(victims));
}

Result<VictimsByNode> read_victims_by_node(const Place& place) { return read_map<Victims>(place, read_victims); }
Result<MetaVictimsByNode> read_meta_victims_by_node(const Place& place) {
  return read_map<MetaVictims>(place, read_meta_victims);
}

Result<HostPriority> read_priority(const Place& place) {
  HostPriority priority;
  Reading reading(place);
  reading.field("Host", priority.host, read_string);
  reading.field("Score", priority.score, read_integer);
  return reading.done(std::move(priority));
}

Result<ExtenderArgs> args_from(const Place& place) {
  ExtenderArgs args;
  Reading reading(place);
  reading.field("Pod", args.pod, read_object<api::Pod>);
  reading.field("Nodes", args.nodes,
                [](const Place& nodes) { return read_optional<std::vector<ExtenderNode>>(nodes, read_node_list); });
  reading.field("NodeNames", args.node_names,
                [](const Place& names) { return read_optional<std::vector<std::string>>(names, read_names); });
  return reading.done(std::move(args));
}

Result<ExtenderFilterResult> filter_result_from(const Place& place) {
  ExtenderFilterResult result;
  Reading reading(place);
  reading.field("Nodes", result.nodes,
                [](const Place& nodes) { return read_optional<std::vector<ExtenderNode>>(nodes, read_node_list); });
  reading.field("NodeNames", result.node_names,
                [](const Place& names) { return read_optional<std::vector<std::string>>(names, read_names); });
  reading.field("FailedNodes", result.failed, read_reasons);
  reading.field("FailedAndUnresolvableNodes", result.failed_and_unresolvable, read_reasons);
  reading.field("Error", result.error, read_string);
  return reading.done(std::move(result));
}

Result<ExtenderPreemptionArgs> preemption_args_from(const Place& place) {
  ExtenderPreemptionArgs args;
  Reading reading(place);
  reading.field("Pod", args.pod, read_object<api::Pod>);
  reading.field("NodeNameToVictims", args.victims,
                [](const Place& victims) { return read_optional<VictimsByNode>(victims, read_victims_by_node); });
  reading.field("NodeNameToMetaVictims", args.meta_victims, [](const Place& victims) {
    return read_optional<MetaVictimsByNode>(victims, read_meta_victims_by_node);
  });
  return reading.done(std::move(args));
}

Result<ExtenderBindingArgs> binding_args_from(const Place& place) {
  ExtenderBindingArgs args;
  Reading reading(place);
  reading.field("PodName", args.pod_name, read_string);
  reading.field("PodNamespace", args.pod_namespace, read_string);
  reading.field("PodUID", args.pod_uid, read_string);
  reading.field("Node", args.node, read_string);
  return reading.done(std::move(args));
}

template <class T, class Read>
Result<T> read_text(std::string_view text, std::string_view what, const Read& read) {
  json::monotonic_resource memory;
  auto value = parse_json(text, &memory);
  if (!value) return fail(Errc::Invalid, "{} cannot be read: {}", what, value.error().message);
  auto message = read(Place(&*value, ""));
  if (!message) return fail(Errc::Invalid, "{} cannot be read: {}", what, message.error().message);
  return message;
}

}  // namespace

Result<ExtenderArgs> read_extender_args(std::string_view text) {
  return read_text<ExtenderArgs>(text, "the extender's arguments", args_from);
}

Result<ExtenderFilterResult> read_filter_result(std::string_view text) {
  return read_text<ExtenderFilterResult>(text, "the extender's filter result", filter_result_from);
}

Result<std::vector<HostPriority>> read_priorities(std::string_view text) {
  using Priorities = std::vector<HostPriority>;
  return read_text<Priorities>(text, "the extender's list of scores",
                               [](const Place& place) { return read_array<HostPriority>(place, read_priority); });
}

Result<ExtenderPreemptionArgs> read_preemption_args(std::string_view text) {
  return read_text<ExtenderPreemptionArgs>(text, "the extender's preemption arguments", preemption_args_from);
}

Result<MetaVictimsByNode> read_preemption_result(std::string_view text) {
  return read_text<MetaVictimsByNode>(text, "the extender's preemption result", [](const Place& place) {
    MetaVictimsByNode victims;
    Reading reading(place);
    reading.field("NodeNameToMetaVictims", victims, read_meta_victims_by_node);
    return reading.done(std::move(victims));
  });
}

Result<ExtenderBindingArgs> read_binding_args(std::string_view text) {
  return read_text<ExtenderBindingArgs>(text, "the extender's binding arguments", binding_args_from);
}

Result<std::string> read_binding_result(std::string_view text) {
  return read_text<std::string>(text, "the extender's binding result", [](const Place& place) {
    std::string error;
    Reading reading(place);
    reading.field("Error", error, read_string);
    return reading.done(std::move(error));
  });
}

}  // namespace rescheduler::kube
