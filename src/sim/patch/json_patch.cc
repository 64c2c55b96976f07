#include "sim/patch/json_patch.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "kube/codec/json_text.h"
#include "sim/patch/json_values.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using Fault = JsonPatchFault;
using Step = tl::expected<void, Fault>;

struct Pointer {
  std::string_view text;
  std::vector<std::string> tokens;
  bool valid = true;

  bool whole_document() const { return valid && tokens.empty(); }
};

std::string unescaped(std::string_view token) {
  std::string plain;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    plain += escape ? (token[++i] == '0' ? '~' : '/') : token[i];
  }
  return plain;
}

Pointer read_pointer(std::string_view text) {
  Pointer pointer{text, {}, text.empty() || text.front() == '/'};
  if (!pointer.valid) return pointer;
  for (std::size_t begin = text.empty() ? std::string_view::npos : 1; begin != std::string_view::npos;) {
    const std::size_t end = text.find('/', begin);
    pointer.tokens.push_back(unescaped(text.substr(begin, end == std::string_view::npos ? end : end - begin)));
    begin = end == std::string_view::npos ? end : end + 1;
  }
  return pointer;
}

tl::unexpected<Fault> failed(Fault::Kind kind, std::string message) {
  return tl::unexpected<Fault>(Fault{kind, std::move(message)});
}

// An error inside one container, before the operation is known.
using Complaint = std::optional<std::string>;

Complaint index_of(std::string_view token, std::size_t size, std::size_t& index) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error != std::errc{} || end != token.data() + token.size()) {
    return fmt::format("value was not a proper array index: '{}'", token);
  }
  if (number < 0) number += static_cast<std::int64_t>(size);
  if (number < 0 || static_cast<std::size_t>(number) >= size) {
    return fmt::format("Unable to access invalid index: {}: invalid index referenced", token);
  }
  index = static_cast<std::size_t>(number);
  return std::nullopt;
}

json::value* child_of(json::value& container, std::string_view token) {
  if (auto* object = container.if_object()) return object->if_contains(token);
  std::size_t index = 0;
  auto* array = container.if_array();
  if (array == nullptr || index_of(token, array->size(), index)) return nullptr;
  return &(*array)[index];
}

// The object or array that contains the path; null if there is none.
json::value* container_of(json::value& document, const Pointer& pointer) {
  if (!pointer.valid || pointer.tokens.empty()) return nullptr;
  json::value* at = &document;
  for (std::size_t i = 0; i + 1 < pointer.tokens.size() && at != nullptr; ++i) at = child_of(*at, pointer.tokens[i]);
  return at != nullptr && at->is_structured() ? at : nullptr;
}

Complaint insert(json::value& container, std::string_view token, json::value value) {
  if (auto* object = container.if_object()) {
    object->insert_or_assign(token, std::move(value));
    return std::nullopt;
  }
  json::array& array = container.get_array();
  std::size_t index = array.size();
  if (token != "-") {
    if (auto complaint = index_of(token, array.size() + 1, index)) return complaint;
  }
  array.insert(array.begin() + static_cast<std::ptrdiff_t>(index), std::move(value));
  return std::nullopt;
}

Complaint take(json::value& container, std::string_view token, json::value& taken) {
  if (auto* object = container.if_object()) {
    const auto found = object->find(token);
    if (found == object->end()) return fmt::format("Unable to remove nonexistent key: {}: missing value", token);
    taken = std::move(found->value());
    object->erase(found);
    return std::nullopt;
  }
  json::array& array = container.get_array();
  std::size_t index = 0;
  if (auto complaint = index_of(token, array.size(), index)) return complaint;
  taken = std::move(array[index]);
  array.erase(array.begin() + static_cast<std::ptrdiff_t>(index));
  return std::nullopt;
}

class Patcher {
 public:
  explicit Patcher(json::value document) : document_(std::move(document)) {}
  json::value release() { return std::move(document_); }

  Step apply(const json::object& operation);

 private:
  Step add(const Pointer& path, json::value value);
  Step remove(const Pointer& path);
  Step replace(const Pointer& path, json::value value);
  Step move(const Pointer& from, const Pointer& path);
  Step copy(const Pointer& from, const Pointer& path);
  Step test(const Pointer& path, const json::value& expected);

