#include "server/health.h"

#include <algorithm>

#include "base/log.h"
#include "server/routes.h"

namespace rescheduler::server {

HealthChecks::HealthChecks(std::string endpoint) : endpoint_(std::move(endpoint)) {
  add("ping", [] { return Result<void>{}; });
}

void HealthChecks::add(std::string name, Check check) { checks_.emplace_back(std::move(name), std::move(check)); }

net::HttpResponse HealthChecks::answer(const RequestTarget& target) const {
  std::string_view below = target.path;
  below.remove_prefix(std::min(endpoint_.size() + 2, below.size()));  // "/readyz/"
  if (below.empty()) return answer_all(target);
  for (const auto& [name, check] : checks_) {
    if (name != below) continue;
    auto passed = check();
    if (passed) return text_response(200, "ok");
    return text_response(500, fmt::format("internal server error: {}\n", passed.error().message));
  }
  return text_response(404, fmt::format("There is no check '{}' under /{}.\n", below, endpoint_));
}

net::HttpResponse HealthChecks::answer_all(const RequestTarget& target) const {
  std::vector<std::string> excluded = target.all("exclude");
  std::string lines;
  bool passed = true;
  for (const auto& [name, check] : checks_) {
    if (const auto found = std::ranges::find(excluded, name); found != excluded.end()) {
      excluded.erase(found);
      lines += fmt::format("[+]{} excluded: ok\n", name);
      continue;
    }
    if (auto well = check(); well) {
      lines += fmt::format("[+]{} ok\n", name);
    } else {
      passed = false;
      // As in Kubernetes, the list does not contain the reason. It is in the log and under the path of the check.
      lines += fmt::format("[-]{} failed: reason withheld\n", name);
      log_warning("{} check {} failed: {}", endpoint_, name, well.error().message);
    }
  }
  for (const std::string& name : excluded) {
    lines += fmt::format("warn: some health checks cannot be excluded: no matches for \"{}\"\n", name);
  }
  for (const auto& [name, note] : notes_) {
    if (const auto text = note()) lines += fmt::format("[i]{}: {}\n", name, *text);
  }
  if (!passed) return text_response(500, fmt::format("{}{} check failed\n", lines, endpoint_));
  if (!target.has("verbose")) return text_response(200, "ok");
  return text_response(200, fmt::format("{}{} check passed\n", lines, endpoint_));
}

}  // namespace rescheduler::server
