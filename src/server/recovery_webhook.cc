#include "server/recovery_webhook.h"

#include <algorithm>
#include <array>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/log.h"
#include "kube/client/client.h"
#include "kube/client/fenced_api.h"
#include "kube/config/file.h"
#include "kube/proto/core.pb.h"
#include "kube/value/base64.h"
#include "net/http/http_server.h"
#include "net/http/url.h"
#include "placement/visited_nodes.h"
#include "rescheduling/recovery/retry_ledger.h"
#include "server/admission_review.h"
#include "server/messages.h"
#include "server/proto/webhook_configuration.pb.h"
#include "server/routes.h"
#include "server/webhook_call.h"
#include "server/webhook_certificate.h"

namespace rescheduler::server {
namespace {

namespace json = boost::json;

constexpr std::string_view kSecretSuffix = "-tls";
constexpr int kUnansweredCalls = 3;  // one per poll_interval, until the silence is reported
// A process without permission to create the objects expects them from this manifest.
constexpr std::string_view kApplied = " (is manifests/rescheduler/rbac.yaml applied?)";
// The API server sends objects of at most 3 MiB; the AdmissionReview may contain the object twice.
constexpr std::size_t kMostBodyBytes = std::size_t{8} << 20;
const std::vector<double> kSeconds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1};

net::HttpResponse refusal(int status, std::string why) { return text_response(status, std::move(why) + "\n"); }

bool is_json(std::string_view content_type) {
  const auto end = content_type.find(';');
  std::string_view media = content_type.substr(0, end);
  while (media.ends_with(' ')) media.remove_suffix(1);
  return media == "application/json";
}

}  // namespace

struct RecoveryWebhook::State : std::enable_shared_from_this<State> {
  State(kube::Api& api, PodHints the_hints, RecoveryWebhookSettings the_settings, kube::LoopServices the_services)
      : writes(api, the_settings.fence),
        client(writes),
        hints(std::move(the_hints)),
        settings(std::move(the_settings)),
        services(the_services),
        answered(&services.metrics->histogram("rescheduler_recovery_webhook_duration_seconds",
                                              "Time that the creation of a pod waits for the webhook.",
                                              kSeconds)) {}

  // --- Responses ---

  net::Task<net::HttpResponse> answer(const net::HttpRequest& request) {
    const auto begun = services.clock->steady_now();
    auto page = co_await answered_page(request);
    if (is_webhook_check(request)) co_return page;
    answered->observe(std::chrono::duration<double>(services.clock->steady_now() - begun).count());
    services.metrics
        ->counter("rescheduler_recovery_webhook_requests_total",
                  "Admission reviews of new pods, by HTTP status of the response.",
                  {{"code", std::to_string(page.status)}})
        .add();
    co_return page;
  }

  net::Task<net::HttpResponse> answered_page(const net::HttpRequest& request) {
    if (request.target == "/healthz" && request.method == "GET") co_return text_response(200, "ok");
    const std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
    if (path != kWebhookPath) co_return refusal(404, "Not found.");
    if (request.method != "POST") {
      net::HttpResponse page = refusal(405, "Only POST is allowed on this path.");
      page.headers.set("Allow", "POST");
      co_return page;
    }
    if (!is_json(request.headers.get("Content-Type")))
      co_return refusal(415, "The Content-Type must be application/json.");
    auto asked = read_review(request.body);
    if (!asked) co_return refusal(400, asked.error().message + ".");
    std::string patch;
    if (asked->new_pod && !asked->dry_run) {
      auto found = co_await patch_of(asked->pod);
      patch = std::move(found);
    }
    co_return json_response(200, write_review(*asked, patch));
  }

  void keep_off(const api::Pod& pod,
                const rescheduling::recovery::NewPodHint& hint,
                bool foreign,
                PodChanges& changes) const {
    auto annotations = rescheduling::recovery::annotations_for(pod, hint);
    if (settings.webhook.node_affinity && foreign) {
      const std::string& visited = annotations.at(std::string(placement::kScheduledHosts));
      changes.not_on = placement::read_visited(visited).value_or(std::vector<std::string>{});
    }
    for (auto& [key, value] : annotations) changes.annotations.emplace_back(key, std::move(value));
  }

