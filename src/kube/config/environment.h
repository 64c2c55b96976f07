// The process environment as a value: it comes in as a parameter, so that tests have their own and nothing below
// the command line depends on the machine it runs on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rescheduler::kube {

class Environment {
 public:
  Environment() = default;
  explicit Environment(std::vector<std::string> lines) : lines_(std::move(lines)) {}  // "NAME=value"

  // An empty value counts as absent, as it does for everything Kubernetes reads.
  std::optional<std::string> find(std::string_view name) const;
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

Environment process_environment();  // for main()

}  // namespace rescheduler::kube
