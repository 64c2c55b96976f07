#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/table.h"

namespace rescheduler::config {
namespace {

std::string words_of(const std::vector<Choice>& choices) {
  std::vector<std::string> words;
  for (const Choice& choice : choices) words.push_back(fmt::format("\"{}\"", choice.word));
  return fmt::format(R"({{"enum":[{}]}})", fmt::join(words, ","));
}

std::string number(std::string_view type, const Limits& limits) {
  std::string text = fmt::format(R"("type":"{}")", type);
  const char* least = limits.above ? "exclusiveMinimum" : "minimum";
  if (limits.least != INT64_MIN) text += fmt::format(R"(,"{}":{})", least, limits.least);
  if (limits.most < INT32_MAX) text += fmt::format(R"(,"maximum":{})", limits.most);
  return "{" + text + "}";
}

std::string schema_of(const Field& field) {
  const std::string_view type = field.type_name.empty() ? field.type->name : field.type_name;
  if (field.fields != nullptr) {
    const std::string inner = config::schema_of(*field.fields);
    if (type == "list") return fmt::format(R"({{"type":"array","items":{}}})", inner);
    return field.element.empty() ? inner : fmt::format(R"({{"type":"object","additionalProperties":{}}})", inner);
  }
  if (type == "word") return words_of(field.choices);
  if (type == "integer" || type == "number") return number(type, field.limits);
  if (type == "duration") return R"({"type":"string","pattern":"^([0-9.]+(ns|us|ms|s|m|h))+$"})";
  if (type == "boolean" || type == "object") return fmt::format(R"({{"type":"{}"}})", type);
  const std::string text = field.choices.empty() ? R"({"type":"string"})" : words_of(field.choices);
  return type == "list of strings" ? fmt::format(R"({{"type":"array","items":{}}})", text) : text;
}

void add_properties(const Table& table, std::string& into) {
  for (const Field& field : table.fields) {
    if (field.type == nullptr) continue;
    if (field.key.empty()) {
      add_properties(*field.fields, into);
    } else {
      into += fmt::format(R"({}"{}":{})", into.empty() ? "" : ",", field.key, schema_of(field));
    }
  }
}

}  // namespace

std::string schema_of(const Table& table) {
  std::string properties;
  add_properties(table, properties);
  return fmt::format(R"({{"type":"object","additionalProperties":false,"properties":{{{}}}}})", properties);
}

}  // namespace rescheduler::config
