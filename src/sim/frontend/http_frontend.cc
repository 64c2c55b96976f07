#include "sim/frontend/http_frontend.h"

#include <google/protobuf/message.h>

#include "sim/frontend/encoding.h"
#include "sim/frontend/http_call.h"
#include "sim/frontend/watch_feed.h"
#include "sim/time/pacer.h"

namespace rescheduler::sim {
namespace {

using kube::Verb;

// How long a request without an answer keeps its connection, in the agenda's time: longer than any client waits.
constexpr std::chrono::minutes kSilence{10};

net::HttpResponse response(int status, std::string_view content_type, std::string body) {
  net::HttpResponse out;
  out.status = status;
  out.headers.set("Content-Type", content_type);
  out.headers.set("Cache-Control", "no-cache, private");
  out.body = std::move(body);
  return out;
}

net::HttpResponse refusal_response(const StatusError& refusal, kube::Encoding encoding) {
  if (refusal.code == 404 && refusal.reason.empty()) {
    const TextAnswer nowhere = page_not_found();
    return response(nowhere.status, nowhere.content_type, nowhere.body);
  }
  net::HttpResponse out = response(refusal.code, kube::media_type(encoding), encode_refusal(refusal, encoding));
  if (refusal.retry_after_seconds) out.headers.set("Retry-After", std::to_string(*refusal.retry_after_seconds));
  return out;
}

// The log of a container is one line, unless Documents::add_path() adds a page for it.
bool is_log(const HttpCall& call) { return call.verb == Verb::Get && call.path.subresource == "log"; }

class RequestHandler {
 public:
  RequestHandler(Server& server, Documents& documents, WireFaults* faults, std::string user)
      : server_(server), documents_(documents), faults_(faults), user_(std::move(user)), timers_(server.agenda()) {}

  net::Task<void> answer(const net::HttpRequest& request, const net::PeerIdentity& peer, net::Responder& responder) {
    if (request.method == "GET" || request.method == "HEAD") {
      auto document = documents_.find(request.target, request.headers.get("Accept"));
      if (document) {
        co_await send(responder, response(document->status, document->content_type, std::move(document->body)));
        co_return;
      }
    }
    auto call = read_call(server_.kinds(), request);
    if (!call) {
      co_await send(responder, refusal_response(call.error(), kube::Encoding::Json));
      co_return;
    }
    InjectedFault fault = fault_for(*call);
    const bool arrived = co_await reaches_server(*call, fault, responder);
    if (!arrived) co_return;
    if (call->verb == Verb::Watch) {
      co_await watch(*call, std::move(fault), responder);
    } else {
      co_await execute(*call, fault, request, peer, responder);
    }
  }

 private:
  static net::Task<void> send(net::Responder& responder, net::HttpResponse answer) {
    (void)co_await responder.send(std::move(answer));  // a disconnected client needs no answer
  }

  InjectedFault fault_for(const HttpCall& call) {
    if (faults_ == nullptr) return {};
    return faults_->fault_for({call.verb, call.path.plural, call.path.subresource, call.path.ns, call.path.name});
  }

  net::Task<void> lose(Loss loss, net::Responder& responder) {
    if (loss == Loss::Silence) (void)co_await timers_.sleep_for(kSilence);
    responder.abandon();
  }

  net::Task<bool> reaches_server(const HttpCall& call, const InjectedFault& fault, net::Responder& responder) {
    if (fault.latency.count() > 0) {
      auto slept = co_await timers_.sleep_for(fault.latency);
      if (!slept) co_return false;
    }
    if (fault.lose_request != Loss::No) {
      co_await lose(fault.lose_request, responder);
      co_return false;
    }
    if (fault.refuse) {
      co_await send(responder, refusal_response(*fault.refuse, call.format.encoding));
      co_return false;
    }
    co_return true;
  }

  net::Task<void> execute(const HttpCall& call,
                          const InjectedFault& fault,
                          const net::HttpRequest& request,
                          const net::PeerIdentity& peer,
                          net::Responder& responder) {
    for (bool last = !fault.duplicate;; last = true) {
      auto operation = sim::operation_for(call, request);
      if (!operation) {
        co_await send(responder, refusal_response(operation.error(), call.format.encoding));
        co_return;
      }
      operation->user = peer.common_name.empty() ? user_ : peer.common_name;
      if (is_log(call)) operation->subresource.clear();
      if (faults_ != nullptr && (call.verb == Verb::Get || call.verb == Verb::List)) {
        operation->as_of = faults_->version_for(fault);
      }
      auto outcome = co_await perform(server_, std::move(*operation));
      if (!outcome) co_return;  // cancelled
      if (!last) continue;
      if (fault.lose_response != Loss::No) {
        co_await lose(fault.lose_response, responder);
        co_return;
      }
      // Outside the awaited expression: g++ 12 miscompiles a conditional in it.
      net::HttpResponse answer =
          *outcome ? answer_of(call, **outcome) : refusal_response(outcome->error(), call.format.encoding);
      co_await send(responder, std::move(answer));
      co_return;
    }
  }

