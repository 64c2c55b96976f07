// Runs an exec plugin once: finds the command, builds its environment, and explains failures.
#include <algorithm>
#include <filesystem>
#include <stop_token>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "kube/config/environment.h"
#include "kube/config/exec_source.h"
#include "kube/config/process.h"

namespace rescheduler::kube {
namespace {

constexpr std::size_t kMostComplaint = 500;  // of the plugin's stderr: enough for an error sentence, but bounded

bool is_executable(const std::string& path) {
  std::error_code ignored;  // an unreadable path is not a command
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// Empty if not found. Skips relative directories in PATH, because they depend on the working directory.
std::string find_command(const std::string& command, const Environment& environment) {
  if (command.find('/') != std::string::npos) return is_executable(command) ? command : std::string();
  const std::string path = environment.find("PATH").value_or("");
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string candidate = path.substr(at, end - at) + "/" + command;
    if (candidate.front() == '/' && path[at] == '/' && is_executable(candidate)) return candidate;
    at = end + 1;
  }
  return {};
}

std::vector<std::string> environment_of(const ExecPlugin& plugin) {
  std::vector<std::pair<std::string, std::string>> added;
  for (const auto& [name, value] : plugin.env) added.emplace_back(name, value.reveal());
  added.emplace_back("KUBERNETES_EXEC_INFO", exec_info_json(plugin));
  std::vector<std::string> lines;
  for (const std::string& line : plugin.inherited_env) {
    const std::string name = line.substr(0, line.find('='));
    const bool replaced = std::ranges::any_of(added, [&name](const auto& a) { return a.first == name; });
    if (!replaced) lines.push_back(line);
  }
  for (const auto& [name, value] : added) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

// The stderr of the plugin as one line, without known secrets.
std::string complaint(std::string text, const ExecPlugin& plugin) {
  constexpr std::string_view kRedacted = "[secret]";
  constexpr std::size_t kShortestSecret = 6;  // shorter values are usually plain words like "prod"
  for (const auto& [name, value] : plugin.env) {
    if (value.reveal().size() < kShortestSecret) continue;
    for (auto at = text.find(value.reveal()); at != std::string::npos;
         at = text.find(value.reveal(), at + kRedacted.size())) {
      text.replace(at, value.reveal().size(), kRedacted);
    }
  }
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "the plugin printed no reason";
  text = text.substr(first, text.find_last_not_of(' ') - first + 1);
  if (text.size() > kMostComplaint) {
    std::size_t end = kMostComplaint;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;  // do not cut a UTF-8 sequence
    text = text.substr(0, end) + " ...";
  }
  return text;
}

}  // namespace

Result<ExecAnswer> run_exec_plugin(const ExecPlugin& plugin, const ExecLimits& limits, std::stop_token stop) {
  const std::string where = "exec plugin " + plugin.command;
  const std::string hint = plugin.install_hint.empty() ? "install it, or correct the command" : plugin.install_hint;
  ProcessRequest request;
  request.path = find_command(plugin.command, Environment(plugin.inherited_env));
  if (request.path.empty()) {
    const bool is_path = plugin.command.find('/') != std::string::npos;
    return fail(Errc::Unauthenticated, "{}: {}; {}", where, is_path ? "no such executable file" : "not found in PATH",
                hint);
  }
  request.argv = plugin.args;
  request.argv.insert(request.argv.begin(), plugin.command);
  request.env = environment_of(plugin);
  request.timeout = limits.timeout;
  request.most_out = limits.most_output;

  const auto outcome = run_process(request, std::move(stop));
  if (!outcome) return fail(Error(outcome.error()).within(where));
  if (outcome->signal != 0) {
    return fail(Errc::Unavailable, "{}: ended by signal {}: {}", where, outcome->signal,
                complaint(outcome->err, plugin));
  }
  if (outcome->exit_code != 0) {
    return fail(Errc::Unavailable, "{}: ended with exit code {}: {}", where, outcome->exit_code,
                complaint(outcome->err, plugin));
  }
  auto answer = parse_exec_answer(outcome->out, plugin);
  if (!answer) return fail(Errc::Unauthenticated, "{}: {}", where, answer.error().message);
  return answer;
}

}  // namespace rescheduler::kube
