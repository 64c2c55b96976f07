// The client over plain TCP: all forms of answers, and the use of connections.
#include "net/http/http_client.h"

#include <gmock/gmock.h>

#include "net/http/client_fixture.h"

namespace rescheduler::net {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class HttpClientTest : public ClientFixture {
 protected:
  // Returns the result of the client for `answer`. The peer closes its side after the answer.
  Result<HttpResponse> get_from(std::string answer, std::string method = "GET") {
    ScriptedPeer peer([answer](PeerSocket& socket) {
      if (socket.read_request().empty()) return;
      socket.write(answer);
      socket.end_writing();
      socket.wait_for_hang_up();
    });
    connect_to(peer.port());
    auto result = send(request(std::move(method)));
    client_.reset();
    return result;
  }
};

TEST_F(HttpClientTest, ReadsABodyWithContentLength) {
  auto response = get_from("HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX-Color: Blue\r\n\r\nhello");
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "hello");
  EXPECT_EQ(response->headers.get("x-color"), "Blue");
}

TEST_F(HttpClientTest, ReadsChunksAndIgnoresTheirExtensionsAndTrailers) {
  auto response = get_from(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;lang=en;q=\"a b\"\r\nhello\r\n7\r\n, world\r\n0\r\nX-Trailer: late\r\n\r\n");
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "hello, world");
  EXPECT_FALSE(response->headers.find("x-trailer"));
}

TEST_F(HttpClientTest, ReadsABodyThatEndsWithTheConnection) {
  EXPECT_EQ(get_from("HTTP/1.0 200 OK\r\n\r\nuntil the end")->body, "until the end");
}

TEST_F(HttpClientTest, ExpectsNoBodyForHeadFor204AndFor304) {
  EXPECT_EQ(get_from("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", "HEAD")->body, "");
  EXPECT_EQ(get_from("HTTP/1.1 204 No Content\r\n\r\n")->status, 204);
  EXPECT_EQ(get_from("HTTP/1.1 304 Not Modified\r\nContent-Length: 999\r\n\r\n")->status, 304);
}

TEST_F(HttpClientTest, SkipsInterimResponses) {
  auto response = get_from("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + kHello);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "hello");
  EXPECT_FALSE(response->headers.find("link"));
}

TEST_F(HttpClientTest, SendsHostLengthAndTheCallersHeaders) {
  std::promise<std::string> seen;
  ScriptedPeer peer([&seen](PeerSocket& socket) {
    seen.set_value(socket.read_request());
    socket.write(kHello);
  });
  connect_to(peer.port());
  HttpRequest post = request("POST", "/a?b=c", "body");
  post.headers.set("Accept", "text/plain");
  post.headers.set("Content-Length", "77");
  ASSERT_TRUE(send(post));
  EXPECT_EQ(seen.get_future().get(), "POST /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(peer.port())
                                         + "\r\nAccept: text/plain\r\nContent-Length: 4\r\n\r\nbody");
}

TEST_F(HttpClientTest, RefusesToSendAnInvalidMethodTargetOrHeader) {
  connect_to(closed_port());
  HttpRequest smuggled = request("GET");
  smuggled.headers.set("X-Evil", "1\r\nX-More: 2");
  EXPECT_EQ(code_of(send(smuggled)), Errc::Invalid);
  EXPECT_EQ(code_of(send(request("GET", "/a b"))), Errc::Invalid);
  EXPECT_EQ(code_of(send(request("GET", "no-slash"))), Errc::Invalid);
  EXPECT_EQ(code_of(send(request("GET /x HTTP/1.1\r\n"))), Errc::Invalid);
}

TEST_F(HttpClientTest, KeepsAConnectionForTheNextCall) {
  ScriptedPeer peer(always(kHello));
  connect_to(peer.port());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get()->body, "hello");
  EXPECT_EQ(peer.accepted(), 1);
}