  net::Task<std::string> patch_of(const api::Pod& pod) {
    const auto& excluded = settings.excluded_namespaces;
    if (std::ranges::find(excluded, pod.metadata().namespace_()) != excluded.end()) co_return std::string();
    PodChanges changes;
    const auto& ours = settings.own_schedulers;
    const bool foreign = std::ranges::find(ours, pod.spec().scheduler_name()) == ours.end();
    if (hints) {
      const auto hint = co_await hints(pod);
      if (hint && !hint->avoid.empty()) keep_off(pod, *hint, foreign, changes);
    }
    if (const auto intent = foreign && settings.intents ? settings.intents(pod) : std::nullopt) {
      changes.rather_on = intent->target;
      changes.rather_not_on = intent->avoid;
    }
    co_return patch_for(pod, changes);
  }

  // --- Certificate ---

  std::vector<std::string> names() const {
    const std::string in_cluster = fmt::format("{}.{}.svc", settings.webhook.service, settings.own_namespace);
    std::vector<std::string> all{in_cluster, in_cluster + ".cluster.local", "localhost", "127.0.0.1"};
    if (const auto url = net::parse_url(settings.webhook.url); url && url->origin.host != "127.0.0.1")
      all.push_back(url->origin.host);
    return all;
  }

  Result<WebhookCertificate> made(const WebhookCertificate* before) const {
    return make_webhook_certificate(names(), settings.valid_for, services.clock->wall_now() + settings.renew_after,
                                    before);
  }

  bool from_files() const { return !settings.webhook.certificate_file.empty(); }

  Result<WebhookCertificate> read_files() const {
    WebhookCertificate read;
    const config::WebhookSettings& from = settings.webhook;
    for (const auto& [path, into] :
         {std::pair{&from.certificate_file, &read.certificate_pem}, std::pair{&from.key_file, &read.key_pem},
          std::pair{&from.ca_file, &read.ca_bundle}}) {
      auto text = kube::read_whole_file(*path, kube::kMostCredentialFileBytes);
      if (!text) return fail(std::move(text.error()));
      *into = std::move(*text);
    }
    return read;
  }

  Result<void> show(const WebhookCertificate& certificate) {
    if (certificate.certificate_pem == shown.certificate_pem && certificate.key_pem == shown.key_pem) {
      shown = certificate;
      return {};
    }
    net::TlsServerSettings tls;
    tls.certificate_pem = certificate.certificate_pem;
    tls.key_pem = certificate.key_pem;
    auto used = http->set_tls(tls);
    if (used) shown = certificate;
    return used;
  }

  bool leads() const { return !settings.fence || settings.fence->may_act(); }

  // One at a time: two concurrent updates would each publish a CA of their own.
  net::Task<Result<void>> bring_up_to_date(bool renew) {
    while (updating) {
      const auto before = updating;
      auto waited = co_await before->wait();
      if (!waited) co_return waited;
    }
    const auto mine = std::make_shared<net::Gate>(services.executor);
    updating = mine;
    auto done = co_await update(renew);
    updating.reset();
    mine->open();
    const bool cancelled = !done && done.error().code == Errc::Cancelled;
    if (!done && !cancelled && !registration_trouble) {
      log_warning(messages::kWebhookNotRegistered, {{"err", done.error().message}});
    }
    if (!cancelled) registration_trouble = done ? std::nullopt : std::optional(done.error().message);
    co_return done;
  }

