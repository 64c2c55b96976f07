#include "kube/discovery/server_info.h"

#include <array>
#include <charconv>

#include "kube/codec/json.h"
#include "kube/discovery/discovery_document.h"
#include "kube/proto/discovery.pb.h"

namespace rescheduler::kube {
namespace {

// The leading digits of a text: some vendors write "24+".
std::optional<int> leading_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  return number;
}

// "v1.24.3-eks-1": for servers that do not set major and minor.
void read_git_version(std::string_view text, std::optional<int>& major, std::optional<int>& minor) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return;
  major = leading_number(text);
  minor = leading_number(text.substr(dot + 1));
}

std::string group_version(std::string_view group, std::string_view version) {
  return fmt::format("{}/{}", group, version);
}

std::string resource_key(std::string_view group, std::string_view version, std::string_view plural) {
  return fmt::format("{}/{}/{}", group, version, plural);
}

}  // namespace

Result<ServerVersion> parse_server_version(std::string_view json) {
  api::VersionInfo info;
  auto read = from_json(json, info);
  if (!read) return fail(std::move(read.error()).within("the server's /version"));
  std::optional<int> major = leading_number(info.major());
  std::optional<int> minor = leading_number(info.minor());
  if (!major || !minor) read_git_version(info.git_version(), major, minor);
  if (!major || !minor) {
    return fail(Errc::Invalid, "the server's /version holds no Kubernetes version (major '{}', minor '{}', '{}')",
                info.major(), info.minor(), info.git_version());
  }
  return ServerVersion{*major, *minor, info.git_version()};
}

Result<std::optional<std::string>> check_supported(const ServerVersion& version) {
  if (version < ServerVersion{1, kOldestMinor, {}}) {
    return fail(Errc::Unsupported, "the API server is Kubernetes {}.{} ({}), but rescheduler needs 1.{} or later",
                version.major, version.minor, version.git_version, kOldestMinor);
  }
  if (version > ServerVersion{1, kNewestTestedMinor, {}}) {
    return fmt::format(
        "the API server is Kubernetes {}.{} ({}), newer than the newest tested version (1.{}); continuing",
        version.major, version.minor, version.git_version, kNewestTestedMinor);
  }
  return std::nullopt;
}

net::Task<Result<ServerVersion>> read_server_version(Api& api) {
  auto text = co_await api.get_text("/version", "application/json");
  if (!text) co_return fail(std::move(text.error()));
  co_return parse_server_version(*text);
}

bool ServerResources::has(std::string_view group, std::string_view version, std::string_view plural) const {
  return verbs_.contains(resource_key(group, version, plural));
}

bool ServerResources::allows(std::string_view group,
                             std::string_view version,
                             std::string_view plural,
                             std::string_view verb) const {
  const auto found = verbs_.find(resource_key(group, version, plural));
  return found != verbs_.end() && found->second.contains(std::string(verb));
}

bool ServerResources::is_uncertain(std::string_view group, std::string_view version) const {
  return uncertain_.contains(group_version(group, version));
}

void ServerResources::add(std::string_view group,
                          std::string_view version,
                          std::string_view plural,
                          std::set<std::string> verbs) {
  verbs_.insert_or_assign(resource_key(group, version, plural), std::move(verbs));
}

void ServerResources::add_uncertain(std::string_view group, std::string_view version, std::string_view why) {
  uncertain_.insert(group_version(group, version));
  uncertainties_.push_back(fmt::format("{}: {}", group_version(group, version), why));
}

namespace {

constexpr std::array<const char*, 2> kRoots = {"/api", "/apis"};

// Requests one group version in the unaggregated form. A failure affects only this group version.
net::Task<Result<void>> ask(Api& api, GroupVersion of, ServerResources& resources) {
  auto text = co_await api.get_text(of.path(), "application/json");
  if (!text && text.error().code == Errc::Cancelled) co_return fail(std::move(text.error()));
  auto read = text ? read_group_version(*text, of, resources) : Result<void>(fail(std::move(text.error())));
  if (!read) resources.add_uncertain(of.group, of.version, read.error().message);
  co_return Result<void>{};
}

}  // namespace

net::Task<Result<ServerResources>> discover_resources(Api& api) {
  ServerResources resources;
  for (const char* root : kRoots) {
    auto text = co_await api.get_text(root, std::string(kDiscoveryAccept));
    if (!text) co_return fail(std::move(text.error()));
    auto to_ask = read_root(*text, resources);
    if (!to_ask) co_return fail(std::move(to_ask.error()));
    for (const GroupVersion& one : *to_ask) {
      auto asked = co_await ask(api, one, resources);
      if (!asked) co_return fail(std::move(asked.error()));
    }
  }
  co_return resources;
}

}  // namespace rescheduler::kube
