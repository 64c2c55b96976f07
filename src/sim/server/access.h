// Which user has which token, and which paths each user can request. For tests of authentication and authorization
// against the API server. Every user can access all resources: their permissions are tested on a real control plane.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace rescheduler::sim {

struct KnownUser {
  std::string name;
  std::vector<std::string> groups{};
};

struct PathRule {
  std::string user;
  std::string verb;  // "get"; "*": any
  std::string path;  // "/configz"; with "*" at the end: a prefix
};

struct AccessTable {
  std::map<std::string, KnownUser> tokens{};  // every other token is invalid
  std::vector<PathRule> rules{};
};

}  // namespace rescheduler::sim
