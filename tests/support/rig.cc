#include "support/rig.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "support/command.h"

namespace rescheduler::test {
namespace {

// Exit code of `rig` if this machine lacks something (Go, the built binaries).
constexpr int kCannotBeHad = 3;

Result<std::string> run_rig(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), RESCHEDULER_RIG);
  const CommandOutcome outcome = run_command(arguments);
  if (outcome.exit_code == 0) return outcome.output;
  std::string words;
  for (const std::string& word : arguments) words += word + ' ';
  return fail(outcome.exit_code == kCannotBeHad ? Errc::NotFound : Errc::Internal,
              "the real control plane is not available: {}exited with {} (run `make rig`)", words, outcome.exit_code);
}

}  // namespace

Result<Rig> Rig::from_json(const std::string& text, bool owned) {
  boost::system::error_code problem;
  const boost::json::value parsed = boost::json::parse(text, problem);
  if (problem) return fail(Errc::Internal, "rig answered no JSON: {}", text);
  const auto field = [&parsed](const char* name) { return std::string{parsed.at(name).as_string()}; };
  Rig rig;
  rig.owned_ = owned;
  rig.name_ = field("name");
  rig.dir_ = field("dir");
  rig.bin_dir_ = field("bin_dir");
  rig.kubeconfig_ = field("kubeconfig");
  rig.server_ = field("server");
  rig.ca_file_ = field("ca_file");
  for (const auto& [component, pid] : parsed.at("pids").as_object()) {
    if (pid.is_int64()) rig.pids_[component] = static_cast<int>(pid.as_int64());
  }
  return rig;
}

Result<Rig> Rig::shared() {
  // tests/support/shared_rig leaves the output of `rig up` in this file, or the reason why there is no rig.
  if (std::ifstream file{RESCHEDULER_SHARED_RIG_FILE}) {
    std::stringstream text;
    text << file.rdbuf();
    if (!text.str().starts_with('{')) return fail(Errc::NotFound, "{}", text.str());
    return from_json(text.str(), false);
  }
  return fresh();
}

Result<Rig> Rig::fresh(std::vector<std::string> up) {
  std::vector<std::string> arguments{"up", "--json", "--keep-alive-of", std::to_string(getpid())};
  arguments.insert(arguments.end(), up.begin(), up.end());
  auto answer = run_rig(std::move(arguments));
  if (!answer) return fail(std::move(answer.error()));
  return from_json(*answer, true);
}

Rig::Rig(Rig&& other) noexcept
    : owned_(std::exchange(other.owned_, false)),
      name_(std::move(other.name_)),
      dir_(std::move(other.dir_)),
      bin_dir_(std::move(other.bin_dir_)),
      kubeconfig_(std::move(other.kubeconfig_)),
      server_(std::move(other.server_)),
      ca_file_(std::move(other.ca_file_)),
      pids_(std::move(other.pids_)) {}

Rig::~Rig() {
  if (!owned_) return;
  // If this fails, the watchdog of `rig up --keep-alive-of` stops the rig.
  (void)run_rig({"down", name_});
}

Result<std::string> Rig::product_kubeconfig() const {
  // ctest's fixture has written this file for the shared rig; for a separate rig the first call writes it.
  const std::string path = owned_ ? dir_ + "/product.kubeconfig" : RESCHEDULER_SHARED_RIG_FILE ".account";
  if (std::ifstream{path}) return path;
  const CommandOutcome outcome = run_command({RESCHEDULER_PRODUCT_ACCOUNT, bin_dir_ + "/kubectl", kubeconfig_, path});
  if (outcome.exit_code != 0) return fail(Errc::Internal, "product_account: {}", outcome.output);
  return path;
}

void Rig::note_use() const {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) return;
  std::ofstream(RESCHEDULER_SHARED_RIG_FILE ".ran", std::ios::app)
      << test->test_suite_name() << "." << test->name() << "\n";
}

Result<std::string> Rig::command(std::string command, std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {std::move(command), name_});
  return run_rig(std::move(arguments));
}

std::string any_kubectl() {
  auto path = run_rig({"which", "kubectl"});
  if (path) return path->substr(0, path->find('\n'));
  const CommandOutcome debian = run_command({RESCHEDULER_DEBIAN_KUBECTL});
  return debian.exit_code == 0 ? debian.output.substr(0, debian.output.find('\n')) : std::string{};
}

}  // namespace rescheduler::test
