#include <utility>

#include <fmt/format.h>

#include "kube/codec/json_scalars.h"
#include "sim/kinds/kind.h"

namespace rescheduler::sim {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out;
  kube::append_json_string(out, text);
  return out;
}

}  // namespace

void Faults::add(std::string_view reason, std::string message, std::string field) {
  causes_.push_back({std::string(reason), std::move(message), std::move(field)});
}

void Faults::required(std::string field, std::string_view detail) {
  add("FieldValueRequired", detail.empty() ? "Required value" : fmt::format("Required value: {}", detail),
      std::move(field));
}

void Faults::invalid(std::string field, std::string_view value, std::string_view detail) {
  add("FieldValueInvalid", fmt::format("Invalid value: {}: {}", value, detail), std::move(field));
}

void Faults::not_supported(std::string field, std::string_view value, const std::vector<std::string>& allowed) {
  std::string message = fmt::format("Unsupported value: {}", in_quotes(value));
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    message += i == 0 ? ": supported values: " : ", ";
    message += in_quotes(allowed[i]);
  }
  add("FieldValueNotSupported", std::move(message), std::move(field));
}

void Faults::forbidden(std::string field, std::string_view detail) {
  add("FieldValueForbidden", fmt::format("Forbidden: {}", detail), std::move(field));
}

void Faults::duplicate(std::string field, std::string_view value) {
  add("FieldValueDuplicate", fmt::format("Duplicate value: {}", in_quotes(value)), std::move(field));
}

void Faults::too_long(std::string field, int most) {
  add("FieldValueTooLong", fmt::format("Too long: may not be more than {} byte{}", most, most == 1 ? "" : "s"),
      std::move(field));
}

void Faults::too_many(std::string field, int count, int most) {
  add("FieldValueTooMany", fmt::format("Too many: {}: must have at most {} item{}", count, most, most == 1 ? "" : "s"),
      std::move(field));
}

StatusError refusal_of(const Kind& kind, std::string_view name, Faults faults) {
  if (!faults.denied().empty()) return forbidden(kind, name, faults.denied());
  return invalid(kind, name, faults.take());
}

}  // namespace rescheduler::sim
