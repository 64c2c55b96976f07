#include "config/table.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "kube/config/yaml_reader.h"
#include "kube/config/yaml_writer.h"
#include "kube/value/duration.h"

namespace rescheduler::config {
namespace {

using kube::YamlReader;
using kube::YamlWriter;
using std::chrono::nanoseconds;
using std::chrono::seconds;

template <class T>
const T& as(const void* value) {
  return *static_cast<const T*>(value);
}
template <class T>
T& as(void* value) {
  return *static_cast<T*>(value);
}

// --- Integers. Without a lower limit an int must not be negative, as in kube-scheduler. ---

template <class T>
std::int64_t least_of(const Field& field) {
  if (field.limits.least != INT64_MIN) return field.limits.least;
  return field.optional_value || sizeof(T) > sizeof(int) ? std::int64_t{std::numeric_limits<T>::min()} : 0;
}
template <class T>
std::int64_t most_of(const Field& field) {
  return std::min<std::int64_t>(field.limits.most, std::numeric_limits<T>::max());
}

template <class T>
bool read_integer(const Field& field, YamlReader& from, void* into) {
  std::int64_t value = as<T>(into);
  from.read(field.key, value, least_of<T>(field), most_of<T>(field));
  if (!field.zero_is_unset || value != 0) as<T>(into) = static_cast<T>(value);
  return true;
}

// The limits of the C++ type are not part of the text.
template <class T>
std::string integer_range(const Field& field) {
  const std::int64_t least = least_of<T>(field);
  const std::int64_t most = most_of<T>(field);
  if (least <= std::numeric_limits<std::int32_t>::min()) return {};
  if (most >= std::numeric_limits<std::int32_t>::max()) return fmt::format("at least {}", least);
  return fmt::format("{} to {}", least, most);
}

template <class T>
constexpr ValueType kInteger{
    "integer", read_integer<T>,
    [](const Field& field, const void* value, YamlWriter& to) { to.field(field.key, as<T>(value)); },
    [](const Field&, const void* value) { return fmt::format("{}", as<T>(value)); }, integer_range<T>};

bool read_seconds(const Field& field, YamlReader& from, void* into) {
  std::int64_t value = as<seconds>(into).count();
  read_integer<std::int64_t>(field, from, &value);
  as<seconds>(into) = seconds{value};
  return true;
}

// --- Numbers. ---

bool refuse(const Field& field, const YamlReader& from, std::string_view what) {
  from.problem(field.key, what);
  return false;
}

bool read_number(const Field& field, YamlReader& from, void* into) {
  double value = as<double>(into);
  from.read(field.key, value);
  const auto [least, most, above] = field.limits;
  if (field.zero_is_unset && value == 0) return true;
  if (least != INT64_MIN) {
    const auto low = static_cast<double>(least);
    const auto high = static_cast<double>(most);
    if (above && (value <= low || value > high)) {
      return refuse(field, from, fmt::format("must be a percentage above {} and up to {}", least, most));
    }
    if (value < low || value > high) {
      return refuse(field, from, fmt::format("must be between {} and {}", least, most));
    }
  }
  as<double>(into) = value;
  return true;
}

std::string number_range(const Field& field) {
  const auto [least, most, above] = field.limits;
  return least == INT64_MIN ? "" : fmt::format("{}{} to {}", above ? "above " : "", least, most);
}

// --- Durations. ---

bool read_span(const Field& field, YamlReader& from, void* into) {
  std::string text;
  from.read(field.key, text);
  if (text.empty()) return false;  // the field is absent, or is not a string and was reported
  const auto value = kube::parse_duration(text);
  if (!value) return refuse(field, from, "must be a duration such as 30s or 1m30s");
  if (field.zero_is_unset && value->count() == 0) return true;
  const auto [least, most, above] = field.limits;
  const bool enough = above ? value->count() > least : value->count() >= least;
  if (enough && value->count() <= most) {
    as<nanoseconds>(into) = *value;
    return true;
  }
  const std::string low = kube::format_duration(nanoseconds{least});
  const std::string high = kube::format_duration(nanoseconds{most});
  if (most != INT64_MAX) return refuse(field, from, fmt::format("must be between {} and {}", low, high));
  if (above) return refuse(field, from, fmt::format("must be above {}", low));
  return refuse(field, from, least == 0 ? "must not be negative" : fmt::format("must be at least {}", low));
}

std::string span_range(const Field& field) {
  const auto [least, most, above] = field.limits;
  if (least == INT64_MIN || (least == 0 && !above)) return {};
  const std::string low = kube::format_duration(nanoseconds{least});
  if (most != INT64_MAX) return fmt::format("{} to {}", low, kube::format_duration(nanoseconds{most}));
  return fmt::format("{} {}", above ? "above" : "at least", low);
}

// --- Strings and words. ---

bool read_string(const Field& field, YamlReader& from, void* into) {
  std::string value = as<std::string>(into);
  from.read(field.key, value);
  if (!field.zero_is_unset || !value.empty()) as<std::string>(into) = std::move(value);
  return true;
}

bool read_strings(const Field& field, YamlReader& from, void* into) {
  auto& all = as<std::vector<std::string>>(into);
  from.read(field.key, all);
  if (field.choices.empty()) return true;
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (std::ranges::find(field.choices, *one, &Choice::word) == field.choices.end()) {
      from.problem(field.key,
                   fmt::format("'{}' is not a valid value; valid values are {}", *one, listed(field.choices)));
    }
    if (std::find(all.begin(), one, *one) != one) from.problem(field.key, fmt::format("'{}' is listed twice", *one));
  }
  return true;
}

std::string_view word_for(const Field& field, const void* value) {
  const auto found = std::ranges::find(field.choices, field.get(value), &Choice::value);
  return found == field.choices.end() ? std::string_view{} : found->word;
}

bool read_word(const Field& field, YamlReader& from, void* into) {
  std::string text;
  from.read(field.key, text);
  if (text.empty()) return false;
  const auto found = std::ranges::find(field.choices, text, &Choice::word);
  if (found == field.choices.end()) {
    return refuse(field, from,
                  fmt::format("'{}' is not a valid value; valid values are {}", text, listed(field.choices)));
  }
  field.set(into, found->value);
  return true;
}

// --- Structs. ---

bool read_section(const Field& field, YamlReader& from, void* into) {
  if (field.key.empty()) return read_fields(*field.fields, from, into);
  if (!from.has(field.key)) return false;
  YamlReader section = from.child(field.key);
  if (read_fields(*field.fields, section, into)) section.refuse_unknown_fields();
  return true;
}

void print_section(const Field& field, const void* value, YamlWriter& to) {
  if (field.key.empty()) return print_fields(*field.fields, value, to);
  to.open(field.key);
  print_fields(*field.fields, value, to);
  to.close();
}

std::string printed(const Field& field, const void* value) {
  YamlWriter to;
  if (value != nullptr) field.type->print(field, value, to);
  return to.text();
}

bool is_printed(const Table& table, const Field& field, const void* object) {
  if (field.type == nullptr || field.look(object) == nullptr) return false;
  if (field.exists && !field.exists(object)) return false;
  if (field.printed && !field.printed(object)) return false;
  return !field.only_changed || printed(field, field.look(object)) != printed(field, field.look(table.usual.get()));
}

ReferenceField row_of(const Field& field, std::string_view section, std::string path, const void* value) {
  ReferenceField row{std::string(section),     std::move(path),          std::string(field.type_name),
                     std::string(field.usual), std::string(field.range), field.meaning};
  if (field.type == nullptr) return row;
  if (row.type.empty()) row.type = field.type->name;
  if (row.usual.empty()) row.usual = value == nullptr ? "none" : field.type->text(field, value);
  if (row.range.empty()) row.range = field.type->range(field);
  return row;
}

void add_rows(const Table& table,
              const void* object,
              std::string_view section,
              const std::string& prefix,
              std::vector<ReferenceField>& into) {
  for (const Field& field : table.fields) {
    const void* value = field.type == nullptr ? nullptr : field.look(object);
    if (field.key.empty()) {
      add_rows(*field.fields, value, section, prefix, into);
      continue;
    }
    const std::string path = prefix + std::string(field.key);
    const bool is_section = field.type == &detail::kSectionType;
    into.push_back(row_of(field, section, path, is_section ? object : value));
    if (field.fields == nullptr) continue;
    const void* usual = is_section && value != nullptr ? value : field.fields->usual.get();
    std::string inner = path + (is_section ? "." : "[].");
    if (!field.element.empty()) {
      inner = fmt::format("{}.{}", path, field.element);
      into.push_back({std::string(section), inner, "object", {}, {}, field.element_meaning});
      inner += '.';
    }
    add_rows(*field.fields, usual, section, inner, into);
  }
}

}  // namespace

