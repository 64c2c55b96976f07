// A table describes the file format of a struct of settings. Each field is declared once: key, member, range, and
// meaning in both languages. All tables share the code for reading, checking, printing and the reference.
//
//   const Table& caps_table() {
//     static const Table table = table_of<MoveCaps>({
//         field<&MoveCaps::total>("total", between(0, 100'000), {"number of moves in total", "迁移总数"}),
//     });
//     return table;
//   }
//
// A rule about several fields is the check of the table: a function that is called after all fields are read.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/phrase.h"

namespace rescheduler::kube {
class YamlReader;
class YamlWriter;
}  // namespace rescheduler::kube

namespace rescheduler::config {

struct Field;
struct Table;

// Limits of a number, or of a duration in nanoseconds.
struct Limits {
  std::int64_t least = INT64_MIN;  // INT64_MIN: the limit of the C++ type
  std::int64_t most = INT64_MAX;   // INT64_MAX: the limit of the C++ type
  bool above = false;              // `least` itself is not allowed
};
constexpr Limits between(std::int64_t least, std::int64_t most) { return {least, most}; }
constexpr Limits between(std::chrono::nanoseconds least, std::chrono::nanoseconds most) {
  return {least.count(), most.count()};
}
constexpr Limits at_least(std::int64_t least) { return {.least = least}; }
constexpr Limits at_least(std::chrono::nanoseconds least) { return {.least = least.count()}; }
inline constexpr Limits kNotNegative{.least = 0};
inline constexpr Limits kPositive{.least = 0, .above = true};
inline constexpr Limits kPercentage{.least = 0, .most = 100, .above = true};

// How values of one C++ type are read, printed and described.
struct ValueType {
  std::string_view name;  // in the reference; empty: Field::type_name has it
  bool (*read)(const Field& field, kube::YamlReader& from, void* value);  // false: absent or invalid
  void (*print)(const Field& field, const void* value, kube::YamlWriter& to);
  std::string (*text)(const Field& field, const void* value);  // a default, for the reference
  std::string (*range)(const Field& field);
};

// The type of the pointer selects the overload; the pointer is null.
const ValueType& value_type(const bool* of);
const ValueType& value_type(const int* of);
const ValueType& value_type(const std::uint16_t* of);
const ValueType& value_type(const std::uint32_t* of);
const ValueType& value_type(const std::int64_t* of);
const ValueType& value_type(const double* of);
const ValueType& value_type(const std::string* of);
const ValueType& value_type(const std::vector<std::string>* of);
const ValueType& value_type(const std::chrono::nanoseconds* of);  // written 1m30s
const ValueType& value_type(const std::chrono::seconds* of);      // written as a number

struct Choice {
  std::string_view word;
  int value = 0;
};

struct Field {
  Field();  // these four are in table.cc: inlined into hundreds of fields they slow the build
  Field(const Field& other);
  Field(Field&& other) noexcept;
  ~Field();

  std::string_view key{};  // empty: the fields of `fields` are fields of this table
  Phrase meaning{};
  const ValueType* type = nullptr;                    // null: only for the reference; other code reads the field
  void* (*make)(void* object) = nullptr;              // the member to read into
  const void* (*look)(const void* object) = nullptr;  // the member to print; returns null if there is none
  Limits limits{};
  std::vector<Choice> choices{};  // values of an enumeration, or allowed items of a list of strings
  int (*get)(const void* value) = nullptr;
  void (*set)(void* value, int chosen) = nullptr;
  const Table* fields = nullptr;  // of a section, or of the elements of a list or map
  std::string_view type_name{};   // for the reference, instead of that of `type`
  std::string_view usual{};
  std::string_view range{};
  std::string_view element{};  // of a map: the placeholder for its keys in the reference
  Phrase element_meaning{};
  bool optional_value = false;
  bool must_be_given = false;
  bool zero_is_unset = false;                         // 0 or "" means the default
  bool only_changed = false;                          // printed only if it differs from the default
  std::function<bool(const void* object)> exists{};   // false: an unknown field; empty: always true
  std::function<bool(const void* object)> printed{};  // empty: always true
};

struct Table {
  std::vector<Field> fields{};
  std::function<void(kube::YamlReader& from, void* object)> check{};
  std::shared_ptr<const void> usual{};  // an object with all defaults

