#include "kube/codec/json_text.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parser.hpp>

#include "kube/codec/printable.h"

namespace rescheduler::kube {
namespace {

namespace json = boost::json;
using boost::system::error_code;

json::parse_options strict_options(std::size_t deepest) {
  json::parse_options options;
  options.max_depth = deepest;
  return options;
}

Unexpected failed_at(std::string_view text, std::size_t offset, std::string_view why) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return fail(Errc::Invalid, "line {}, column {}: {}", line, before.size() - line_start + 1, why);
}

// The messages of Boost are terse; these messages are for users.
std::string explain(const error_code& error, std::size_t deepest) {
  if (error == json::error::incomplete) return "the JSON text ends too early";
  if (error == json::error::extra_data) return "there is more after the end of the JSON value";
  if (error == json::error::too_deep) return fmt::format("the JSON is nested more than {} levels deep", deepest);
  return fmt::format("this is not valid JSON ({})", error.message());
}

// Parser handler for text that is known to be valid. It stops the parse at the first duplicate key of an object.
struct DuplicateSearch {
  // NOLINTBEGIN(readability-identifier-naming): Boost.JSON's names
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;
  // NOLINTEND(readability-identifier-naming)

  std::vector<std::set<std::string, std::less<>>> open_objects;
  std::string key;
  std::string duplicate;

  bool on_key_part(json::string_view part, std::size_t, error_code&) {
    key.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view last, std::size_t, error_code& error) {
    key.append(last.data(), last.size());
    if (!open_objects.back().insert(key).second) {
      duplicate = key;
      error = json::error::exception;
      return false;
    }
    key.clear();
    return true;
  }
  bool on_object_begin(error_code&) {
    open_objects.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, error_code&) {
    open_objects.pop_back();
    return true;
  }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t, error_code&) { return true; }
  bool on_string_part(json::string_view, std::size_t, error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, error_code&) { return true; }
  bool on_number_part(json::string_view, error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, error_code&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, error_code&) { return true; }
  bool on_double(double, json::string_view, error_code&) { return true; }
  bool on_bool(bool, error_code&) { return true; }
  bool on_null(error_code&) { return true; }
  bool on_comment_part(json::string_view, error_code&) { return true; }
  bool on_comment(json::string_view, error_code&) { return true; }
};

Result<void> refuse_duplicates(std::string_view text) {
  json::basic_parser<DuplicateSearch> parser(strict_options(kDeepestJson));
  error_code error;
  const std::size_t offset = parser.write_some(false, text.data(), text.size(), error);
  if (!error) return {};
  return failed_at(text, offset, fmt::format("the key {} appears twice", printable(parser.handler().duplicate)));
}

}  // namespace

Result<json::value> parse_json(std::string_view text,
                               json::storage_ptr storage,
                               DuplicateKeys duplicates,
                               std::size_t deepest) {
  if (text.size() > std::numeric_limits<std::int32_t>::max()) {
    return fail(Errc::Invalid, "a JSON text of {} bytes is too large to decode", text.size());
  }
  json::parser parser({}, strict_options(deepest));
  parser.reset(std::move(storage));
  error_code error;
  const std::size_t offset = parser.write_some(text.data(), text.size(), error);
  if (!error && offset < text.size()) error = json::error::extra_data;
  if (error) return failed_at(text, offset, explain(error, deepest));
  if (duplicates == DuplicateKeys::Refuse) {
    auto unique = refuse_duplicates(text);
    if (!unique) return fail(std::move(unique.error()));
  }
  return parser.release();
}

}  // namespace rescheduler::kube