  // Publishes the CA first, then stores the certificate in the Secret for the other replicas, then uses it.
  net::Task<Result<void>> update(bool renew) {
    if (from_files()) {
      auto read = read_files();
      if (!read) co_return fail(std::move(read.error()));
      if (leads()) {
        auto announced = co_await announce(read->ca_bundle);
        if (!announced) co_return announced;
      }
      co_return show(*read);
    }
    const std::string name = settings.webhook.service + std::string(kSecretSuffix);
    auto secret = co_await client.get<api::Secret>(settings.own_namespace, name);
    if (!secret && secret.error().code != Errc::NotFound) co_return fail(std::move(secret.error()));
    auto kept = secret ? certificate_in(*secret) : Result<WebhookCertificate>(fail(Errc::NotFound, "none yet"));
    const bool due = !kept || renew || kept->renew_after <= services.clock->wall_now();
    if (!leads()) {
      if (!kept) co_return Result<void>{};
      co_return show(*kept);
    }
    if (due) {
      auto next = made(kept ? &*kept : nullptr);
      if (!next) co_return fail(std::move(next.error()));
      auto announced = co_await announce(next->ca_bundle);
      if (!announced) co_return announced;
      if (kept) {
        const auto settled = co_await services.timers->sleep_for(settings.settle);
        if (!settled) co_return settled;
      }
      api::Secret keeping_it;
      if (secret) keeping_it = std::move(*secret);
      auto saved = co_await save(std::move(keeping_it), name, *next);
      const bool late = !saved && (saved.error().code == Errc::AlreadyExists || saved.error().code == Errc::Conflict);
      if (late) {  // another process was leader until now: its certificate counts
        auto again = co_await update(false);
        co_return again;
      }
      if (!saved) co_return saved;
      log_info("the webhook serves a new certificate");
      co_return show(*next);
    }
    auto announced = co_await announce(kept->ca_bundle);
    if (!announced) co_return announced;
    co_return show(*kept);
  }

  net::Task<Result<void>> save(api::Secret secret, std::string name, WebhookCertificate certificate) {
    const bool there = !secret.metadata().name().empty();
    secret.mutable_metadata()->set_namespace_(settings.own_namespace);
    secret.mutable_metadata()->set_name(name);
    put_certificate(certificate, secret);
    if (there) {
      auto updated = co_await client.update(std::move(secret));
      if (!updated) co_return fail(std::move(updated.error()));
      co_return Result<void>{};
    }
    auto created = co_await client.create(std::move(secret));
    if (!created) {
      if (created.error().code == Errc::Denied) created.error().message += kApplied;
      co_return fail(std::move(created.error()));
    }
    co_return Result<void>{};
  }

  // --- Configuration ---

  std::string configuration(const std::string& ca_bundle) const {
    const config::WebhookSettings& hook = settings.webhook;
    json::object client_config{{"caBundle", kube::base64_encode(ca_bundle)}};
    if (hook.url.empty()) {
      client_config["service"] = json::object{{"name", hook.service},
                                              {"namespace", settings.own_namespace},
                                              {"path", std::string(kWebhookPath)},
                                              {"port", hook.service_port}};
    } else {
      client_config["url"] = hook.url;
    }
    json::array never;
    std::vector<std::string> excluded = settings.excluded_namespaces;
    if (std::ranges::find(excluded, settings.own_namespace) == excluded.end())
      excluded.push_back(settings.own_namespace);
    for (const std::string& ns : excluded) never.emplace_back(ns);
    json::array where{
        json::object{{"key", "kubernetes.io/metadata.name"}, {"operator", "NotIn"}, {"values", std::move(never)}}};
    if (!settings.only_namespaces.empty()) {
      json::array only;
      for (const std::string& ns : settings.only_namespaces) only.emplace_back(ns);
      where.push_back(
          json::object{{"key", "kubernetes.io/metadata.name"}, {"operator", "In"}, {"values", std::move(only)}});
    }
    json::object rule{{"operations", json::array{"CREATE"}},
                      {"apiGroups", json::array{""}},
                      {"apiVersions", json::array{"v1"}},
                      {"resources", json::array{"pods"}},
                      {"scope", "Namespaced"}};
    const auto patience = std::chrono::duration_cast<std::chrono::seconds>(hook.timeout).count();
    json::object webhook{{"name", "recovery.rescheduler.io"},
                         {"clientConfig", std::move(client_config)},
                         {"rules", json::array{std::move(rule)}},
                         {"failurePolicy", "Ignore"},
                         {"matchPolicy", "Exact"},
                         {"sideEffects", "None"},
                         {"timeoutSeconds", patience},
                         {"reinvocationPolicy", "Never"},
                         {"admissionReviewVersions", json::array{"v1", "v1beta1"}},
                         {"namespaceSelector", json::object{{"matchExpressions", std::move(where)}}}};
    return json::serialize(json::object{{"apiVersion", "admissionregistration.k8s.io/v1"},
                                        {"kind", "MutatingWebhookConfiguration"},
                                        {"metadata", json::object{{"name", hook.name}}},
                                        {"webhooks", json::array{std::move(webhook)}}});
  }

