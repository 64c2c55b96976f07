#include "sim/patch/field_set.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "kube/codec/json_text.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

int rank(const PathScalar& scalar) {
  if (std::holds_alternative<std::monostate>(scalar)) return 3;
  if (std::holds_alternative<bool>(scalar)) return 2;
  return std::holds_alternative<std::string>(scalar) ? 1 : 0;
}

template <class T>
int order(const T& left, const T& right) {
  if (left < right) return -1;
  return right < left ? 1 : 0;
}

double number(const PathScalar& scalar) {
  const auto* integer = std::get_if<std::int64_t>(&scalar);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(scalar);
}

int order_of(const PathScalar& left, const PathScalar& right) {
  if (rank(left) != rank(right)) return order(rank(left), rank(right));
  switch (rank(left)) {
    case 0: break;
    case 1: return order(std::get<std::string>(left), std::get<std::string>(right));
    case 2: return order(std::get<bool>(left), std::get<bool>(right));
    default: return 0;
  }
  const auto* one = std::get_if<std::int64_t>(&left);
  const auto* two = std::get_if<std::int64_t>(&right);
  return one != nullptr && two != nullptr ? order(*one, *two) : order(number(left), number(right));
}

int order_of(const std::vector<PathKey>& left, const std::vector<PathKey>& right) {
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (const int names = order(left[i].name, right[i].name); names != 0) return names;
    if (const int values = order_of(left[i].value, right[i].value); values != 0) return values;
  }
  return order(left.size(), right.size());
}

json::value to_value(const PathScalar& scalar) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) return *integer;
  if (const auto* real = std::get_if<double>(&scalar)) return *real;
  if (const auto* text = std::get_if<std::string>(&scalar)) return json::value(*text);
  if (const auto* flag = std::get_if<bool>(&scalar)) return *flag;
  return nullptr;
}

std::string text_of(const PathScalar& scalar) { return json::serialize(to_value(scalar)); }

std::vector<PathKey> sorted(std::vector<PathKey> keys) {
  std::ranges::sort(keys, {}, &PathKey::name);
  return keys;
}

}  // namespace

PathScalar scalar_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::bool_: return value.get_bool();
    case json::kind::int64: return value.get_int64();
    case json::kind::uint64: return static_cast<double>(value.get_uint64());
    case json::kind::double_: return value.get_double();
    case json::kind::string: return std::string(value.get_string());
    default: return std::monostate{};
  }
}

PathElement PathElement::member(std::string_view name) {
  PathElement element;
  element.name_ = name;
  return element;
}

PathElement PathElement::keyed(std::vector<PathKey> keys) {
  PathElement element;
  element.form_ = Form::Keyed;
  element.keys_ = sorted(std::move(keys));
  return element;
}

PathElement PathElement::value(PathScalar value) {
  PathElement element;
  element.form_ = Form::Value;
  element.keys_.push_back({"", std::move(value)});
  return element;
}

std::optional<PathElement> PathElement::parse(std::string_view text) {
  if (text.size() < 2 || text[1] != ':') return std::nullopt;
  const std::string_view rest = text.substr(2);
  if (text[0] == 'f') return member(rest);
  const auto parsed = kube::parse_json(rest, {});
  if (!parsed) return std::nullopt;
  if (text[0] == 'v' && !parsed->is_structured()) return value(scalar_of(*parsed));
  if (text[0] == 'i' && parsed->is_int64()) {
    PathElement element = value(parsed->get_int64());
    element.form_ = Form::Index;
    return element;
  }
  if (text[0] != 'k' || !parsed->is_object()) return std::nullopt;
  std::vector<PathKey> keys;
  for (const auto& key : parsed->get_object()) {
    if (key.value().is_structured()) return std::nullopt;
    keys.push_back({std::string(key.key()), scalar_of(key.value())});
  }
  return keyed(std::move(keys));
}

std::string PathElement::serialized() const {
  switch (form_) {
    case Form::Member: return "f:" + name_;
    case Form::Value: return "v:" + text_of(keys_.front().value);
    case Form::Index: return "i:" + text_of(keys_.front().value);
    case Form::Keyed: break;
  }
  json::object keys;
  for (const PathKey& key : keys_) keys.emplace(key.name, to_value(key.value));
  return "k:" + json::serialize(keys);
}

std::string PathElement::shown() const {
  switch (form_) {
    case Form::Member: return "." + name_;
    case Form::Value: return fmt::format("[={}]", text_of(keys_.front().value));
    case Form::Index: return fmt::format("[{}]", text_of(keys_.front().value));
    case Form::Keyed: break;
  }
  std::vector<std::string> parts;
  for (const PathKey& key : keys_) parts.push_back(key.name + "=" + text_of(key.value));
  return fmt::format("[{}]", fmt::join(parts, ","));
}

