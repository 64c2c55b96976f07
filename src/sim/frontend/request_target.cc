#include "sim/frontend/request_target.h"

#include <algorithm>

#include "net/http/http.h"

namespace rescheduler::sim {
namespace {

std::optional<std::string> decoded(std::string_view text) {
  std::string plain(text);
  std::ranges::replace(plain, '+', ' ');
  return net::percent_decode(plain);
}

std::optional<std::vector<std::string>> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const auto end = std::min(path.find('/'), path.size());
    auto segment = net::percent_decode(path.substr(0, end));
    if (!segment) return std::nullopt;
    if (!segment->empty()) segments.push_back(std::move(*segment));
    path.remove_prefix(end);
  }
  return segments;
}

// "/namespaces/x/status" is a subresource of the namespace, not a collection in it.
bool is_of_namespace_itself(std::string_view word) { return word == "status" || word == "finalize"; }

}  // namespace

std::optional<Query> Query::parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const auto equals = std::min(pair.find('='), pair.size());
    auto key = decoded(pair.substr(0, equals));
    auto value = decoded(pair.substr(std::min(equals + 1, pair.size())));
    if (!key || !value) return std::nullopt;
    query.values_.emplace(std::move(*key), std::move(*value));
  }
  return query;
}

std::string Query::get(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::string() : found->second;
}

bool Query::flag(std::string_view key) const {
  const auto found = values_.find(key);
  return found != values_.end() && found->second != "false" && found->second != "0";
}

std::optional<ResourcePath> parse_resource_path(std::string_view path) {
  auto segments = segments_of(path);
  if (!segments || segments->size() < 3) return std::nullopt;
  ResourcePath out;
  std::size_t next = 0;
  const auto take = [&segments, &next] {
    return next < segments->size() ? std::move((*segments)[next++]) : std::string();
  };
  const std::string root = take();
  if (root != "api" && root != "apis") return std::nullopt;
  if (root == "apis") out.group = take();
  out.version = take();
  if (next >= segments->size()) return std::nullopt;
  const bool below_namespace = (*segments)[next] == "namespaces" && segments->size() - next >= 3
                               && !is_of_namespace_itself((*segments)[next + 2]);
  if (below_namespace) {
    take();
    out.ns = take();
  }
  out.plural = take();
  out.name = take();
  while (next < segments->size()) {
    if (!out.subresource.empty()) out.subresource += '/';
    out.subresource += take();
  }
  return out;
}

}  // namespace rescheduler::sim