  net::Task<Result<void>> announce(std::string ca_bundle) {
    kube::PatchOptions apply;
    apply.kind = kube::PatchKind::Apply;
    apply.force = true;
    apply.write.field_manager = "rescheduler-webhook";
    auto applied =
        co_await client.patch<MutatingWebhookConfiguration>("", settings.webhook.name, configuration(ca_bundle), apply);
    if (!applied) {
      if (applied.error().code == Errc::Denied) applied.error().message += kApplied;
      co_return fail(std::move(applied.error()));
    }
    if (announced_ca != ca_bundle) answers = false;
    announced_ca = std::move(ca_bundle);
    co_return Result<void>{};
  }

  // --- The registered address ---

  std::string address() const {
    const config::WebhookSettings& hook = settings.webhook;
    if (!hook.url.empty()) return hook.url;
    return fmt::format("https://{}.{}.svc:{}{}", hook.service, settings.own_namespace, hook.service_port, kWebhookPath);
  }

  // The API server connects to the IP address of a Service without DNS.
  net::Task<Result<WebhookAddress>> found_address() {
    WebhookAddress found{.url = address()};
    if (!settings.webhook.url.empty()) co_return found;
    kube::ListSettings by_name;
    by_name.field_selector = "metadata.name=" + settings.webhook.service;
    auto services_found = co_await client.list<api::Service>(settings.own_namespace, by_name);
    if (!services_found) co_return fail(std::move(services_found.error()));
    if (services_found->empty()) {
      co_return fail(Errc::NotFound, "Service {}/{} does not exist (is manifests/rescheduler/deployment.yaml applied?)",
                     settings.own_namespace, settings.webhook.service);
    }
    found.dialled = services_found->front()->spec().cluster_ip();
    if (found.dialled.empty() || found.dialled == "None") {
      co_return fail(Errc::Invalid, "Service {}/{} has no cluster IP", settings.own_namespace,
                     settings.webhook.service);
    }
    co_return found;
  }

  net::Task<Result<void>> called() {
    auto found = co_await found_address();
    if (!found) co_return fail(std::move(found.error()));
    auto answer = co_await call_webhook(std::move(*found), announced_ca, services);
    co_return answer;
  }

  // Until the address has answered once. A replica is behind the Service only after it is ready, so the first calls can
  // fail.
  net::Task<void> check_address() {
    if (answers || announced_ca.empty() || !leads()) co_return;
    auto done = co_await called();
    if (!done && done.error().code == Errc::Cancelled) co_return;
    if (done) {
      answers = true;
      silence.reset();
      log_info(messages::kWebhookAnswers, {{"address", address()}});
    } else {
      silence = done.error().message;
      if (++unanswered == kUnansweredCalls) {
        log_warning(messages::kWebhookSilent, {{"address", address()}, {"err", *silence}});
      }
    }
    if (done) unanswered = 0;
  }

  std::string trouble() const {
    if (registration_trouble) return *registration_trouble;
    return announced_ca.empty() ? "it is not registered yet" : "";
  }

  std::optional<std::string> problem() const {
    const bool silent = silence && unanswered >= kUnansweredCalls;
    return registration_trouble || silent ? std::optional(status_text()) : std::nullopt;
  }

  std::string status_text() const {
    if (registration_trouble) return fmt::format("not registered: {}", *registration_trouble);
    if (answers) return fmt::format("{} answers", address());
    if (silence) return fmt::format("{} does not answer: {}", address(), *silence);
    return fmt::format("{} was not called yet", address());
  }

