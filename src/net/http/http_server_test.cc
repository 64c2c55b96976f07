// The server over plain TCP: answers, refusals and shutdown.
#include "net/http/http_server.h"

#include <stdexcept>

#include <gmock/gmock.h>

#include "base/log.h"
#include "net/http/raw_client.h"
#include "net/http/server_fixture.h"
#include "support/skip.h"

namespace rescheduler::net {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class HttpServerTest : public ServerFixture {
 protected:
  std::string answer_to(std::string_view bytes) {
    RawClient client(server_->port());
    client.write(bytes);
    client.end_writing();
    return client.read_to_end();
  }
};

const std::string kGet = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

TEST_F(HttpServerTest, AnswersOneRequest) {
  serve(echo);
  EXPECT_EQ(answer_to(kGet), "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nGET /a 0");
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  serve(echo);
  const std::string got = answer_to(
      "\r\nGET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
      "PUT /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nab\r\n3\r\ncde\r\n0\r\nT: u\r\n\r\n"
      + kGet);
  EXPECT_THAT(got, MatchesRegex("(.|\n)*GET /1 0HTTP(.|\n)*POST /2 3HTTP(.|\n)*PUT /3 5HTTP(.|\n)*GET /a 0"));
}

TEST_F(HttpServerTest, ClosesTheConnectionAfterConnectionCloseAndAfterHttp10) {
  serve(echo);
  RawClient closing(server_->port());
  closing.write("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(closing.read_until("GET /a 0"), HasSubstr("Connection: close"));
  RawClient old(server_->port());
  old.write("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.read_to_end(), EndsWith("GET /a 0"));
}

TEST_F(HttpServerTest, SendsNoBodyForHeadAndFor204) {
  serve([](const HttpRequest& request, const PeerIdentity&, Responder& responder) {
    return respond(responder, request.target == "/none" ? 204 : 200, "body");
  });
  EXPECT_EQ(answer_to("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n"), "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(answer_to("GET /none HTTP/1.1\r\nHost: h\r\n\r\n"), "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST_F(HttpServerTest, AnswersExpectContinueWith100Continue) {
  serve(echo);
  RawClient client(server_->port());
  client.write("PUT /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.write("body");
  EXPECT_THAT(client.read_until("4"), EndsWith("PUT /x 4"));
}

TEST_F(HttpServerTest, RefusesMalformedRequestsWith400) {
  serve(echo);
  for (const std::string_view bytes :
       {"rubbish\r\n\r\n", "GET /a HTTP/7.0\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", "GET /a HTTP/1.1\r\n\r\n",
        "PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    EXPECT_THAT(answer_to(bytes), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("Connection: close"))) << bytes;
  }
}

TEST_F(HttpServerTest, RefusesHeadsAndBodiesBeyondTheLimits) {
  HttpServerSettings settings;
  settings.most_body_bytes = 10;
  settings.most_header_bytes = 1000;
  serve(settings, echo);
  EXPECT_THAT(answer_to("GET /" + std::string(2000, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(answer_to("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\nhello world"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(answer_to("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
  connect_to(server_->port());
  EXPECT_EQ(outcome_of(send(request("PUT", "/", std::string(8 << 20, 'x')))), "answered with 413")
      << "the refusal must reach a client that is still sending";
}

TEST_F(HttpServerTest, AnIncompleteRequestIsAnsweredWith408AfterTheTimeout) {
  HttpServerSettings settings;
  settings.request_timeout = 30ms;
  serve(settings, echo);
  for (const std::string_view start :
       {"G", "GET /a HTTP/1.1\r\nHost: h\r\n", "PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab"}) {
    RawClient client(server_->port());
    client.write(start);
    EXPECT_THAT(client.read_until("in time.\n"), StartsWith("HTTP/1.1 408 ")) << start;
  }
}

TEST_F(HttpServerTest, AnIdleConnectionIsClosedWithoutAResponse) {
  HttpServerSettings settings;
  settings.idle_limit = 200ms;
  serve(settings, echo);
  RawClient silent(server_->port());
  EXPECT_EQ(silent.read_to_end(), "");
  RawClient once(server_->port());
  once.write(kGet);
  EXPECT_THAT(once.read_to_end(), EndsWith("GET /a 0"));
}

TEST_F(HttpServerTest, AConnectionThatNeverSentAByteIsClosedEarlierThanAnIdleConnection) {
  HttpServerSettings settings;
  settings.first_byte_limit = 30ms;
  serve(settings, echo);
  RawClient talker(server_->port());
  talker.write(kGet);
  EXPECT_THAT(talker.read_until("0"), EndsWith("GET /a 0"));
  RawClient silent(server_->port());
  EXPECT_EQ(silent.read_to_end(), "");
  talker.write(kGet);
  EXPECT_THAT(talker.read_until("0"), EndsWith("GET /a 0"));
}

TEST_F(HttpServerTest, ConnectionsBeyondTheLimitAreRefusedWith503) {
  HttpServerSettings settings;
  settings.most_connections = 1;
  serve(settings, echo);
  RawClient first(server_->port());
  first.write(kGet);
  EXPECT_THAT(first.read_until("0"), EndsWith("GET /a 0"));
  EXPECT_THAT(answer_to(kGet), StartsWith("HTTP/1.1 503 "));
  first.write(kGet);
  EXPECT_THAT(first.read_until("0"), EndsWith("GET /a 0")) << "the first connection must stay open";
}

TEST_F(HttpServerTest, TheGatekeeperDecidesBeforeTheBodyIsRead) {
  HttpServerSettings settings;
  settings.gatekeeper = [](const HttpRequest& head, const PeerIdentity&) -> Task<std::optional<HttpResponse>> {
    if (head.target == "/throw") throw std::runtime_error("out of keys");
    if (head.headers.get("password") == "sesame") co_return std::nullopt;
    HttpResponse refusal;
    refusal.status = 401;
    refusal.body = "Who is there?";
    co_return refusal;
  };
  serve(settings, echo);
  EXPECT_THAT(answer_to("PUT /a HTTP/1.1\r\nHost: h\r\nPassword: sesame\r\nContent-Length: 2\r\n\r\nab"),
              EndsWith("PUT /a 2"));
  RawClient stranger(server_->port());
  stranger.write("PUT /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n\r\n");
  EXPECT_THAT(stranger.read_to_end(), AllOf(StartsWith("HTTP/1.1 401 "), EndsWith("Who is there?")));
  EXPECT_THAT(answer_to("GET /throw HTTP/1.1\r\nHost: h\r\n\r\n"), StartsWith("HTTP/1.1 500 "));
}

Task<void> fail_to_answer(const HttpRequest& request, const PeerIdentity&, Responder&) {
  if (request.target == "/throw") throw std::runtime_error("out of soup");
  co_return;
}

TEST_F(HttpServerTest, AFailingHandlerIsAnsweredWith500AndLogged) {
  std::string log;
  set_log_sink([](LogLevel, std::string_view line, void* to) { *static_cast<std::string*>(to) += line; }, &log);
  serve(fail_to_answer);
  connect_to(server_->port());
  EXPECT_EQ(outcome_of(send(request("GET", "/throw"))), "answered with 500");
  EXPECT_EQ(outcome_of(send(request("GET", "/silent"))), "answered with 500");
  stop(0s);
  set_log_sink(nullptr, nullptr);
  EXPECT_THAT(log, AllOf(HasSubstr("GET /throw failed: out of soup"), HasSubstr("GET /silent failed")));
}

Task<void> answer_twice(const HttpRequest&, const PeerIdentity&, Responder& responder, std::promise<Errc>* second) {
  HttpResponse response;
  response.status = 200;
  (void)co_await responder.send(response);
  auto again = co_await responder.send(response);
  second->set_value(again ? Errc::NotFound : again.error().code);
}

TEST_F(HttpServerTest, ASecondResponseToARequestIsRefused) {
  std::promise<Errc> second;
  serve([&second](const HttpRequest& what, const PeerIdentity& peer, Responder& responder) {
    return answer_twice(what, peer, responder, &second);
  });
  EXPECT_EQ(answer_to(kGet), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(second.get_future().get(), Errc::Internal);
}

Task<void> stream_three(const HttpRequest&, const PeerIdentity&, Responder& responder) {
  HttpResponse head;
  head.status = 200;
  (void)co_await responder.start(head);
  const std::vector<std::string> pieces = {"one ", "", "two ", "three"};
  for (const std::string& piece : pieces) {
    (void)co_await responder.write(piece);
  }
  (void)co_await responder.finish();
}

TEST_F(HttpServerTest, StreamsInChunksAndKeepsTheConnection) {
  serve(stream_three);
  EXPECT_EQ(answer_to(kGet),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n");
  connect_to(server_->port());
  EXPECT_EQ(get()->body, "one two three");
  EXPECT_EQ(get()->body, "one two three");
  EXPECT_THAT(answer_to("GET / HTTP/1.0\r\n\r\n"), EndsWith("Connection: close\r\n\r\none two three"));
}

// Writes until a write fails, and reports the error.
Task<void> write_until_failure(const HttpRequest&,
                               const PeerIdentity&,
                               Responder& responder,
                               std::promise<Error>* ended) {
  HttpResponse head;
  head.status = 200;
  auto open = co_await responder.start(head);
  while (open) {
    open = co_await responder.write(std::string(64 << 10, 'x'));
  }
  ended->set_value(open.error());
}

TEST_F(HttpServerTest, WritingToADisconnectedClientFails) {
  std::promise<Error> ended;
  serve([&ended](const HttpRequest& what, const PeerIdentity& peer, Responder& responder) {
    return write_until_failure(what, peer, responder, &ended);
  });
  connect_to(server_->port());
  auto stream = open(request("GET"));
  ASSERT_TRUE(stream);
  EXPECT_FALSE(read(**stream)->empty());
  drop(std::move(*stream));
  const Error error = ended.get_future().get();
  EXPECT_EQ(error.code, Errc::Unavailable);
  EXPECT_THAT(error.message, HasSubstr("the client closed the connection"));
}

TEST_F(HttpServerTest, WritingToAClientThatDoesNotReadEndsWithTheIdleLimit) {
  std::promise<Error> ended;
  HttpServerSettings settings;
  settings.idle_limit = 200ms;
  serve(settings, [&ended](const HttpRequest& what, const PeerIdentity& peer, Responder& responder) {
    return write_until_failure(what, peer, responder, &ended);
  });
  RawClient client(server_->port());
  client.write(kGet);
  EXPECT_EQ(ended.get_future().get().code, Errc::Timeout);
}

// Holds every request until the gate opens or the handler is cancelled.
struct Held {
  explicit Held(const Executor& executor) : gate(executor) {}
  Gate gate;
  std::promise<void> begun;
  std::promise<bool> cancelled;
};
Task<void> hold(const HttpRequest&, const PeerIdentity&, Responder& responder, std::shared_ptr<Held> held) {
  held->begun.set_value();
  auto opened = co_await held->gate.wait();
  held->cancelled.set_value(!opened);
  HttpResponse response;
  response.status = 200;
  (void)co_await responder.send(response);
}

class HttpServerStopTest : public HttpServerTest {
 protected:
  void serve_held() {
    serve([held = held_](const HttpRequest& what, const PeerIdentity& peer, Responder& responder) {
      return hold(what, peer, responder, held);
    });
    connect_to(server_->port());
  }
  std::future<void> stopping(std::chrono::nanoseconds grace) {
    return std::async(std::launch::async, [this, grace] { stop(grace); });
  }
  static Task<Result<void>> open_gate(Gate& gate) {
    gate.open();
    co_return Result<void>{};
  }

  std::shared_ptr<Held> held_ = std::make_shared<Held>(loop_.executor());
};

TEST_F(HttpServerStopTest, StoppingLetsARunningRequestFinish) {
  serve_held();
  RawClient idle(server_->port());
  Pending call = start(request("GET"));
  held_->begun.get_future().wait();
  auto stopped = stopping(kPlenty);
  EXPECT_EQ(idle.read_to_end(), "") << "idle connections close at once";
  EXPECT_EQ(stopped.wait_for(0s), std::future_status::timeout);
  ASSERT_TRUE(loop_.await_result<void>(open_gate(held_->gate)));
  EXPECT_EQ(outcome_of(call.result.get()), "answered with 200");
  client_.reset();
  stopped.get();
  EXPECT_FALSE(held_->cancelled.get_future().get());
}

TEST_F(HttpServerStopTest, ARequestThatExceedsTheGracePeriodIsCancelled) {
  serve_held();
  Pending call = start(request("GET"));
  held_->begun.get_future().wait();
  stop(20ms);
  EXPECT_TRUE(held_->cancelled.get_future().get());
  EXPECT_EQ(code_of(call.result.get()), Errc::Unavailable);
}

TEST_F(HttpServerStopTest, AStoppedServerRefusesConnections) {
  serve(echo);
  connect_to(server_->port());
  EXPECT_EQ(outcome_of(get()), "answered with 200");
  stop(kPlenty);
  EXPECT_THAT(outcome_of(get()), HasSubstr("refused"));
}

TEST_F(HttpServerStopTest, ADestroyedServerCancelsItsHandlers) {
  serve_held();
  Pending call = start(request("GET"));
  held_->begun.get_future().wait();
  server_.reset();
  EXPECT_TRUE(held_->cancelled.get_future().get());
  EXPECT_FALSE(call.result.get());
}

TEST_F(HttpServerTest, AFailureToListenNamesTheAddress) {
  serve(echo);
  HttpServerSettings taken;
  taken.port = server_->port();
  auto second = serve_http(loop_.executor(), taken, echo);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("cannot listen on 127.0.0.1:" + std::to_string(taken.port)));
  HttpServerSettings unclear;
  unclear.address = "somewhere";
  EXPECT_EQ(serve_http(loop_.executor(), unclear, echo).error().code, Errc::Invalid);
}

TEST_F(HttpServerTest, ServesManyRequestsAtOnce) {
  HttpServerSettings settings;
  settings.most_body_bytes = 1 << 20;
  serve(settings, echo);
  connect_to(server_->port());
  std::vector<Pending> calls;
  for (int i = 0; i < 64; ++i) calls.push_back(start(request("PUT", "/x", std::string(100'000, 'x'))));
  for (Pending& call : calls) EXPECT_EQ(call.result.get()->body, "PUT /x 100000");
}

TEST_F(HttpServerTest, ServesIpv6IfTheMachineSupportsIpv6) {
  HttpServerSettings settings;
  settings.address = "::1";
  auto made = serve_http(loop_.executor(), settings, echo);
  if (!made) RESCHEDULER_SKIP("ipv6") << "this machine has no IPv6: " << made.error().message;
  server_ = std::move(*made);
  HttpClientSettings to = plain(server_->port());
  to.origin.host = "::1";
  connect(to);
  EXPECT_EQ(outcome_of(get()), "answered with 200");
  EXPECT_EQ(to.origin.text(), "http://[::1]:" + std::to_string(server_->port()));
}

}  // namespace
}  // namespace rescheduler::net