  void add(const Field& field);
};

// --- Use of a table. ---

// Leaves unknown fields to the caller. False: reading stopped early, because a field is missing that decides which
// other fields exist.
bool read_fields(const Table& table, kube::YamlReader& from, void* object);
void print_fields(const Table& table, const void* object, kube::YamlWriter& to);

struct ReferenceField {
  std::string section{};  // "KubeSchedulerConfiguration", or a plugin's name
  std::string path{};     // "leaderElection.leaseDuration", "load.sources[].kind"
  std::string type{};
  std::string usual{};  // the default
  std::string range{};
  Phrase meaning{};
};
void add_reference(const Table& table, std::string_view section, std::vector<ReferenceField>& into);

std::string schema_of(const Table& table);

// "a, b and c", for messages.
std::string listed(const std::vector<std::string_view>& words);
std::string listed(const std::vector<Choice>& choices);

// --- Declaration of a table. ---

// Text of the reference for a field; an empty member is derived from the type of the field.
struct Described {
  std::string_view type{};
  std::string_view usual{};
  std::string_view range{};
};

// A field of S; the type keeps fields of other structs out of the table.
template <class S>
struct FieldOf : Field {
  FieldOf&& must_be_given() && { return Field::must_be_given = true, std::move(*this); }
  FieldOf&& one_of(const std::vector<std::string_view>& words) && {  // for a list of strings; duplicates are refused
    for (const std::string_view text : words) choices.push_back({text});
    return std::move(*this);
  }
  FieldOf&& zero_is_unset() && { return Field::zero_is_unset = true, std::move(*this); }
  FieldOf&& described(Described with) && {
    type_name = with.type;
    usual = with.usual;
    range = with.range;
    return std::move(*this);
  }
  FieldOf&& only_changed() && { return Field::only_changed = true, std::move(*this); }
  template <class When>
  FieldOf&& exists_if(When when) && {
    exists = [when](const void* object) { return when(*static_cast<const S*>(object)); };
    return std::move(*this);
  }
  template <class When>
  FieldOf&& printed_if(When when) && {
    printed = [when](const void* object) { return when(*static_cast<const S*>(object)); };
    return std::move(*this);
  }
};

namespace detail {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <auto Member>
struct MemberOf;
template <class S, class T, T S::* Member>
  requires(!kIsOptional<T>)
struct MemberOf<Member> {
  using Struct = S;
  using Type = T;
  static void* make(void* object) { return &(static_cast<S*>(object)->*Member); }
  static const void* look(const void* object) { return &(static_cast<const S*>(object)->*Member); }
};
template <class S, class T, std::optional<T> S::* Member>
struct MemberOf<Member> {
  using Struct = S;
  using Type = T;
  static constexpr bool kOptional = true;
  static void* make(void* object) { return &(static_cast<S*>(object)->*Member).emplace(); }
  static const void* look(const void* object) {
    const auto& value = static_cast<const S*>(object)->*Member;
    return value ? &*value : nullptr;
  }
};

template <auto Member>
FieldOf<typename MemberOf<Member>::Struct> bare(std::string_view key, Phrase meaning, const ValueType& type) {
  FieldOf<typename MemberOf<Member>::Struct> made;
  made.key = key;
  made.meaning = meaning;
  made.type = &type;
  made.make = &MemberOf<Member>::make;
  made.look = &MemberOf<Member>::look;
  made.optional_value = requires { MemberOf<Member>::kOptional; };
  return made;
}

// A container of structs. A table describes the elements.
struct Elements {
  void (*clear)(void* container);
  void* (*add)(void* container, const std::string& key);
  void (*each)(const void* container, const std::function<void(std::string_view key, const void* element)>& visit);
};
template <class T>
struct ListOf {
  static void clear(void* list) { static_cast<std::vector<T>*>(list)->clear(); }
  static void* add(void* list, const std::string& /*key*/) {
    return &static_cast<std::vector<T>*>(list)->emplace_back();
  }
  static void each(const void* list, const std::function<void(std::string_view, const void*)>& visit) {
    for (const T& one : *static_cast<const std::vector<T>*>(list)) visit({}, &one);
  }
  static constexpr Elements kElements{clear, add, each};
};
template <class Map>
struct MapOf {
  static void clear(void* map) { static_cast<Map*>(map)->clear(); }
  static void* add(void* map, const std::string& key) { return &(*static_cast<Map*>(map))[key]; }
  static void each(const void* map, const std::function<void(std::string_view, const void*)>& visit) {
    for (const auto& [key, value] : *static_cast<const Map*>(map)) visit(key, &value);
  }
  static constexpr Elements kElements{clear, add, each};
};
bool read_list(const Field& field, const Elements& elements, kube::YamlReader& from, void* list);
void print_list(const Field& field, const Elements& elements, const void* list, kube::YamlWriter& to);
bool read_map(const Field& field, const Elements& elements, kube::YamlReader& from, void* map);
void print_map(const Field& field, const Elements& elements, const void* map, kube::YamlWriter& to);
std::string no_text(const Field& field, const void* value);
std::string no_range(const Field& field);

template <const Elements& kOf>
inline constexpr ValueType kListType{
    "list", [](const Field& field, kube::YamlReader& from, void* list) { return read_list(field, kOf, from, list); },
    [](const Field& field, const void* list, kube::YamlWriter& to) { print_list(field, kOf, list, to); }, no_text,
    no_range};
template <const Elements& kOf>
inline constexpr ValueType kMapType{
    "object", [](const Field& field, kube::YamlReader& from, void* map) { return read_map(field, kOf, from, map); },
    [](const Field& field, const void* map, kube::YamlWriter& to) { print_map(field, kOf, map, to); }, no_text,
    no_range};

template <class T, auto Read, auto Print>
inline constexpr ValueType kCustomType{{},
                                       [](const Field& field, kube::YamlReader& from, void* value) {
                                         Read(from, field.key, *static_cast<T*>(value));
                                         return true;
                                       },
                                       [](const Field& field, const void* value, kube::YamlWriter& to) {
                                         Print(*static_cast<const T*>(value), field.key, to);
                                       },
                                       no_text,
                                       no_range};

extern const ValueType kWordType;
extern const ValueType kSectionType;

}  // namespace detail

template <auto Member>
auto field(std::string_view key, Limits limits, Phrase meaning) {
  auto made = detail::bare<Member>(key, meaning,
                                   value_type(static_cast<const typename detail::MemberOf<Member>::Type*>(nullptr)));
  made.limits = limits;
  return made;
}
template <auto Member>
auto field(std::string_view key, Phrase meaning) {
  return field<Member>(key, Limits{}, meaning);
}

// One of several words; each word is a value of an enumeration.
template <auto Member>
auto word(std::string_view key,
          std::initializer_list<std::pair<std::string_view, typename detail::MemberOf<Member>::Type>> words,
          Phrase meaning) {
  using E = typename detail::MemberOf<Member>::Type;
  auto made = detail::bare<Member>(key, meaning, detail::kWordType);
  for (const auto& [text, value] : words) made.choices.push_back({text, static_cast<int>(value)});
  made.get = [](const void* value) { return static_cast<int>(*static_cast<const E*>(value)); };
  made.set = [](void* value, int chosen) { *static_cast<E*>(value) = static_cast<E>(chosen); };
  return made;
}

// A nested struct with its own key. An optional struct exists if its key is present.
template <auto Member>
auto section(std::string_view key, const Table& fields, Phrase meaning) {
  auto made = detail::bare<Member>(key, meaning, detail::kSectionType);
  made.fields = &fields;
  return made;
}
// A nested struct without a key: its fields are fields of the outer table.
template <auto Member>
auto embedded(const Table& fields) {
  return section<Member>({}, fields, {});
}

// Fields of S itself under their own key.
template <class S>
FieldOf<S> group(std::string_view key, const Table& fields, Phrase meaning) {
  FieldOf<S> made;
  made.key = key;
  made.meaning = meaning;
  made.type = &detail::kSectionType;
  made.make = [](void* object) { return object; };
  made.look = [](const void* object) { return object; };
  made.fields = &fields;
  return made;
}

template <auto Member>
auto list(std::string_view key, const Table& fields, Phrase meaning) {
  using T = typename detail::MemberOf<Member>::Type::value_type;
  auto made = detail::bare<Member>(key, meaning, detail::kListType<detail::ListOf<T>::kElements>);
  made.fields = &fields;
  return made;
}
// A map whose keys are data. `element` is the placeholder for the keys in the reference.
template <auto Member>
auto map(std::string_view key, Phrase meaning, std::string_view element, const Table& fields, Phrase element_meaning) {
  using T = typename detail::MemberOf<Member>::Type;
  auto made = detail::bare<Member>(key, meaning, detail::kMapType<detail::MapOf<T>::kElements>);
  made.fields = &fields;
  made.element = element;
  made.element_meaning = element_meaning;
  return made;
}

// For fields that the other functions cannot describe: void Read(YamlReader& from, std::string_view key, T& into) and
// void Print(const T& value, std::string_view key, YamlWriter& to).
template <auto Member, auto Read, auto Print>
auto custom(std::string_view key, Described described, Phrase meaning) {
  using T = typename detail::MemberOf<Member>::Type;
  auto made = detail::bare<Member>(key, meaning, detail::kCustomType<T, Read, Print>);
  return std::move(made).described(described);
}
// A row of the reference for a field that other code reads. `path` can have several parts.
template <class S>
FieldOf<S> documented(std::string_view path, Described described, Phrase meaning) {
  FieldOf<S> made;
  made.key = path;
  made.meaning = meaning;
  return std::move(made).described(described);
}

template <class S>
Table table_of(std::initializer_list<FieldOf<S>> fields, void (*check)(kube::YamlReader&, S&) = nullptr) {
  Table table;
  table.fields.reserve(fields.size());
  for (const Field& field : fields) table.add(field);
  if (check != nullptr) {
    table.check = [check](kube::YamlReader& from, void* object) { check(from, *static_cast<S*>(object)); };
  }
  table.usual = std::make_shared<const S>();
  return table;
}

}  // namespace rescheduler::config