int PathElement::compare(const PathElement& other) const {
  if (form_ != other.form_) return order(form_, other.form_);
  return form_ == Form::Member ? order(name_, other.name_) : order_of(keys_, other.keys_);
}

std::string shown(const FieldPath& path) {
  std::string text;
  for (const PathElement& element : path) text += element.shown();
  return text;
}

void FieldSet::insert(const FieldPath& path) {
  if (path.empty()) return;  // no manager owns the whole object
  FieldSet* at = this;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) at = &at->children_[path[i]];
  at->members_.insert(path.back());
}

const FieldSet* FieldSet::below(const PathElement& element) const {
  const auto found = children_.find(element);
  return found == children_.end() ? nullptr : &found->second;
}

bool FieldSet::empty() const {
  return members_.empty() && std::ranges::all_of(children_, [](const auto& child) { return child.second.empty(); });
}

std::vector<FieldPath> FieldSet::paths() const {
  std::vector<FieldPath> all;
  for (const PathElement& element : members_) all.push_back({element});
  for (const auto& [element, child] : children_) {
    for (FieldPath& rest : child.paths()) {
      rest.insert(rest.begin(), element);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

void FieldSet::set_child(const PathElement& element, FieldSet child) {
  if (child.empty()) {
    children_.erase(element);
  } else {
    children_.insert_or_assign(element, std::move(child));
  }
}

FieldSet FieldSet::united(const FieldSet& other) const {
  FieldSet sum = *this;
  sum.members_.insert(other.members_.begin(), other.members_.end());
  for (const auto& [element, child] : other.children_) {
    const FieldSet* mine = below(element);
    sum.set_child(element, mine == nullptr ? child : mine->united(child));
  }
  return sum;
}

FieldSet FieldSet::shared(const FieldSet& other) const {
  FieldSet both;
  for (const PathElement& element : members_) {
    if (other.has(element)) both.members_.insert(element);
  }
  for (const auto& [element, child] : children_) {
    const FieldSet* theirs = other.below(element);
    if (theirs != nullptr) both.set_child(element, child.shared(*theirs));
  }
  return both;
}

FieldSet FieldSet::without(const FieldSet& other) const {
  FieldSet rest;
  for (const PathElement& element : members_) {
    if (!other.has(element)) rest.members_.insert(element);
  }
  for (const auto& [element, child] : children_) {
    const FieldSet* theirs = other.below(element);
    rest.set_child(element, theirs == nullptr ? child : child.without(*theirs));
  }
  return rest;
}

FieldSet FieldSet::without_trees(const FieldSet& roots) const {
  FieldSet rest;
  for (const PathElement& element : members_) {
    if (!roots.has(element)) rest.members_.insert(element);
  }
  for (const auto& [element, child] : children_) {
    if (roots.has(element)) continue;
    const FieldSet* theirs = roots.below(element);
    rest.set_child(element, theirs == nullptr ? child : child.without_trees(*theirs));
  }
  return rest;
}

void FieldSet::write(json::object& into, bool with_self) const {
  if (with_self) into.emplace(".", json::object());
  auto member = members_.begin();
  auto child = children_.begin();
  while (member != members_.end() || child != children_.end()) {
    const bool only_member = child == children_.end() || (member != members_.end() && *member < child->first);
    const bool only_child = !only_member && (member == members_.end() || child->first < *member);
    const PathElement& element = only_member ? *member : child->first;
    json::object below_it;
    if (!only_member) {
      child->second.write(below_it, !only_child);
      ++child;
    }
    if (!only_child) ++member;
    into.emplace(element.serialized(), std::move(below_it));
  }
}

json::object FieldSet::to_json() const {
  json::object fields;
  write(fields, false);
  return fields;
}

Result<void> FieldSet::read(const json::value& fields, FieldSet& into, bool& itself) {
  const json::object* object = fields.if_object();
  if (object == nullptr) return fail(Errc::Invalid, "a set of fields is not an object");
  itself = object->empty();
  for (const auto& entry : *object) {
    const std::string_view key(entry.key().data(), entry.key().size());
    if (key == ".") {
      itself = true;
      continue;
    }
    const auto element = PathElement::parse(key);
    if (!element) return fail(Errc::Invalid, "a set of fields has the unreadable path element \"{}\"", key);
    FieldSet child;
    bool child_itself = false;
    if (auto done = read(entry.value(), child, child_itself); !done) return done;
    if (child_itself) into.members_.insert(*element);
    into.set_child(*element, std::move(child));
  }
  return {};
}

Result<FieldSet> FieldSet::from_json(const json::value& fields) {
  FieldSet set;
  bool itself = false;
  if (auto done = read(fields, set, itself); !done) return fail(std::move(done.error()));
  return set;
}

}  // namespace rescheduler::sim
