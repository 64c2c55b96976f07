#include "net/http/http_text.h"

#include <algorithm>
#include <array>

namespace rescheduler::net {

namespace {

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
         || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_token_character); }

bool fits_on_a_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

// Header fields that define the end of the body. They are computed from the body itself.
bool is_framing(std::string_view lower_name) {
  return lower_name == "content-length" || lower_name == "transfer-encoding";
}

Result<void> append_fields(std::string& out, const Headers& headers, std::string_view leave_out) {
  for (const auto& [name, value] : headers) {
    const std::string lower_name = lower_case(name);
    if (is_framing(lower_name) || lower_name == leave_out) continue;
    if (!is_token(name)) return fail(Errc::Invalid, "'{}' is not a valid HTTP header name", name);
    if (!fits_on_a_line(value)) return fail(Errc::Invalid, "the HTTP header '{}' must not contain line breaks", name);
    out.append(name).append(": ").append(value).append("\r\n");
  }
  return {};
}

}  // namespace

std::string host_header(const Origin& origin) {
  const bool bracket = origin.host.find(':') != std::string::npos;
  std::string host = bracket ? "[" + origin.host + "]" : origin.host;
  if (origin.port != (origin.tls ? 443 : 80)) host += ":" + std::to_string(origin.port);
  return host;
}

Result<std::string> request_head(const HttpRequest& request, const Origin& origin) {
  if (!is_token(request.method)) return fail(Errc::Invalid, "'{}' is not an HTTP method", request.method);
  const bool printable = std::ranges::all_of(request.target, [](char c) { return c > ' ' && c != '\x7f'; });
  if (!request.target.starts_with('/') || !printable) {
    return fail(Errc::Invalid, "'{}' is not an encoded path of a request: it must begin with / and contain no spaces",
                request.target);
  }
  std::string out;
  out.reserve(512);
  out.append(request.method).append(" ").append(request.target).append(" HTTP/1.1\r\n");
  if (!request.headers.find("host")) out.append("Host: ").append(host_header(origin)).append("\r\n");
  if (auto good = append_fields(out, request.headers, {}); !good) return fail(std::move(good.error()));
  constexpr std::array<std::string_view, 3> kWithBody = {"POST", "PUT", "PATCH"};
  if (!request.body.empty() || std::ranges::find(kWithBody, request.method) != kWithBody.end()) {
    out += fmt::format("Content-Length: {}\r\n", request.body.size());
  }
  out += "\r\n";
  return out;
}

Result<std::string> response_head(const HttpResponse& response, BodyFraming framing, bool keep_alive) {
  if (response.status < 200 || response.status > 999) {
    return fail(Errc::Invalid, "{} is not a valid status of an HTTP response", response.status);
  }
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  if (auto good = append_fields(out, response.headers, "connection"); !good) return fail(std::move(good.error()));
  if (framing == BodyFraming::Length) {
    out += fmt::format("Content-Length: {}\r\n", response.body.size());
  }
  if (framing == BodyFraming::Chunked) out += "Transfer-Encoding: chunked\r\n";
  if (!keep_alive) out += "Connection: close\r\n";
  out += "\r\n";
  return out;
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "Payload Too Large";
    case 415: return "Unsupported Media Type";
    case 422: return "Unprocessable Entity";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "Status";
  }
}

bool has_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    while (item.starts_with(' ') || item.starts_with('\t')) item.remove_prefix(1);
    while (item.ends_with(' ') || item.ends_with('\t')) item.remove_suffix(1);
    if (lower_case(item) == token) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

bool is_idempotent(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" || method == "OPTIONS";
}

}  // namespace rescheduler::net
