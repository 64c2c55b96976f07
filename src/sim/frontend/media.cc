#include "sim/frontend/media.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <vector>

namespace rescheduler::sim {
namespace {

struct Clause {
  std::string type;
  std::map<std::string, std::string, std::less<>> parameters{};
  double quality = 1;

  std::string_view get(std::string_view key) const {
    const auto found = parameters.find(key);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  }
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Removes the part up to the separator from the text and returns it.
std::string_view next_part(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(part);
}

Clause parse_clause(std::string_view text) {
  Clause clause;
  clause.type = lower(next_part(text, ';'));
  while (!text.empty()) {
    std::string_view parameter = next_part(text, ';');
    const std::string_view key = next_part(parameter, '=');
    if (key == "q") {
      clause.quality = std::strtod(std::string(parameter).c_str(), nullptr);
    } else if (!key.empty()) {
      clause.parameters.emplace(std::string(key), std::string(parameter));
    }
  }
  return clause;
}

std::optional<Format::Shape> shape_of(const Clause& clause, kube::Encoding encoding, const Offer& offer) {
  const std::string_view as = clause.get("as");
  if (as.empty()) return Format::Shape::Whole;
  if (clause.get("g") != "meta.k8s.io" || clause.get("v") != "v1") return std::nullopt;
  if (as == "Table" && encoding == kube::Encoding::Json) return Format::Shape::Table;
  if (as == (offer.list ? "PartialObjectMetadataList" : "PartialObjectMetadata")) return Format::Shape::Metadata;
  return std::nullopt;
}

std::optional<Format> format_of(const Clause& clause, const Offer& offer) {
  Format format;
  const bool json =
      clause.type == kube::media_type(kube::Encoding::Json) || clause.type == "*/*" || clause.type == "application/*";
  if (!json) {
    if (clause.type != kube::media_type(kube::Encoding::Protobuf)) return std::nullopt;
    format.encoding = kube::Encoding::Protobuf;
  }
  const auto shape = shape_of(clause, format.encoding, offer);
  if (!shape) return std::nullopt;
  // Metadata has a protobuf form for every kind.
  if (!json && !offer.protobuf && *shape != Format::Shape::Metadata) return std::nullopt;
  format.shape = *shape;
  return format;
}

}  // namespace

std::optional<Format> negotiate(std::string_view accept, const Offer& offer) {
  if (trimmed(accept).empty()) return Format{};
  std::vector<Clause> clauses;
  while (!accept.empty()) clauses.push_back(parse_clause(next_part(accept, ',')));
  std::vector<std::size_t> order(clauses.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&clauses](std::size_t a, std::size_t b) {
    return clauses[a].quality != clauses[b].quality ? clauses[a].quality > clauses[b].quality : a < b;
  });
  for (const std::size_t i : order) {
    if (auto format = format_of(clauses[i], offer)) return format;
  }
  return std::nullopt;
}

std::string bare_media_type(std::string_view header) { return lower(next_part(header, ';')); }

}  // namespace rescheduler::sim
