// HTTP messages as values, shared by client and server.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rescheduler::net {

// A flat list with case-insensitive names: a message has few headers.
class Headers {
 public:
  using Entry = std::pair<std::string, std::string>;

  void set(std::string_view name, std::string_view value);  // replaces
  void add(std::string_view name, std::string_view value);
  std::optional<std::string_view> find(std::string_view name) const;
  std::string_view get(std::string_view name, std::string_view otherwise = {}) const;

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;
};

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // path and query, already encoded
  Headers headers{};
  std::string body{};
};

struct HttpResponse {
  int status = 0;
  Headers headers{};
  std::string body{};
};

// %-encodes everything outside the unreserved set of RFC 3986.
std::string percent_encode(std::string_view text);
std::optional<std::string> percent_decode(std::string_view text);  // nullopt: malformed escape

}  // namespace rescheduler::net