  static Step fits(const Pointer& path, const json::value& value) {
    if (path.tokens.size() + depth_of(value) <= kube::kDeepestJson) return {};
    return failed(Fault::Kind::TooLarge,
                  fmt::format("the patched document would be nested more than {} levels deep", kube::kDeepestJson));
  }

  json::value document_;
  std::size_t copied_ = 0;
};

Step Patcher::add(const Pointer& path, json::value value) {
  if (auto step = fits(path, value); !step) return step;
  if (path.whole_document()) {
    document_ = std::move(value);
    return {};
  }
  json::value* container = container_of(document_, path);
  if (container == nullptr) {
    return failed(Fault::Kind::MissingPath,
                  fmt::format("add operation does not apply: doc is missing path: \"{}\": missing value", path.text));
  }
  if (auto complaint = insert(*container, path.tokens.back(), std::move(value))) {
    return failed(Fault::Kind::MissingPath, fmt::format("error in add for path: '{}': {}", path.text, *complaint));
  }
  return {};
}

Step Patcher::remove(const Pointer& path) {
  json::value* container = container_of(document_, path);
  if (container == nullptr) {
    return failed(
        Fault::Kind::MissingPath,
        fmt::format("remove operation does not apply: doc is missing path: \"{}\": missing value", path.text));
  }
  json::value taken;
  if (auto complaint = take(*container, path.tokens.back(), taken)) {
    return failed(Fault::Kind::MissingPath, fmt::format("error in remove for path: '{}': {}", path.text, *complaint));
  }
  return {};
}

Step Patcher::replace(const Pointer& path, json::value value) {
  if (auto step = fits(path, value); !step) return step;
  if (path.whole_document()) {
    document_ = std::move(value);
    return {};
  }
  json::value* container = container_of(document_, path);
  if (container == nullptr) {
    return failed(Fault::Kind::MissingPath,
                  fmt::format("replace operation does not apply: doc is missing path: {}: missing value", path.text));
  }
  if (auto* object = container->if_object()) {
    object->insert_or_assign(path.tokens.back(), std::move(value));
    return {};
  }
  json::value* there = child_of(*container, path.tokens.back());
  if (there == nullptr) {
    return failed(Fault::Kind::MissingPath,
                  fmt::format("replace operation does not apply: doc is missing key: {}: missing value", path.text));
  }
  *there = std::move(value);
  return {};
}

Step Patcher::move(const Pointer& from, const Pointer& path) {
  json::value* container = container_of(document_, from);
  if (container == nullptr) {
    return failed(Fault::Kind::MissingPath,
                  fmt::format("move operation does not apply: doc is missing from path: {}: missing value", from.text));
  }
  json::value taken;
  if (auto complaint = take(*container, from.tokens.back(), taken)) {
    return failed(Fault::Kind::MissingPath,
                  fmt::format("error in move for path: '{}': {}", from.tokens.back(), *complaint));
  }
  if (auto step = fits(path, taken); !step) return step;
  container = container_of(document_, path);
  if (container == nullptr) {
    return failed(
        Fault::Kind::MissingPath,
        fmt::format("move operation does not apply: doc is missing destination path: {}: missing value", path.text));
  }
  if (auto complaint = insert(*container, path.tokens.back(), std::move(taken))) {
    return failed(Fault::Kind::MissingPath, fmt::format("error in move for path: '{}': {}", path.text, *complaint));
  }
  return {};
}

