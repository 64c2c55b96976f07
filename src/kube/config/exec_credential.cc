#include "kube/config/exec_credential.h"

#include <boost/json.hpp>

#include "kube/config/http_text.h"
#include "kube/value/base64.h"
#include "kube/value/time.h"

namespace rescheduler::kube {
namespace {

namespace json = boost::json;

// The member if it is a string, empty if it is absent or null, and an error otherwise.
Result<std::string> string_member(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || value->is_null()) return std::string();
  if (!value->is_string()) return fail(Errc::Invalid, "{} is not a string", name);
  return std::string(value->get_string());
}

// Some plugins write a year beyond the range of WallTime to mean "never".
std::optional<WallTime> parse_expiry(const std::string& text) {
  const auto written = parse_unix_time(text);
  if (!written) return std::nullopt;
  if (const auto time = time_from_unix(written->seconds, written->nanoseconds)) return *time;
  return written->seconds > 0 ? std::optional(WallTime::max()) : std::nullopt;
}

Result<ExecAnswer> read_status(const json::object& status) {
  auto token = string_member(status, "token");
  if (!token) return fail(std::move(token.error()));
  auto certificate = string_member(status, "clientCertificateData");
  if (!certificate) return fail(std::move(certificate.error()));
  auto key = string_member(status, "clientKeyData");
  if (!key) return fail(std::move(key.error()));
  const auto expiry = string_member(status, "expirationTimestamp");
  if (!expiry) return fail(expiry.error());

  ExecAnswer answer;
  if (certificate->empty() != key->empty()) {
    return fail(Errc::Invalid, "clientCertificateData and clientKeyData must be given together");
  }
  if (token->empty() && certificate->empty()) {
    return fail(Errc::Invalid, "status has neither a token nor a client certificate");
  }
  if (!is_header_safe(*token)) return fail(Errc::Invalid, "the token contains a line break or control character");
  if (!expiry->empty()) {
    const auto time = parse_expiry(*expiry);
    if (!time) return fail(Errc::Invalid, "expirationTimestamp is not an RFC 3339 time");
    answer.expires = *time;
  }
  answer.token = Secret(std::move(*token));
  if (!certificate->empty()) {
    answer.certificate =
        std::make_shared<const ClientCertificate>(ClientCertificate{std::move(*certificate), Secret(std::move(*key))});
  }
  return answer;
}

}  // namespace

std::string exec_cluster_json(const ExecClusterInfo& cluster) {
  json::object object;
  object["server"] = cluster.server;
  if (!cluster.tls_server_name.empty()) object["tls-server-name"] = cluster.tls_server_name;
  if (cluster.insecure_skip_tls_verify) object["insecure-skip-tls-verify"] = true;
  if (!cluster.ca_pem.empty()) object["certificate-authority-data"] = base64_encode(cluster.ca_pem);
  json::error_code problem;
  const json::value config = json::parse(cluster.config_json.empty() ? "null" : cluster.config_json, problem);
  if (!problem && !config.is_null()) object["config"] = config;  // serialized by yaml_to_json
  return json::serialize(object);
}

std::string exec_info_json(const ExecPlugin& plugin) {
  json::object spec;
  spec["interactive"] = false;
  json::error_code problem;
  const json::value cluster = json::parse(plugin.cluster_json.empty() ? "null" : plugin.cluster_json, problem);
  if (!problem && !cluster.is_null()) spec["cluster"] = cluster;  // serialized by exec_cluster_json
  json::object info;
  info["apiVersion"] = plugin.api_version;
  info["kind"] = "ExecCredential";
  info["spec"] = std::move(spec);
  return json::serialize(info);
}

Result<ExecAnswer> parse_exec_answer(std::string_view text, const ExecPlugin& plugin) {
  json::error_code problem;
  const json::value document = json::parse(json::string_view(text.data(), text.size()), problem);
  if (problem || !document.is_object()) return fail(Errc::Invalid, "its output is not a JSON object");
  const json::object& object = document.get_object();
  const auto kind = string_member(object, "kind");
  const auto api_version = string_member(object, "apiVersion");
  if (!kind || *kind != "ExecCredential") return fail(Errc::Invalid, "its output is not an ExecCredential");
  if (!api_version || *api_version != plugin.api_version) {
    return fail(Errc::Invalid,
                "its output has another apiVersion than the {} of the kubeconfig; change the apiVersion there, or "
                "update the plugin",
                plugin.api_version);
  }
  const json::value* status = object.if_contains("status");
  if (status == nullptr || !status->is_object()) return fail(Errc::Invalid, "its output has no status");
  return read_status(status->get_object());
}

}  // namespace rescheduler::kube
