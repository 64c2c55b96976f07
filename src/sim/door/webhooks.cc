#include "sim/door/webhooks.h"

#include <google/protobuf/message.h>

#include "net/url.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

const Kind& configurations(const Server& server, bool mutating) {
  return *server.kinds().find(kGroup, "v1",
                              mutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations");
}

std::string quoted_url(std::string_view url) { return fmt::format("Post \"{}\"", url); }

// How Go's client words a status that is no success.
std::string status_text(const net::HttpResponse& response) {
  if (response.status == 404) return "the server could not find the requested resource";
  if (response.status >= 500) {
    return fmt::format("an error on the server (\"{}\") has prevented the request from succeeding",
                       response.body.substr(0, 200));
  }
  return fmt::format("the server responded with the status code {} but did not return more information",
                     response.status);
}

}  // namespace

WebhookCaller::WebhookCaller(net::Executor executor, Server& server, WebhookSettings settings)
    : server_(server), executor_(std::move(executor)), settings_(std::move(settings)) {
  const auto forget = [this](const Change&) { known_.reset(); };
  mutating_changes_ = server.store().subscribe(&configurations(server, true), forget);
  validating_changes_ = server.store().subscribe(&configurations(server, false), forget);
}

WebhookCaller::~WebhookCaller() = default;

void WebhookCaller::set_service(const std::string& ns_and_name, WebhookSettings::Address address) {
  settings_.services[ns_and_name] = std::move(address);
}

const WebhookCaller::Webhooks& WebhookCaller::webhooks() {
  if (known_) return *known_;
  auto all = std::make_shared<Webhooks>();
  for (const bool mutating : {true, false}) {
    // The store goes by name, and so does the real server.
    server_.store().for_each(configurations(server_, mutating), {}, {}, [&](const VersionPtr& version) {
      for (Webhook& one : webhooks_in(*version->as<CustomObject>(), mutating)) {
        all->push_back(std::make_shared<const Webhook>(std::move(one)));
      }
      return true;
    });
  }
  known_ = std::move(all);
  return *known_;
}

bool WebhookCaller::concerns(const Draft& draft) {
  for (const auto& webhook : webhooks()) {
    if (matches(*webhook, draft, server_)) return true;
  }
  return false;
}

void WebhookCaller::review(Draft draft, Done done) {
  if (settings_.begun) settings_.begun();
  net::spawn(executor_, "admission review", run(std::move(draft), std::move(done)));
}

net::Task<void> WebhookCaller::run(Draft draft, Done done) {
  auto mutated = co_await ask_mutating(draft);
  Answer<void> verdict = mutated ? std::move(*mutated) : Answer<void>{};
  if (verdict) {
    (void)webhooks();
    const auto all = known_;  // as they are now, whatever changes meanwhile
    for (const auto& webhook : *all) {
      if (webhook->mutating || !verdict || !matches(*webhook, draft, server_)) continue;
      auto asked = co_await ask(webhook, draft);
      if (asked && !*asked) verdict = refuse(std::move(asked->error()));
    }
  }
  if (settings_.ended) settings_.ended();
  if (verdict) {
    done(std::move(draft));
  } else {
    done(refuse(std::move(verdict.error())));
  }
}

net::Task<Result<Answer<void>>> WebhookCaller::ask_mutating(Draft& draft) {
  (void)webhooks();
  const auto all = known_;
  std::vector<std::shared_ptr<const Webhook>> again;  // wish to see the object once more if others change it
  bool changed_since = false;
  for (const auto& webhook : *all) {
    if (!webhook->mutating || !matches(*webhook, draft, server_)) continue;
    auto changed = co_await ask(webhook, draft);
    if (!changed) co_return fail(std::move(changed.error()));
    if (!*changed) co_return Answer<void>(refuse(std::move(changed->error())));
    changed_since = changed_since || (**changed && !again.empty());
    if (webhook->reinvoked_if_needed) again.push_back(webhook);
  }
  if (!changed_since) co_return Answer<void>{};
  for (const auto& webhook : again) {
    auto changed = co_await ask(webhook, draft);
    if (!changed) co_return fail(std::move(changed.error()));
    if (!*changed) co_return Answer<void>(refuse(std::move(changed->error())));
  }
  co_return Answer<void>{};
}

