// The version of the API server and the resources that it serves.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kube/client/api.h"

namespace rescheduler::kube {

struct ServerVersion {
  int major = 0;
  int minor = 0;
  std::string git_version{};  // "v1.36.1", the version shown to users

  auto operator<=>(const ServerVersion& other) const {
    return std::tie(major, minor) <=> std::tie(other.major, other.minor);
  }
  bool operator==(const ServerVersion& other) const { return major == other.major && minor == other.minor; }
};

// The oldest minor version with all features that the program needs, and the newest that the program was tested with.
inline constexpr int kOldestMinor = 24;
inline constexpr int kNewestTestedMinor = 36;

Result<ServerVersion> parse_server_version(std::string_view json);  // the answer of /version
// Fails below kOldestMinor. Returns a sentence to log if the version is newer than kNewestTestedMinor.
Result<std::optional<std::string>> check_supported(const ServerVersion& version);

net::Task<Result<ServerVersion>> read_server_version(Api& api);

// The result of discovery. A subresource is named like "pods/eviction".
class ServerResources {
 public:
  bool has(std::string_view group, std::string_view version, std::string_view plural) const;
  bool allows(std::string_view group, std::string_view version, std::string_view plural, std::string_view verb) const;
  // True if discovery of this group failed: its resources are unknown, and there may be more than has() reports.
  bool is_uncertain(std::string_view group, std::string_view version) const;
  // "metrics.k8s.io/v1beta1: why", for each group version with failed discovery.
  const std::vector<std::string>& uncertainties() const { return uncertainties_; }
  std::size_t size() const { return verbs_.size(); }

  void add(std::string_view group, std::string_view version, std::string_view plural, std::set<std::string> verbs);
  void add_uncertain(std::string_view group, std::string_view version, std::string_view why);

 private:
  std::map<std::string, std::set<std::string>, std::less<>> verbs_;  // by "group/version/plural"
  std::set<std::string, std::less<>> uncertain_;                     // "group/version"
  std::vector<std::string> uncertainties_;
};

// Needs two requests with aggregated discovery (1.26 and later), else one for each group and version. Fails only when
// the API server itself does not answer; a broken aggregated API is an uncertainty.
net::Task<Result<ServerResources>> discover_resources(Api& api);

}  // namespace rescheduler::kube
