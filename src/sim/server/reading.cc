// Lists: at the current version, at an earlier version, in pages.
#include <charconv>

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "kube/codec/metadata.h"
#include "kube/proto/meta.pb.h"
#include "sim/server/continue_token.h"
#include "sim/server/selection.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

std::string key_of(const Version& version) {
  const ObjectPtr object = version.object();
  const auto& metadata = kube::metadata_of(*object);
  return fmt::format("{}/{}", metadata.namespace_(), metadata.name());
}

// The version that a list shows, and the key where it starts.
struct View {
  std::uint64_t version = 0;
  bool past = false;
  std::string after{};
};

ApiResult<View> view_of(const Store& store, const Kind& kind, const ListQuery& query) {
  View view{store.version()};
  if (!query.continue_token.empty()) {
    auto token = ContinueToken::decode(query.continue_token);
    if (!token) return refuse(std::move(token.error()));
    if (!store.has_history_since(kind, token->version)) {
      return refuse(
          expired("The provided continue parameter is too old to display a consistent list result. You can start a new "
                  "list without the continue parameter."));
    }
    return View{token->version, token->version != store.version(), std::move(token->after)};
  }
  if (query.resource_version.empty() || query.resource_version == "0") return view;
  auto version = parse_version(query.resource_version);
  if (!version) return refuse(std::move(version.error()));
  if (*version > store.version()) {
    StatusError late{504, "Timeout",
                     fmt::format("Too large resource version: {}, current: {}", *version, store.version())};
    late.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
    late.retry_after_seconds = 1;
    return refuse(std::move(late));
  }
  if (query.resource_version_match != "Exact") return view;
  if (!store.has_history_since(kind, *version)) {
    return refuse(expired(fmt::format("The resourceVersion for the provided list is too old: {}", *version)));
  }
  return View{*version, *version != store.version()};
}

}  // namespace

ApiResult<std::uint64_t> parse_version(std::string_view text) {
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return refuse(bad_request(fmt::format("invalid resource version \"{}\": it is not a number", text)));
  }
  return version;
}

ApiResult<Listing> Server::list(const Kind& kind, const ListQuery& query) const {
  auto selection = Selection::parse(kind, query.ns, query.label_selector, query.field_selector);
  if (!selection) return refuse(std::move(selection.error()));
  Listing listing;
  if (const auto provider = providers_.find(&kind); provider != providers_.end()) {
    for (VersionPtr& version : provided(provider->second, kind, selection->ns())) {
      if (selection->matches(*version)) listing.items.push_back(std::move(version));
    }
    return listing;
  }
  const auto view = view_of(store_, kind, query);
  if (!view) return refuse(view.error());
  listing.resource_version = fmt::format_int(view->version).str();

  // One object beyond the limit shows that there is another page.
  bool more = false;
  std::int64_t left = 0;
  const bool count_rest = selection->selects_all();
  const auto visit = [&](const VersionPtr& version) {
    const bool full = query.limit != 0 && listing.items.size() == query.limit;
    if (full && count_rest) {
      ++left;
      return more = true;
    }
    if (!selection->matches(*version)) return true;
    if (full) {
      more = true;
      return false;
    }
    listing.items.push_back(version);
    return true;
  };
  if (view->past) {
    store_.for_each_as_of(view->version, kind, selection->ns(), view->after, visit);
  } else if (!selection->name().empty() && (!selection->ns().empty() || !kind.namespaced) && view->after.empty()) {
    if (const VersionPtr one = store_.find(kind, selection->ns(), selection->name())) visit(one);
  } else {
    store_.for_each(kind, selection->ns(), view->after, visit);
  }
  if (more) {
    listing.continue_token = ContinueToken{view->version, key_of(*listing.items.back())}.encode();
    if (count_rest) listing.remaining = left;
  }
  return listing;
}

}  // namespace rescheduler::sim