  net::HttpResponse answer_of(const HttpCall& call, const Outcome& outcome) const {
    if (is_log(call)) return response(200, "text/plain", "the embedded cluster keeps no logs\n");
    const AnswerEncoder encoder = encoder_for(call);
    std::string body = outcome.listing   ? encoder.list(*outcome.listing)
                       : outcome.version ? encoder.object(outcome.version)
                                         : encoder.other(*outcome.other);
    return response(outcome.code, encoder.content_type(false), std::move(body));
  }

  AnswerEncoder encoder_for(const HttpCall& call) const {
    Format format = call.format;
    // Only reads return a Table.
    const bool reads = call.verb == Verb::Get || call.verb == Verb::List || call.verb == Verb::Watch;
    if (!reads && format.shape == Format::Shape::Table) format.shape = Format::Shape::Whole;
    return AnswerEncoder(*call.kind, format, {call.query.get("includeObject"), server_.agenda().wall_now()});
  }

  net::Task<void> watch(const HttpCall& call, InjectedFault fault, net::Responder& responder) {
    if (fault.lose_response != Loss::No) {
      co_await lose(fault.lose_response, responder);
      co_return;
    }
    auto query = watch_query_for(call);
    if (!query) {
      co_await send(responder, refusal_response(query.error(), call.format.encoding));
      co_return;
    }
    auto opened = server_.watch(*call.kind, *query);
    // A version that is too old is reported in the stream, as in the real server.
    if (!opened && opened.error().code != 410) {
      co_await send(responder, refusal_response(opened.error(), call.format.encoding));
      co_return;
    }
    AnswerEncoder encoder = encoder_for(call);
    net::HttpResponse head = response(200, encoder.content_type(true), "");
    auto started = co_await responder.start(std::move(head));
    if (!started) co_return;
    if (!opened) {
      (void)co_await responder.write(encoder.error_event(opened.error()));
      (void)co_await responder.finish();
      co_return;
    }
    WatchFeed feed(server_, std::move(*opened), terms_of(call), std::move(fault), faults_);
    co_await stream(feed, encoder, responder);
  }

  static WatchFeed::Terms terms_of(const HttpCall& call) {
    const std::string seconds = call.query.get("timeoutSeconds");
    return {call.query.flag("allowWatchBookmarks"), std::chrono::seconds{std::atoll(seconds.c_str())}};
  }

  static net::Task<void> stream(WatchFeed& feed, AnswerEncoder& encoder, net::Responder& responder) {
    for (;;) {
      auto batch = co_await feed.next(std::chrono::nanoseconds::max());
      std::string chunk;
      for (const ServedEvent& event : batch.events) chunk += encoder.event(event);
      if (batch.end == WatchFeed::End::Refused) chunk = encoder.error_event(batch.refusal);
      if (batch.end == WatchFeed::End::Broken) responder.abandon();
      if (batch.end == WatchFeed::End::Broken || batch.end == WatchFeed::End::Cancelled) co_return;
      auto written = co_await responder.write(std::move(chunk));
      if (!written) co_return;
      if (batch.end == WatchFeed::End::NotYet) continue;
      (void)co_await responder.finish();
      co_return;
    }
  }

  Server& server_;
  Documents& documents_;
  WireFaults* faults_;
  std::string user_;
  AgendaTimers timers_;
};

}  // namespace

HttpFrontend::HttpFrontend(Documents& documents, std::unique_ptr<net::HttpServer> http)
    : documents_(documents), http_(std::move(http)) {}
HttpFrontend::~HttpFrontend() = default;

Result<std::unique_ptr<HttpFrontend>> HttpFrontend::open(net::Executor executor,
                                                         Server& server,
                                                         Documents& documents,
                                                         WireFaults* faults,
                                                         HttpFrontendSettings settings) {
  // Owned by the handler: it lives while a request is being answered, also if the frontend is destroyed.
  auto requests = std::make_shared<RequestHandler>(server, documents, faults, std::move(settings.user));
  net::Handler handler = [requests](const net::HttpRequest& request, const net::PeerIdentity& peer,
                                    net::Responder& responder) { return requests->answer(request, peer, responder); };
  auto http = net::serve_http(std::move(executor), std::move(settings.http), std::move(handler));
  if (!http) return fail(std::move(http.error()));
  return std::unique_ptr<HttpFrontend>(new HttpFrontend(documents, std::move(*http)));
}

}  // namespace rescheduler::sim