Step Patcher::copy(const Pointer& from, const Pointer& path) {
  json::value* container = container_of(document_, from);
  const json::value* source = container == nullptr ? nullptr : child_of(*container, from.tokens.back());
  if (source == nullptr) {
    return failed(Fault::Kind::MissingPath,
                  fmt::format("copy operation does not apply: doc is missing from path: {}: missing value", from.text));
  }
  copied_ += weight_of(*source);
  if (copied_ > kMostCopiedBytes) {
    return failed(Fault::Kind::TooLarge,
                  fmt::format("Unable to complete the copy, the accumulated size increase of copy is {}, exceeding "
                              "the limit {}",
                              copied_, kMostCopiedBytes));
  }
  json::value value = *source;
  if (auto step = fits(path, value); !step) return step;
  container = container_of(document_, path);
  if (container == nullptr) {
    return failed(
        Fault::Kind::MissingPath,
        fmt::format("copy operation does not apply: doc is missing destination path: {}: missing value", path.text));
  }
  if (auto complaint = insert(*container, path.tokens.back(), std::move(value))) {
    return failed(Fault::Kind::MissingPath, fmt::format("error while adding value during copy: {}", *complaint));
  }
  return {};
}

Step Patcher::test(const Pointer& path, const json::value& expected) {
  const auto judged = [&path](bool holds) -> Step {
    if (holds) return {};
    return failed(Fault::Kind::TestFailed, fmt::format("testing value {} failed: test failed", path.text));
  };
  if (path.whole_document()) return judged(same_value(document_, expected));
  json::value* container = container_of(document_, path);
  if (container == nullptr) {
    return failed(Fault::Kind::MissingPath,
                  fmt::format("test operation does not apply: is missing path: {}: missing value", path.text));
  }
  const json::value* there = child_of(*container, path.tokens.back());
  if (there != nullptr) return judged(same_value(*there, expected));
  if (container->is_object()) return judged(expected.is_null());
  std::size_t index = 0;
  const Complaint complaint = index_of(path.tokens.back(), container->get_array().size(), index);
  return failed(Fault::Kind::MissingPath,
                fmt::format("error in test for path: '{}': {}", path.text, complaint.value_or("missing value")));
}

// The string member of an operation; null if it is absent or not a string.
const json::string* text_of(const json::object& operation, std::string_view name) {
  const json::value* member = operation.if_contains(name);
  return member == nullptr ? nullptr : member->if_string();
}

Step Patcher::apply(const json::object& operation) {
  const json::string* kind = text_of(operation, "op");
  if (kind == nullptr) return failed(Fault::Kind::Malformed, "an operation of the JSON patch has no op");
  const auto needs = [kind](std::string_view what) {
    return failed(Fault::Kind::Malformed, fmt::format("the {} operation of the JSON patch has no {}",
                                                      std::string_view(kind->data(), kind->size()), what));
  };
  const json::string* path = text_of(operation, "path");
  if (path == nullptr) return needs("path");
  const Pointer target = read_pointer(*path);
  if (*kind == "remove") return remove(target);
  if (*kind == "move" || *kind == "copy") {
    const json::string* from = text_of(operation, "from");
    if (from == nullptr) return needs("from");
    const Pointer source = read_pointer(*from);
    return *kind == "move" ? move(source, target) : copy(source, target);
  }
  const json::value* value = operation.if_contains("value");
  const bool known = *kind == "add" || *kind == "replace" || *kind == "test";
  if (!known) {
    return failed(Fault::Kind::Malformed,
                  fmt::format("Unexpected kind: {}", std::string_view(kind->data(), kind->size())));
  }
  if (value == nullptr) return needs("value");
  if (*kind == "add") return add(target, *value);
  if (*kind == "replace") return replace(target, *value);
  return test(target, *value);
}

}  // namespace

tl::expected<json::value, JsonPatchFault> json_patched(json::value document, const json::value& patch) {
  const json::array* operations = patch.if_array();
  if (operations == nullptr) return failed(Fault::Kind::Malformed, "a JSON patch is an array of operations");
  if (operations->size() > kMostPatchOperations) {
    return failed(Fault::Kind::TooMany, fmt::format("The allowed maximum operations in a JSON patch is {}, got {}",
                                                    kMostPatchOperations, operations->size()));
  }
  Patcher patcher(std::move(document));
  for (const json::value& operation : *operations) {
    const json::object* object = operation.if_object();
    if (object == nullptr) return failed(Fault::Kind::Malformed, "an operation of the JSON patch is not an object");
    if (auto step = patcher.apply(*object); !step) return tl::unexpected<Fault>(std::move(step.error()));
  }
  return patcher.release();
}

}  // namespace rescheduler::sim
