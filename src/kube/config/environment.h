// The process environment as a value. Code takes it as a parameter, so that tests can pass their own and only the
// command line depends on the machine.
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

  // An empty value counts as absent, as in Kubernetes.
  std::optional<std::string> find(std::string_view name) const;
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

Environment process_environment();  // for main()

}  // namespace rescheduler::kube