TEST_F(HttpClientTest, DoesNotReuseAConnectionAfterConnectionClose) {
  ScriptedPeer peer(always("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
  connect_to(peer.port());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get()->status, 200);
  EXPECT_EQ(peer.accepted(), 3);
}

TEST_F(HttpClientTest, DoesNotReuseAConnectionWithLeftoverBytes) {
  ScriptedPeer peer(always(kHello + "and some more"));
  connect_to(peer.port());
  EXPECT_EQ(get()->body, "hello");
  EXPECT_EQ(get()->body, "hello");
  EXPECT_EQ(peer.accepted(), 2);
}

TEST_F(HttpClientTest, DoesNotReuseAConnectionIdleForTooLong) {
  ScriptedPeer peer(always(kHello));
  HttpClientSettings settings = plain(peer.port());
  settings.idle_limit = 0ms;
  connect(settings);
  EXPECT_EQ(get()->body, "hello");
  EXPECT_EQ(get()->body, "hello");
  EXPECT_EQ(peer.accepted(), 2);
}

// Answers the first request and closes the connection on the second.
void answer_once(PeerSocket& socket) {
  (void)socket.read_request();
  socket.write(kHello);
  (void)socket.read_request();
}

TEST_F(HttpClientTest, RepeatsAnIdempotentCallWhenAReusedConnectionCloses) {
  for (const std::string method : {"GET", "HEAD", "PUT", "DELETE"}) {
    const std::string answer = method == "HEAD" ? "HTTP/1.1 200 OK\r\n\r\n" : kHello;
    ScriptedPeer peer(std::vector<ScriptedPeer::Script>{answer_once, always(answer)});
    connect_to(peer.port());
    ASSERT_TRUE(get());
    auto second = send(request(method));
    EXPECT_TRUE(second) << method << ": " << outcome_of(second);
    EXPECT_EQ(peer.accepted(), 2) << method;
    client_.reset();
  }
}

TEST_F(HttpClientTest, RepeatsAFailedCallOnlyOnce) {
  const auto hang_up = [](PeerSocket& socket) { (void)socket.read_request(); };
  ScriptedPeer peer(std::vector<ScriptedPeer::Script>{answer_once, hang_up});
  connect_to(peer.port());
  ASSERT_TRUE(get());
  EXPECT_EQ(code_of(get()), Errc::Unavailable);
  EXPECT_EQ(peer.accepted(), 2);
}

TEST_F(HttpClientTest, DoesNotRepeatAPostAndReportsThatItsEffectIsUnknown) {
  ScriptedPeer peer(answer_once);
  connect_to(peer.port());
  ASSERT_TRUE(get());
  auto second = send(request("POST", "/", "body"));
  EXPECT_EQ(code_of(second), Errc::Unavailable);
  EXPECT_THAT(outcome_of(second), AllOf(StartsWith("http://127.0.0.1:"), HasSubstr("without an answer"),
                                        HasSubstr("whether the POST took effect is unknown")));
  EXPECT_EQ(peer.accepted(), 1);
}

TEST_F(HttpClientTest, ReadsTheResponseOfAServerThatDidNotReadTheWholeBody) {
  ScriptedPeer peer([](PeerSocket& socket) {
    (void)socket.read_some();
    socket.write("HTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    socket.end_writing();
    socket.wait_for_hang_up();
  });
  connect_to(peer.port());
  EXPECT_EQ(outcome_of(send(request("PUT", "/", std::string(8 << 20, 'x')))), "answered with 413");
}

TEST_F(HttpClientTest, SendsWaitingCallsInTheirOrderOfArrival) {
  std::promise<void> first_seen;
  std::promise<void> go_on;
  std::vector<std::string> targets;
  ScriptedPeer peer([&](PeerSocket& socket) {
    for (;;) {
      const std::string got = socket.read_request();
      if (got.empty()) return;
      targets.push_back(got.substr(4, 2));
      if (targets.size() == 1) {
        first_seen.set_value();
        go_on.get_future().wait();
      }
      socket.write(kHello);
    }
  });
  HttpClientSettings settings = plain(peer.port());
  settings.most_connections = 1;
  connect(settings);
  std::vector<Pending> calls;
  calls.push_back(start(request("GET", "/0")));
  first_seen.get_future().wait();
  for (const char* target : {"/1", "/2", "/3", "/4"}) calls.push_back(start(request("GET", target)));
  calls[3].job.cancel();
  EXPECT_EQ(code_of(calls[3].result.get()), Errc::Cancelled);
  go_on.set_value();
  for (const std::size_t i : {0u, 1u, 2u, 4u}) EXPECT_EQ(outcome_of(calls[i].result.get()), "answered with 200");
  EXPECT_THAT(targets, ElementsAre("/0", "/1", "/2", "/4"));
  EXPECT_EQ(peer.accepted(), 1);
}

TEST_F(HttpClientTest, UsesNoMoreConnectionsThanAllowedForManyCallsAtOnce) {
  ScriptedPeer peer(always(kHello));
  HttpClientSettings settings = plain(peer.port());
  settings.most_connections = 8;
  connect(settings);
  std::vector<Pending> calls;
  for (int i = 0; i < 64; ++i) calls.push_back(start(request("GET")));
  for (Pending& call : calls) EXPECT_EQ(outcome_of(call.result.get()), "answered with 200");
  EXPECT_LE(peer.accepted(), 8);
  EXPECT_GE(peer.accepted(), 1);
}

TEST_F(HttpClientTest, AFailedCallFreesItsPlaceInThePool) {
  ScriptedPeer peer(
      std::vector<ScriptedPeer::Script>{[](PeerSocket& socket) { (void)socket.read_request(); }, always(kHello)});
  HttpClientSettings settings = plain(peer.port());
  settings.most_connections = 1;
  connect(settings);
  EXPECT_EQ(code_of(get()), Errc::Unavailable);
  EXPECT_EQ(outcome_of(get()), "answered with 200");
}

TEST_F(HttpClientTest, TriesEveryAddressOfAHostName) {
  ScriptedPeer peer(always(kHello));  // listens on 127.0.0.1 only; the name may have other addresses too
  HttpClientSettings settings = plain(peer.port());
  settings.origin.host = "localhost";
  connect(settings);
  EXPECT_EQ(outcome_of(get()), "answered with 200");
}

TEST_F(HttpClientTest, AStreamReturnsArrivedBytesAndAnEmptyReadAtTheEnd) {
  std::promise<void> more;
  ScriptedPeer peer([&more](PeerSocket& socket) {
    (void)socket.read_request();
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n5\r\nfirst\r\n");
    more.get_future().wait();
    socket.write("6\r\nsecond\r\n0\r\n\r\n");
    socket.wait_for_hang_up();
  });
  connect_to(peer.port());
  auto stream = open(request("GET", "/watch"));
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ((*stream)->status(), 200);
  EXPECT_EQ((*stream)->headers().get("x-a"), "b");
  EXPECT_EQ(read(**stream).value(), "first");
  more.set_value();
  EXPECT_EQ(read(**stream).value(), "second");
  EXPECT_EQ(read(**stream).value(), "");
  EXPECT_EQ(read(**stream).value(), "") << "a read after the end is empty again";
  drop(std::move(*stream));
}

TEST_F(HttpClientTest, OpenStreamsDoNotCountAgainstTheConnectionLimit) {
  ScriptedPeer peer([](PeerSocket& socket) {
    const std::string got = socket.read_request();
    if (got.find("/watch") == std::string::npos) return socket.write(kHello);
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    socket.wait_for_hang_up();
  });
  HttpClientSettings settings = plain(peer.port());
  settings.most_connections = 1;
  connect(settings);
  auto one = open(request("GET", "/watch"));
  auto two = open(request("GET", "/watch"));
  ASSERT_TRUE(one && two);
  EXPECT_EQ(outcome_of(get()), "answered with 200");
  drop(std::move(*one));
  drop(std::move(*two));
}

TEST_F(HttpClientTest, ARunningCallFinishesAfterTheClientIsDestroyed) {
  std::promise<void> seen;
  std::promise<void> go_on;
  ScriptedPeer peer([&](PeerSocket& socket) {
    (void)socket.read_request();
    seen.set_value();
    go_on.get_future().wait();
    socket.write(kHello);
  });
  connect_to(peer.port());
  Pending call = start(request("GET"));
  seen.get_future().wait();
  client_.reset();
  go_on.set_value();
  EXPECT_EQ(outcome_of(call.result.get()), "answered with 200");
}

}  // namespace
}  // namespace rescheduler::net
