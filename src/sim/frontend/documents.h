// What the embedded server serves besides resources: version, health, discovery, OpenAPI, and pages that other parts
// add (metrics of a node, log of a pod). Both frontends use it.
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

  // `page` is called first for paths that begin with the prefix, with their query. It can decline with an empty result.
  // If several prefixes match, the longest is tried first.
  using Page = std::function<std::optional<TextAnswer>(const std::string& path_and_query)>;
  void add_path(std::string prefix, Page page);

  // Empty: no document has this path; the path can be that of a resource.
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

// The answer to an unknown path, with the text of Go's HTTP server.
TextAnswer page_not_found();

}  // namespace rescheduler::sim