Field::Field() = default;
Field::Field(const Field& other) = default;
Field::Field(Field&& other) noexcept = default;
Field::~Field() = default;

void Table::add(const Field& field) { fields.push_back(field); }

const ValueType& value_type(const bool* /*of*/) {
  static constexpr ValueType kType{
      "boolean",
      [](const Field& field, YamlReader& from, void* into) {
        from.read(field.key, as<bool>(into));
        return true;
      },
      [](const Field& field, const void* value, YamlWriter& to) { to.field(field.key, as<bool>(value)); },
      [](const Field&, const void* value) { return std::string(as<bool>(value) ? "true" : "false"); },
      detail::no_range};
  return kType;
}
const ValueType& value_type(const int* /*of*/) { return kInteger<int>; }
const ValueType& value_type(const std::uint16_t* /*of*/) { return kInteger<std::uint16_t>; }
const ValueType& value_type(const std::uint32_t* /*of*/) { return kInteger<std::uint32_t>; }
const ValueType& value_type(const std::int64_t* /*of*/) { return kInteger<std::int64_t>; }
const ValueType& value_type(const seconds* /*of*/) {
  static constexpr ValueType kType{
      "integer", read_seconds,
      [](const Field& field, const void* value, YamlWriter& to) { to.field(field.key, as<seconds>(value).count()); },
      [](const Field&, const void* value) { return fmt::format("{}", as<seconds>(value).count()); },
      integer_range<std::int64_t>};
  return kType;
}
const ValueType& value_type(const double* /*of*/) {
  static constexpr ValueType kType{
      "number", read_number,
      [](const Field& field, const void* value, YamlWriter& to) { to.field(field.key, as<double>(value)); },
      [](const Field&, const void* value) { return fmt::format("{}", as<double>(value)); }, number_range};
  return kType;
}
const ValueType& value_type(const nanoseconds* /*of*/) {
  static constexpr ValueType kType{
      "duration", read_span,
      [](const Field& field, const void* value, YamlWriter& to) {
        to.field(field.key, kube::format_duration(as<nanoseconds>(value)));
      },
      [](const Field&, const void* value) { return kube::format_duration(as<nanoseconds>(value)); }, span_range};
  return kType;
}
const ValueType& value_type(const std::string* /*of*/) {
  static constexpr ValueType kType{
      "string", read_string,
      [](const Field& field, const void* value, YamlWriter& to) { to.field(field.key, as<std::string>(value)); },
      [](const Field&, const void* value) { return as<std::string>(value); }, detail::no_range};
  return kType;
}
const ValueType& value_type(const std::vector<std::string>* /*of*/) {
  using Strings = std::vector<std::string>;
  static constexpr ValueType kType{
      "list of strings", read_strings,
      [](const Field& field, const void* value, YamlWriter& to) { to.field(field.key, as<Strings>(value)); },
      [](const Field&, const void* value) { return fmt::format("{}", fmt::join(as<Strings>(value), ", ")); },
      [](const Field& field) { return listed(field.choices); }};
  return kType;
}