  static net::Task<void> keep_up_to_date(std::weak_ptr<State> weak) {
    for (;;) {
      const auto self = weak.lock();
      if (!self) co_return;
      auto done = co_await self->bring_up_to_date(false);
      if (!done && done.error().code == Errc::Cancelled) co_return;
      co_await self->check_address();
      const auto slept = co_await self->services.timers->sleep_for(self->settings.poll_interval);
      if (!slept) co_return;
    }
  }

  kube::FencedApi writes;
  kube::Client client;
  PodHints hints;
  RecoveryWebhookSettings settings;
  kube::LoopServices services;
  Histogram* answered;
  std::unique_ptr<net::HttpServer> http{};
  WebhookCertificate shown{};
  std::shared_ptr<net::Gate> updating{};
  std::optional<std::string> registration_trouble{};  // why the last update failed
  std::string announced_ca{};                         // in the registered configuration; empty: not registered here
  bool answers = false;                               // the registered address, with this CA
  std::optional<std::string> silence{};               // why the last call of the address failed
  int unanswered = 0;                                 // calls in a row
  net::Job keeping{};
};

namespace {

net::Task<net::HttpResponse> going_away() { co_return refusal(503, "This process is shutting down."); }

net::Task<void> respond(std::shared_ptr<void> /*kept*/, net::Task<net::HttpResponse> page, net::Responder& responder) {
  auto made = co_await std::move(page);
  (void)co_await responder.send(std::move(made));  // a client that has disconnected needs no answer
}

}  // namespace

RecoveryWebhook::RecoveryWebhook(std::shared_ptr<State> state) : state_(std::move(state)) {}

RecoveryWebhook::~RecoveryWebhook() { state_->keeping.cancel(); }

Result<std::unique_ptr<RecoveryWebhook>> RecoveryWebhook::start(kube::Api& api,
                                                                PodHints hints,
                                                                RecoveryWebhookSettings settings,
                                                                kube::LoopServices services) {
  auto state = std::make_shared<State>(api, std::move(hints), std::move(settings), services);
  // A certificate to serve with until the published one is available.
  auto first = state->from_files() ? state->read_files() : state->made(nullptr);
  if (!first) return fail(std::move(first.error()));
  net::HttpServerSettings http;
  http.address = state->settings.address;
  http.port = state->settings.webhook.port;
  http.most_body_bytes = kMostBodyBytes;
  http.tls.emplace();
  http.tls->certificate_pem = first->certificate_pem;
  http.tls->key_pem = first->key_pem;
  net::Handler handler = [weak = std::weak_ptr(state)](const net::HttpRequest& request, const net::PeerIdentity&,
                                                       net::Responder& responder) -> net::Task<void> {
    const auto self = weak.lock();
    if (!self) return respond(nullptr, going_away(), responder);
    return respond(self, self->answer(request), responder);
  };
  auto serving = net::serve_http(services.executor, std::move(http), std::move(handler));
  if (!serving) return fail(std::move(serving.error()));
  state->http = std::move(*serving);
  std::string& url = state->settings.webhook.url;
  if (!url.empty()) url = webhook_url(url, state->http->port());
  state->keeping = net::spawn(services.executor, "recovery webhook", State::keep_up_to_date(state));
  return std::unique_ptr<RecoveryWebhook>(new RecoveryWebhook(std::move(state)));
}

std::string RecoveryWebhook::trouble() const { return state_->trouble(); }

std::optional<std::string> RecoveryWebhook::problem() const { return state_->problem(); }

std::uint16_t RecoveryWebhook::port() const { return state_->http->port(); }

net::Task<Result<void>> RecoveryWebhook::bring_up_to_date(bool renew) {
  const auto state = state_;
  auto done = co_await state->bring_up_to_date(renew);
  co_return done;
}

std::string RecoveryWebhook::status_text() const { return state_->status_text(); }

net::Task<net::HttpResponse> RecoveryWebhook::answer(const net::HttpRequest& request) {
  const auto state = state_;
  auto page = co_await state->answer(request);
  co_return page;
}

net::Task<void> RecoveryWebhook::stop(std::chrono::nanoseconds grace) {
  state_->keeping.cancel();
  co_await state_->http->stop(grace);
}

}  // namespace rescheduler::server
