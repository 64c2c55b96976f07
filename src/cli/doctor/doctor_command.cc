#include "cli/doctor/doctor_command.h"

#include <cstdio>

#include <fmt/core.h>

#include "cli/connection.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/read_facts.h"
#include "cli/doctor/report.h"
#include "cli/view/terminal.h"
#include "kube/config/file.h"

namespace rescheduler::cli {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{16} << 20U;
constexpr int kNoAnswer = 2;

int complain(const Error& error) {
  fmt::print(stderr, "rescheduler doctor: {}\n", error.message);
  return kNoAnswer;
}

// User and groups that the API server derives from a token of the account.
Result<kube::Impersonation> account_of(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) {
    return fail(Errc::Invalid, "--as-service-account must be NAMESPACE/NAME, not '{}'", text);
  }
  const std::string ns = text.substr(0, slash);
  kube::Impersonation account;
  account.user = fmt::format("system:serviceaccount:{}:{}", ns, text.substr(slash + 1));
  account.groups = {"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"};
  return account;
}

Result<doctor::FactsRequest> make_request(const DoctorOptions& options) {
  doctor::FactsRequest request;
  request.ns = options.ns;
  request.subject_name = "this kubeconfig's user";
  if (!options.config.empty()) {
    auto text = kube::read_whole_file(options.config, kMostConfigBytes);
    if (!text) return fail(std::move(text.error()));
    request.config_file = options.config;
    request.config_text = std::move(*text);
  }
  return request;
}

}  // namespace

int run_doctor(const DoctorOptions& options) {
  const auto config = cluster_named(options.kubeconfig, options.context);
  if (!config) return complain(config.error());
  auto request = make_request(options);
  if (!request) return complain(request.error());
  kube::ClientConfig subject_config = *config;
  if (!options.as_service_account.empty()) {
    auto account = account_of(options.as_service_account);
    if (!account) return complain(account.error());
    subject_config.credentials.impersonation = std::move(*account);
    request->subject_name = "ServiceAccount " + options.as_service_account;
  }

  Connection connection;
  const auto api = connection.open(*config);
  if (!api) return complain(api.error());
  const auto subject = connection.open(subject_config);
  if (!subject) return complain(subject.error());
  request->api = *api;
  request->subject = *subject;
  auto facts = connection.await(doctor::read_facts(std::move(*request), connection.services()));
  if (!facts) return complain(facts.error());

  const doctor::Findings findings = doctor::check_all(*facts);
  if (options.output == "json") {
    fmt::print("{}", doctor::json_of(findings));
  } else {
    ViewStyle style = terminal_style();
    if (!stdout_is_terminal()) style.colour = false;
    fmt::print("cluster  {} ({})\n\n{}", config->origin.text(), config->description, doctor::table_of(findings, style));
  }
  return doctor::exit_code(findings);
}

}  // namespace rescheduler::cli
