#include "sim/frontend/webhooks/webhooks.h"

#include <google/protobuf/message.h>

#include "net/http/http_client.h"
#include "net/http/url.h"
#include "net/waiter.h"
#include "sim/frontend/webhooks/webhook_config.h"
#include "sim/frontend/webhooks/webhook_review.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

const Kind& configurations(const Server& server, bool mutating) {
  return *server.kinds().find(kGroup, "v1",
                              mutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations");
}

std::string quoted_url(std::string_view url) { return fmt::format("Post \"{}\"", url); }

// The error text of Go's client for a status that is not a success.
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

class WebhookCaller::Calls : public std::enable_shared_from_this<Calls> {
 public:
  Calls(net::Executor executor, Server& server, WebhookSettings settings);

  bool concerns(const PendingWrite& pending_write);
  net::Task<void> run(std::shared_ptr<Calls> self, PendingWrite pending_write, Done done);
  void begin() {
    if (settings.begun) settings.begun();
  }
  void stop() {
    stopped_ = true;
    clients_.clear();
    mutating_changes_.reset();
    validating_changes_.reset();
  }
  net::Executor executor() const { return executor_; }

  WebhookSettings settings;
  WebhookCounts counts{};

 private:
  using Webhooks = std::vector<std::shared_ptr<const Webhook>>;
  struct Target {
    net::Origin origin;
    std::string server_name{};  // the name that the certificate must have
    std::string path{};         // with the query
    std::string url{};          // for error messages
  };

  const Webhooks& webhooks();
  // Results fail only with Errc::Cancelled, when the job or the caller has ended.
  net::Task<Result<ApiResult<void>>> ask_all(PendingWrite& pending_write);
  net::Task<Result<ApiResult<void>>> ask_mutating(PendingWrite& pending_write);
  net::Task<Result<ApiResult<bool>>> ask(std::shared_ptr<const Webhook> webhook, PendingWrite& pending_write);
  net::Task<Result<Verdict>> call(const Webhook& webhook, const PendingWrite& pending_write);
  Result<Target> target_of(const Webhook& webhook) const;
  Result<net::HttpClient*> client_for(const Webhook& webhook, const Target& target);

  Server& server_;
  net::Executor executor_;
  bool stopped_ = false;
  std::shared_ptr<const Webhooks> known_;  // null: must be read again
  std::unique_ptr<Store::Subscription> mutating_changes_;
  std::unique_ptr<Store::Subscription> validating_changes_;
  std::map<std::string, std::unique_ptr<net::HttpClient>> clients_;  // by origin, name and authority
};

WebhookCaller::Calls::Calls(net::Executor executor, Server& server, WebhookSettings wanted)
    : settings(std::move(wanted)), server_(server), executor_(std::move(executor)) {
  const auto forget = [this](const Change&) { known_.reset(); };
  mutating_changes_ = server.store().subscribe(&configurations(server, true), forget);
  validating_changes_ = server.store().subscribe(&configurations(server, false), forget);
}

WebhookCaller::WebhookCaller(net::Executor executor, Server& server, WebhookSettings settings)
    : calls_(std::make_shared<Calls>(std::move(executor), server, std::move(settings))) {}

WebhookCaller::~WebhookCaller() { calls_->stop(); }

bool WebhookCaller::concerns(const PendingWrite& pending_write) { return calls_->concerns(pending_write); }

void WebhookCaller::review(PendingWrite pending_write, Done done) {
  calls_->begin();
  net::spawn(calls_->executor(), "admission review", calls_->run(calls_, std::move(pending_write), std::move(done)));
}

void WebhookCaller::set_service(const std::string& ns_and_name, WebhookSettings::Address address) {
  calls_->settings.services[ns_and_name] = std::move(address);
}

const WebhookCounts& WebhookCaller::counts() const { return calls_->counts; }

const WebhookCaller::Calls::Webhooks& WebhookCaller::Calls::webhooks() {
  if (known_) return *known_;
  auto all = std::make_shared<Webhooks>();
  for (const bool mutating : {true, false}) {
    // The store is sorted by name, like the order of the real server.
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

bool WebhookCaller::Calls::concerns(const PendingWrite& pending_write) {
  for (const auto& webhook : webhooks()) {
    if (matches(*webhook, pending_write, server_)) return true;
  }
  return false;
}

net::Task<void> WebhookCaller::Calls::run(std::shared_ptr<Calls> self, PendingWrite pending_write, Done done) {
  auto verdict = co_await ask_all(pending_write);
  if (self->settings.ended) self->settings.ended();
  if (!verdict) co_return;  // cancelled: the WebhookCaller was destroyed
  if (*verdict) {
    done(std::move(pending_write));
  } else {
    done(refuse(std::move(verdict->error())));
  }
}

net::Task<Result<ApiResult<void>>> WebhookCaller::Calls::ask_all(PendingWrite& pending_write) {
  auto mutated = co_await ask_mutating(pending_write);
  if (!mutated || !*mutated) co_return mutated;
  (void)webhooks();
  const auto all = known_;  // the current configuration, also if it changes meanwhile
  for (const auto& webhook : *all) {
    if (webhook->mutating || !matches(*webhook, pending_write, server_)) continue;
    auto asked = co_await ask(webhook, pending_write);
    if (!asked) co_return fail(std::move(asked.error()));
    if (!*asked) co_return ApiResult<void>(refuse(std::move(asked->error())));
  }
  co_return ApiResult<void>{};
}

net::Task<Result<ApiResult<void>>> WebhookCaller::Calls::ask_mutating(PendingWrite& pending_write) {
  (void)webhooks();
  const auto all = known_;
  std::vector<std::shared_ptr<const Webhook>> again;  // called again if a later webhook changes the object
  bool changed_since = false;
  for (const auto& webhook : *all) {
    if (!webhook->mutating || !matches(*webhook, pending_write, server_)) continue;
    auto changed = co_await ask(webhook, pending_write);
    if (!changed) co_return fail(std::move(changed.error()));
    if (!*changed) co_return ApiResult<void>(refuse(std::move(changed->error())));
    changed_since = changed_since || (**changed && !again.empty());
    if (webhook->reinvoked_if_needed) again.push_back(webhook);
  }
  if (!changed_since) co_return ApiResult<void>{};
  for (const auto& webhook : again) {
    auto changed = co_await ask(webhook, pending_write);
    if (!changed) co_return fail(std::move(changed.error()));
    if (!*changed) co_return ApiResult<void>(refuse(std::move(changed->error())));
  }
  co_return ApiResult<void>{};
}

// True if the webhook changed the object.
net::Task<Result<ApiResult<bool>>> WebhookCaller::Calls::ask(std::shared_ptr<const Webhook> webhook,
                                                             PendingWrite& pending_write) {
  const bool quiet = webhook->side_effects == "None" || webhook->side_effects == "NoneOnDryRun";
  if (pending_write.context.dry_run && !quiet) {
    co_return ApiResult<bool>(
        refuse(bad_request(fmt::format("admission webhook \"{}\" does not support dry run", webhook->name))));
  }
  ++counts.calls;
  auto verdict = co_await call(*webhook, pending_write);
  if (!verdict && verdict.error().code == Errc::Cancelled) co_return fail(std::move(verdict.error()));
  if (!verdict) {
    ++counts.failures;
    if (!webhook->fails_closed) co_return ApiResult<bool>(false);
    co_return ApiResult<bool>(refuse(
        internal_error(fmt::format("failed calling webhook \"{}\": {}", webhook->name, verdict.error().message))));
  }
  if (!verdict->allowed) {
    ++counts.denials;
    co_return ApiResult<bool>(refuse(std::move(verdict->refusal)));
  }
  co_return apply_patch(*webhook, verdict->patch, pending_write);
}

Result<WebhookCaller::Calls::Target> WebhookCaller::Calls::target_of(const Webhook& webhook) const {
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
  const auto known = settings.services.find(service);
  target.path = fmt::format("{}?{}", webhook.service_path, timeout);
  target.server_name = fmt::format("{}.{}.svc", webhook.service_name, webhook.service_ns);
  target.url = fmt::format("https://{}:{}{}", target.server_name, webhook.service_port, target.path);
  if (known == settings.services.end()) {
    return fail(Errc::NotFound, "{}: no endpoints available for service \"{}\"", quoted_url(target.url),
                webhook.service_name);
  }
  target.origin = {true, known->second.host, known->second.port};
  return target;
}

Result<net::HttpClient*> WebhookCaller::Calls::client_for(const Webhook& webhook, const Target& target) {
  auto& client = clients_[fmt::format("{} {} {}", target.origin.text(), target.server_name, webhook.ca_pem)];
  if (client) return client.get();
  net::HttpClientSettings dialled;
  dialled.origin = target.origin;
  dialled.tls.ca_pem = webhook.ca_pem;
  dialled.tls.server_name = target.server_name;
  auto made = net::make_http_client(executor_, std::move(dialled));
  if (!made) return fail(std::move(made.error()));
  client = std::move(*made);
  return client.get();
}

// The error is the text after 'failed calling webhook "x": '.
net::Task<Result<Verdict>> WebhookCaller::Calls::call(const Webhook& webhook, const PendingWrite& pending_write) {
  if (stopped_) co_return net::cancelled();
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
  request.body = review_request(pending_write, version, uid, settings.user);
  auto response = co_await (*client)->send(std::move(request), webhook.timeout);
  if (stopped_) co_return net::cancelled();
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
