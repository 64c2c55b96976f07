// What the embedded server serves besides resources: its version, its health, what there is to discover, and whatever
// other parts add (a node's metrics, a pod's log). Both doors answer from here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/server/server.h"

namespace rescheduler::sim {

struct TextAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body{};
};

class Documents {
 public:
  explicit Documents(const Server& server);
  ~Documents();
  Documents(const Documents&) = delete;
  Documents& operator=(const Documents&) = delete;

  // Paths that begin with the prefix are offered to the page first, with their query; it may decline with nothing.
  // Of several prefixes the longest is asked first.
  using Page = std::function<std::optional<TextAnswer>(const std::string& path_and_query)>;
  void add_path(std::string prefix, Page page);

  // Nothing: there is no such document, though there may be such a resource.
  std::optional<TextAnswer> find(const std::string& path_and_query, std::string_view accept);

 private:
  struct Cache;
  std::optional<TextAnswer> added(const std::string& path_and_query) const;
  std::optional<TextAnswer> fixed(std::string_view path, std::string_view accept);
  std::optional<TextAnswer> open_api(std::string_view path, std::string_view accept);

  const Server& server_;
  std::vector<std::pair<std::string, Page>> pages_;  // longest prefix first
  std::unique_ptr<Cache> cache_;
};

// The answer to a path nobody knows, as Go's HTTP server words it.
TextAnswer page_not_found();

}  // namespace rescheduler::sim