// True if the webhook changed the object. The outer Result fails only when cancelled.
net::Task<Result<Answer<bool>>> WebhookCaller::ask(std::shared_ptr<const Webhook> webhook, Draft& draft) {
  const bool quiet = webhook->side_effects == "None" || webhook->side_effects == "NoneOnDryRun";
  if (draft.context.dry_run && !quiet) {
    co_return Answer<bool>(
        refuse(bad_request(fmt::format("admission webhook \"{}\" does not support dry run", webhook->name))));
  }
  ++counts_.calls;
  auto verdict = co_await call(*webhook, draft);
  if (!verdict && verdict.error().code == Errc::Cancelled) co_return fail(std::move(verdict.error()));
  if (!verdict) {
    ++counts_.failures;
    if (!webhook->fails_closed) co_return Answer<bool>(false);
    co_return Answer<bool>(refuse(
        internal_error(fmt::format("failed calling webhook \"{}\": {}", webhook->name, verdict.error().message))));
  }
  if (!verdict->allowed) {
    ++counts_.denials;
    co_return Answer<bool>(refuse(std::move(verdict->refusal)));
  }
  co_return apply_patch(*webhook, verdict->patch, draft);
}

Result<WebhookCaller::Target> WebhookCaller::target_of(const Webhook& webhook) const {
  Target target;
  const std::string timeout = fmt::format("timeout={}s", webhook.timeout.count());
  if (!webhook.url.empty()) {
    auto url = net::parse_url(webhook.url);
    if (!url) return fail(std::move(url.error()));
    if (!url->origin.tls) return fail(Errc::Invalid, "\"{}\" is not an https URL", webhook.url);
    target.origin = url->origin;
    target.path = url->base_path.empty() ? "/" : url->base_path;
    target.path += url->query.empty() ? "?" + timeout : fmt::format("?{}&{}", url->query, timeout);
    target.url = target.origin.text() + target.path;
    return target;
  }
  const std::string service = fmt::format("{}/{}", webhook.service_ns, webhook.service_name);
  const auto known = settings_.services.find(service);
  target.path = fmt::format("{}?{}", webhook.service_path, timeout);
  target.server_name = fmt::format("{}.{}.svc", webhook.service_name, webhook.service_ns);
  target.url = fmt::format("https://{}:{}{}", target.server_name, webhook.service_port, target.path);
  if (known == settings_.services.end()) {
    return fail(Errc::NotFound, "{}: no endpoints available for service \"{}\"", quoted_url(target.url),
                webhook.service_name);
  }
  target.origin = {true, known->second.host, known->second.port};
  return target;
}

Result<net::HttpClient*> WebhookCaller::client_for(const Webhook& webhook, const Target& target) {
  auto& client = clients_[fmt::format("{} {} {}", target.origin.text(), target.server_name, webhook.ca_pem)];
  if (client) return client.get();
  net::HttpClientSettings settings;
  settings.origin = target.origin;
  settings.tls.ca_pem = webhook.ca_pem;
  settings.tls.server_name = target.server_name;
  auto made = net::make_http_client(executor_, std::move(settings));
  if (!made) return fail(std::move(made.error()));
  client = std::move(*made);
  return client.get();
}

// Errors are what follows 'failed calling webhook "x": '.
net::Task<Result<Verdict>> WebhookCaller::call(const Webhook& webhook, const Draft& draft) {
  if (!webhook.unsupported.empty()) co_return fail(Errc::Unsupported, "{}", webhook.unsupported);
  const std::string version = review_version(webhook);
  if (version.empty()) {
    co_return fail(Errc::Invalid,
                   "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, "
                   "v1beta1)");
  }
  auto target = target_of(webhook);
  if (!target) co_return fail(Errc::Invalid, "failed to call webhook: {}", target.error().message);
  auto client = client_for(webhook, *target);
  if (!client) co_return fail(Errc::Invalid, "could not get REST client: {}", client.error().message);
  const std::string uid = server_.new_uid();
  net::HttpRequest request;
  request.method = "POST";
  request.target = target->path;
  request.headers.set("Content-Type", "application/json");
  request.headers.set("Accept", "application/json, */*");
  request.body = review_request(draft, version, uid, settings_.user);
  auto response = co_await (*client)->send(std::move(request), webhook.timeout);
  if (!response && response.error().code == Errc::Cancelled) co_return fail(std::move(response.error()));
  if (!response) {
    const bool late = response.error().code == Errc::Timeout;
    co_return fail(Errc::Unavailable, "failed to call webhook: {}: {}", quoted_url(target->url),
                   late ? "context deadline exceeded" : response.error().message);
  }
  if (response->status >= 300 || response->status < 200) {
    co_return fail(Errc::Unavailable, "failed to call webhook: {}", status_text(*response));
  }
  auto verdict = read_review(webhook, version, uid, response->body);
  if (!verdict) co_return fail(Errc::Invalid, "received invalid webhook response: {}", verdict.error().message);
  co_return verdict;
}

}  // namespace rescheduler::sim
