#include "sim/frontend/tables/path.h"

#include <charconv>

#include <boost/json/serialize.hpp>

namespace rescheduler::sim {

class JsonPath::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<std::vector<Step>> steps() {
    std::vector<Step> steps;
    while (!text_.empty()) {
      Step step;
      if (!(text_.front() == '.' ? name(step) : brackets(step))) return std::nullopt;
      if (step.what != Step::What::Name || !step.name.empty()) steps.push_back(std::move(step));
    }
    return steps;
  }

 private:
  bool take(std::string_view token) {
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void skip_spaces() {
    while (take(" ")) continue;
  }

  // A single dot is the object itself.
  bool name(Step& step) {
    take(".");
    if (text_.starts_with(".")) return false;  // recursive descent
    while (!text_.empty() && text_.front() != '.' && text_.front() != '[') {
      if (text_.front() == '\\' && text_.size() > 1) text_.remove_prefix(1);
      step.name += text_.front();
      text_.remove_prefix(1);
    }
    if (step.name == "*") step = {.what = Step::What::All};
    return true;
  }

  bool brackets(Step& step) {
    if (!take("[")) return false;
    if (take("*")) {
      step.what = Step::What::All;
    } else if (take("?(")) {
      if (!filter(step)) return false;
    } else if (text_.starts_with("'") || text_.starts_with("\"")) {
      if (!quoted(step.name)) return false;
    } else {
      step.what = Step::What::Index;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), step.index);
      if (error != std::errc()) return false;
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    }
    return take("]");
  }

  bool quoted(std::string& into) {
    const char quote = text_.front();
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    into = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }

  // The part of [?(@.type=="Ready")] from the @ to the closing parenthesis.
  bool filter(Step& step) {
    step.what = Step::What::Filter;
    if (!take("@")) return false;
    const std::size_t end = text_.find_first_of("=!<>)");
    if (end == std::string_view::npos) return false;
    std::string_view field = text_.substr(0, end);
    while (field.ends_with(' ')) field.remove_suffix(1);
    std::optional<std::vector<Step>> steps = Parser(field).steps();
    if (!steps) return false;
    step.field = std::move(*steps);
    text_.remove_prefix(end);
    for (const std::string_view comparison : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!take(comparison)) continue;
      step.comparison = comparison;
      break;
    }
    if (step.comparison.empty()) return take(")");
    skip_spaces();
    if (text_.starts_with("'") || text_.starts_with("\"")) {
      if (!quoted(step.name)) return false;
    } else {
      const std::size_t close = text_.find(')');
      if (close == std::string_view::npos) return false;
      step.name = text_.substr(0, close);
      while (step.name.ends_with(' ')) step.name.pop_back();
      text_.remove_prefix(close);
    }
    skip_spaces();
    return take(")");
  }

  std::string_view text_;
};

std::optional<JsonPath> JsonPath::parse(std::string_view text) {
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  if (text.starts_with('$')) text.remove_prefix(1);
  std::optional<std::vector<Step>> steps = Parser(text).steps();
  if (!steps) return std::nullopt;
  JsonPath path;
  path.steps_ = std::move(*steps);
  return path;
}

const boost::json::value* JsonPath::first(const boost::json::value& root) const { return follow(root, steps_, 0); }

const boost::json::value* JsonPath::follow(const boost::json::value& value,
                                           const std::vector<Step>& steps,
                                           std::size_t next) {
  if (next == steps.size()) return &value;
  const Step& step = steps[next];
  if (step.what == Step::What::Name) {
    const boost::json::object* object = value.if_object();
    const boost::json::value* member = object ? object->if_contains(step.name) : nullptr;
    return member ? follow(*member, steps, next + 1) : nullptr;
  }
  if (const boost::json::object* object = value.if_object(); object && step.what == Step::What::All) {
    for (const auto& [name, member] : *object) {
      if (const boost::json::value* found = follow(member, steps, next + 1)) return found;
    }
    return nullptr;
  }
  const boost::json::array* array = value.if_array();
  if (!array) return nullptr;
  if (step.what == Step::What::Index) {
    const long size = static_cast<long>(array->size());
    const long index = step.index < 0 ? step.index + size : step.index;
    if (index < 0 || index >= size) return nullptr;
    return follow((*array)[static_cast<std::size_t>(index)], steps, next + 1);
  }
  for (const boost::json::value& item : *array) {
    if (step.what == Step::What::Filter && !passes(item, step)) continue;
    if (const boost::json::value* found = follow(item, steps, next + 1)) return found;
  }
  return nullptr;
}

bool JsonPath::passes(const boost::json::value& item, const Step& filter) {
  const boost::json::value* left = follow(item, filter.field, 0);
  if (!left) return false;
  if (filter.comparison.empty()) return true;
  int order = 0;
  const auto compare = [](const auto& a, const auto& b) { return a < b ? -1 : b < a ? 1 : 0; };
  if (left->is_number()) {
    double right = 0;
    const char* const end = filter.name.data() + filter.name.size();
    const auto [rest, error] = std::from_chars(filter.name.data(), end, right);
    if (error != std::errc() || rest != end) return false;
    order = compare(left->to_number<double>(), right);
  } else {
    order = compare(left->is_string() ? std::string(left->get_string()) : boost::json::serialize(*left), filter.name);
  }
  if (filter.comparison == "==") return order == 0;
  if (filter.comparison == "!=") return order != 0;
  if (filter.comparison == "<") return order < 0;
  if (filter.comparison == "<=") return order <= 0;
  if (filter.comparison == ">") return order > 0;
  return order >= 0;
}

}  // namespace rescheduler::sim