namespace detail {

std::string no_text(const Field& /*field*/, const void* /*value*/) { return {}; }
std::string no_range(const Field& /*field*/) { return {}; }

constexpr ValueType kWordType{
    "word", read_word,
    [](const Field& field, const void* value, YamlWriter& to) { to.field(field.key, word_for(field, value)); },
    [](const Field& field, const void* value) {
      return field.must_be_given ? std::string() : std::string(word_for(field, value));
    },
    [](const Field& field) { return listed(field.choices); }};
constexpr ValueType kSectionType{"object", read_section, print_section, no_text, no_range};

bool read_list(const Field& field, const Elements& elements, YamlReader& from, void* list) {
  if (!from.has(field.key)) return false;
  elements.clear(list);
  for (YamlReader& item : from.items(field.key)) {
    if (read_fields(*field.fields, item, elements.add(list, {}))) item.refuse_unknown_fields();
  }
  return true;
}

void print_list(const Field& field, const Elements& elements, const void* list, YamlWriter& to) {
  bool opened = false;
  elements.each(list, [&](std::string_view /*key*/, const void* element) {
    if (!std::exchange(opened, true)) to.open(field.key);
    to.item();
    print_fields(*field.fields, element, to);
  });
  if (opened) to.close();
  if (!opened) to.json(field.key, "[]");
}

bool read_map(const Field& field, const Elements& elements, YamlReader& from, void* map) {
  if (!from.has(field.key)) return false;
  elements.clear(map);
  for (auto& [key, member] : from.child(field.key).members()) {
    if (read_fields(*field.fields, member, elements.add(map, key))) member.refuse_unknown_fields();
  }
  return true;
}

void print_map(const Field& field, const Elements& elements, const void* map, YamlWriter& to) {
  bool opened = false;
  elements.each(map, [&](std::string_view key, const void* element) {
    if (!std::exchange(opened, true)) to.open(field.key);
    to.open(key);
    print_fields(*field.fields, element, to);
    to.close();
  });
  if (opened) to.close();
  if (!opened) to.json(field.key, "{}");
}

}  // namespace detail

bool read_fields(const Table& table, YamlReader& from, void* object) {
  for (const Field& field : table.fields) {
    if (field.type == nullptr || (field.exists && !field.exists(object))) continue;
    const bool given = field.key.empty() || from.has(field.key);
    if (field.must_be_given && !given) {
      return refuse(field, from, fmt::format("is required; valid values are {}", listed(field.choices)));
    }
    if (field.optional_value && !given) continue;
    if (!field.type->read(field, from, field.make(object)) && field.must_be_given) return false;
  }
  if (table.check) table.check(from, object);
  return true;
}

void print_fields(const Table& table, const void* object, YamlWriter& to) {
  for (const Field& field : table.fields) {
    if (is_printed(table, field, object)) field.type->print(field, field.look(object), to);
  }
}

void add_reference(const Table& table, std::string_view section, std::vector<ReferenceField>& into) {
  add_rows(table, table.usual.get(), section, {}, into);
}

std::string listed(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string listed(const std::vector<Choice>& choices) {
  std::vector<std::string_view> words;
  for (const Choice& choice : choices) words.push_back(choice.word);
  return listed(words);
}

}  // namespace rescheduler::config
