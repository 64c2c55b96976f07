#include "kube/value/field_selector.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kube/value/label_lookup.h"
#include "kube/value/quote.h"

namespace rescheduler::kube {
namespace {

// The text up to the next comma that is not escaped.
std::string_view next_term(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == ',')
      return text.substr(0, i);
  }
  return text;
}

Result<std::string> unescape(std::string_view value, std::string_view whole) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == ',' || c == '=') {
      return fail(Errc::Invalid, "field selector {}: in value {}: write '{}' as '\\{}'", kube::quoted(whole),
                  kube::quoted(value), c, c);
    }
    if (c != '\\') {
      out += c;
      continue;
    }
    const char next = i + 1 < value.size() ? value[i + 1] : '\0';
    if (next != '\\' && next != ',' && next != '=') {
      return fail(Errc::Invalid, "field selector {}: in value {}: a backslash may only protect '\\', ',' or '='",
                  kube::quoted(whole), kube::quoted(value));
    }
    out += next;
    ++i;
  }
  return out;
}

Result<FieldSelector::Term> read_term(std::string_view term, std::string_view whole) {
  const std::size_t equals = term.find('=');
  if (equals == std::string_view::npos) {
    return fail(Errc::Invalid, "field selector {}: {} has no '=' or '!='", kube::quoted(whole), kube::quoted(term));
  }
  FieldSelector::Term out;
  const bool differs = equals > 0 && term[equals - 1] == '!';
  const bool doubled = !differs && equals + 1 < term.size() && term[equals + 1] == '=';
  auto value = unescape(term.substr(equals + (doubled ? 2 : 1)), whole);
  if (!value) return Unexpected(std::move(value.error()));
  out.field = term.substr(0, differs ? equals - 1 : equals);
  out.equals = !differs;
  out.value = std::move(*value);
  return out;
}

void append(std::string& out, const FieldSelector::Term& term) {
  out += term.field;
  out += term.equals ? "=" : "!=";
  for (const char c : term.value) {
    if (c == '\\' || c == ',' || c == '=') out += '\\';
    out += c;
  }
}

std::string text_of(const FieldSelector::Term& term) {
  std::string out;
  append(out, term);
  return out;
}

}  // namespace

FieldSelector FieldSelector::all_of(std::vector<Term> terms) {
  // A term without field and value is no restriction.
  std::erase_if(terms, [](const Term& term) { return term.field.empty() && term.value.empty(); });
  std::ranges::sort(terms, {}, text_of);
  FieldSelector out;
  out.terms_ = std::move(terms);
  return out;
}

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  std::vector<Term> terms;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view piece = next_term(rest);
    rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
    if (piece.empty()) continue;
    auto term = read_term(piece, text);
    if (!term) return Unexpected(std::move(term.error()));
    terms.push_back(std::move(*term));
  }
  return all_of(std::move(terms));
}

bool FieldSelector::matches(LabelLookup fields) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    return (fields(term.field).value_or(std::string_view{}) == term.value) == term.equals;
  });
}

std::string FieldSelector::to_string() const {
  std::string out;
  for (const Term& term : terms_) {
    if (!out.empty()) out += ',';
    append(out, term);
  }
  return out;
}

}  // namespace rescheduler::kube
