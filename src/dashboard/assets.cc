#include "dashboard/assets.h"

#include <algorithm>

#include "server/routes.h"

namespace rescheduler::dashboard {
namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

const Asset* find(std::span<const Asset> all, std::string_view path) {
  const auto found = std::ranges::find(all, path, &Asset::path);
  return found == all.end() ? nullptr : &*found;
}

bool takes_gzip(const net::HttpRequest& request) {
  const std::string_view accepted = request.headers.get("Accept-Encoding");
  return accepted.find("gzip") != std::string_view::npos && accepted.find("gzip;q=0") == std::string_view::npos;
}

// A route of the application has no dot in its last part; a missing file has one.
bool is_place(std::string_view path) {
  const auto slash = path.rfind('/');
  return path.substr(slash == std::string_view::npos ? 0 : slash + 1).find('.') == std::string_view::npos;
}

}  // namespace

void set_page_headers(net::HttpResponse& response) {
  response.headers.set("Content-Security-Policy", kPolicy);
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Referrer-Policy", "no-referrer");
  response.headers.set("Cross-Origin-Opener-Policy", "same-origin");
  response.headers.set("Cross-Origin-Resource-Policy", "same-origin");
  response.headers.set("X-Frame-Options", "DENY");
}

net::HttpResponse page_for(std::span<const Asset> all, std::string_view path, const net::HttpRequest& request) {
  const Asset* asset = find(all, path);
  if (asset == nullptr && is_place(path)) asset = find(all, "index.html");
  if (asset == nullptr) {
    net::HttpResponse missing = server::text_response(404, "Page not found.\n");
    set_page_headers(missing);
    return missing;
  }
  net::HttpResponse response;
  set_page_headers(response);
  response.headers.set("ETag", asset->tag);
  response.headers.set("Vary", "Accept-Encoding");
  response.headers.set("Cache-Control", asset->hashed ? "public, max-age=31536000, immutable" : "no-cache");
  if (request.headers.get("If-None-Match") == asset->tag) {
    response.status = 304;
    return response;
  }
  response.status = 200;
  response.headers.set("Content-Type", asset->type);
  if (!asset->gzip.empty() && takes_gzip(request)) {
    response.headers.set("Content-Encoding", "gzip");
    response.body = asset->gzip;
  } else {
    response.body = asset->plain;
  }
  return response;
}

}  // namespace rescheduler::dashboard
