// The user of a request, as the API server knows it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rescheduler::server {

struct UserInfo {
  std::string name;
  std::string uid{};
  std::vector<std::string> groups{};
  std::map<std::string, std::vector<std::string>> extra{};
};
using UserInfoPtr = std::shared_ptr<const UserInfo>;

}  // namespace rescheduler::server
