#include "kube/value/label_selector.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kube/value/quote.h"
#include "kube/value/requirement.h"

namespace rescheduler::kube {
namespace {

enum class Token : std::uint8_t { End, Word, Open, Close, Comma, Not, Equals, DoubleEquals, NotEquals, Gt, Lt };

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

constexpr std::string_view kSymbols = "=!(),<>";

// selector    := [ requirement { "," requirement } ]
// requirement := "!" key | key | key "in" set | key "notin" set | key ("=" | "==" | "!=" | ">" | "<") [ value ]
// set         := "(" [ value ] { "," [ value ] } ")"
// "in" and "notin" are operators only after a key; elsewhere they are normal words.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  Result<std::vector<Requirement>> parse() {
    if (text_.find('\0') != std::string_view::npos) {
      return fail(Errc::Invalid, "label selector {}: a NUL byte is not allowed", kube::quoted(text_));
    }
    std::vector<Requirement> out;
    if (token_ == Token::End) return out;
    for (;;) {
      auto next = requirement();
      if (!next) return Unexpected(std::move(next.error()));
      out.push_back(std::move(*next));
      if (token_ == Token::End) return out;
      if (token_ != Token::Comma) return expected("',' or the end");
      advance();
    }
  }

 private:
  Unexpected expected(std::string_view what) const {
    if (token_ == Token::End) {
      return fail(Errc::Invalid, "label selector {}: at its end: expected {}", kube::quoted(text_), what);
    }
    return fail(Errc::Invalid, "label selector {}: at byte {}: found {}, expected {}", kube::quoted(text_), began_,
                kube::quoted(word_), what);
  }

  void advance() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    began_ = at_;
    token_ = scan();
    word_ = text_.substr(began_, at_ - began_);
  }

  Token scan() {
    if (at_ == text_.size()) return Token::End;
    const bool equals_follows = at_ + 1 < text_.size() && text_[at_ + 1] == '=';
    switch (text_[at_]) {
      case '(': ++at_; return Token::Open;
      case ')': ++at_; return Token::Close;
      case ',': ++at_; return Token::Comma;
      case '>': ++at_; return Token::Gt;
      case '<': ++at_; return Token::Lt;
      case '=': at_ += equals_follows ? 2 : 1; return equals_follows ? Token::DoubleEquals : Token::Equals;
      case '!': at_ += equals_follows ? 2 : 1; return equals_follows ? Token::NotEquals : Token::Not;
      default: break;
    }
    while (at_ < text_.size() && !is_space(text_[at_]) && kSymbols.find(text_[at_]) == std::string_view::npos) ++at_;
    return Token::Word;
  }

  Result<Requirement> requirement() {
    const bool absent = token_ == Token::Not;
    if (absent) advance();
    if (token_ != Token::Word) return expected(absent ? "a key after '!'" : "a key or '!'");
    std::string key(word_);
    advance();
    if (absent) return Requirement::make(std::move(key), SelectorOp::DoesNotExist, {});
    SelectorOp op = SelectorOp::Exists;
    switch (token_) {
      case Token::End:
      case Token::Comma: return Requirement::make(std::move(key), SelectorOp::Exists, {});
      case Token::Equals: op = SelectorOp::Equals; break;
      case Token::DoubleEquals: op = SelectorOp::DoubleEquals; break;
      case Token::NotEquals: op = SelectorOp::NotEquals; break;
      case Token::Gt: op = SelectorOp::Gt; break;
      case Token::Lt: op = SelectorOp::Lt; break;
      default:
        if (word_ != "in" && word_ != "notin") return expected("one of in, notin, =, ==, !=, >, <");
        op = word_ == "in" ? SelectorOp::In : SelectorOp::NotIn;
    }
    advance();
    auto values = op == SelectorOp::In || op == SelectorOp::NotIn ? value_set() : one_value();
    if (!values) return Unexpected(std::move(values.error()));
    return Requirement::make(std::move(key), op, std::move(*values));
  }

  Result<std::vector<std::string>> one_value() {
    if (token_ == Token::End || token_ == Token::Comma) return std::vector<std::string>{std::string{}};
    if (token_ != Token::Word) return expected("a value");
    std::vector<std::string> values{std::string(word_)};
    advance();
    return values;
  }

  Result<std::vector<std::string>> value_set() {
    if (token_ != Token::Open) return expected("'('");
    advance();
    std::vector<std::string> values;
    for (;;) {
      std::string value;
      if (token_ == Token::Word) {
        value = word_;
        advance();
      }
      values.push_back(std::move(value));
      if (token_ == Token::Close) break;
      if (token_ != Token::Comma) return expected("',' or ')'");
      advance();
    }
    advance();
    return values;
  }

  std::string_view text_;
  std::size_t at_ = 0;     // the end of the current token
  std::size_t began_ = 0;  // the start of the current token
  Token token_ = Token::End;
  std::string_view word_;
};

}  // namespace

LabelSelector LabelSelector::all_of(std::vector<Requirement> requirements) {
  // Insertion sort keeps the order of equal keys; the lists have only a few entries.
  std::vector<Requirement> sorted;
  sorted.reserve(requirements.size());
  for (Requirement& next : requirements) {
    const auto place = std::ranges::upper_bound(sorted, next.key(), {}, &Requirement::key);
    sorted.insert(place, std::move(next));
  }
  return LabelSelector(std::move(sorted));
}

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  auto requirements = Parser(text).parse();
  if (!requirements) return Unexpected(std::move(requirements.error()));
  return all_of(std::move(*requirements));
}

Result<LabelSelector> LabelSelector::from(LabelSelectorSpec spec) {
  std::vector<Requirement> requirements;
  requirements.reserve(spec.match_labels.size() + spec.match_expressions.size());
  for (auto& [key, value] : spec.match_labels) {
    auto made = Requirement::make(std::move(key), SelectorOp::Equals, {std::move(value)});
    if (!made) return fail(std::move(made.error()).within("matchLabels"));
    requirements.push_back(std::move(*made));
  }
  for (auto& expression : spec.match_expressions) {
    const auto op = selector_op_named(expression.op);
    if (!op || *op == SelectorOp::Gt || *op == SelectorOp::Lt) {
      return fail(Errc::Invalid, "matchExpressions: {} is not an operator: use In, NotIn, Exists or DoesNotExist",
                  kube::quoted(expression.op));
    }
    auto made = Requirement::make(std::move(expression.key), *op, std::move(expression.values));
    if (!made) return fail(std::move(made.error()).within("matchExpressions"));
    requirements.push_back(std::move(*made));
  }
  return all_of(std::move(requirements));
}

std::string LabelSelector::to_string() const {
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    out += requirement.to_string();
  }
  return out;
}

}  // namespace rescheduler::kube
