#include "kube/config/environment.h"

#include <unistd.h>

namespace rescheduler::kube {

std::optional<std::string> Environment::find(std::string_view name) const {
  for (const std::string& line : lines_) {
    const std::string_view text = line;
    if (text.size() > name.size() + 1 && text.starts_with(name) && text[name.size()] == '=') {
      return line.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

Environment process_environment() {
  std::vector<std::string> lines;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) lines.emplace_back(*line);
  return Environment(std::move(lines));
}

}  // namespace rescheduler::kube
