// Who holds which token and may ask for which path, for tests of what asks the API server about it. Resources stay open
// to everybody: permissions on them are the real control plane's to test.
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
  std::string path;  // "/configz"; with "*" at its end: all that begin so
};

struct AccessTable {
  std::map<std::string, KnownUser> tokens{};  // every other token is nobody's
  std::vector<PathRule> rules{};
};

}  // namespace rescheduler::sim
