// Who asks, as the cluster knows them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rescheduler::server {

struct Visitor {
  std::string name;
  std::string uid{};
  std::vector<std::string> groups{};
  std::map<std::string, std::vector<std::string>> extra{};
};
using VisitorPtr = std::shared_ptr<const Visitor>;

}  // namespace rescheduler::server
