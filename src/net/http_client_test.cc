// The client over plain TCP against peers that behave, misbehave and say nothing.
#include "net/http_client.h"

#include <gmock/gmock.h>

#include "net/event_loop.h"
#include "net/scripted_peer.h"

namespace rescheduler::net {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto kPlenty = 20s;

class HttpClientTest : public ::testing::Test {
 protected:
  void connect_to(std::uint16_t port, std::size_t most_connections = 8) {
    HttpClientSettings settings;
    settings.origin = Origin{false, "127.0.0.1", port};
    settings.most_connections = most_connections;
    settings.most_body_bytes = 64 << 20;
    settings.connect_timeout = kPlenty;
    auto made = make_http_client(loop_.executor(), settings);
    ASSERT_TRUE(made) << made.error().message;
    client_ = std::move(*made);
    origin_ = settings.origin.text();
  }

  Result<HttpResponse> send(std::string method,
                            std::string target,
                            std::string body = {},
                            std::chrono::nanoseconds timeout = kPlenty) {
    HttpRequest request{std::move(method), std::move(target), {}, std::move(body)};
    return loop_.await_result<HttpResponse>(client_->send(std::move(request), timeout));
  }
  Result<HttpResponse> get(std::chrono::nanoseconds timeout = kPlenty) { return send("GET", "/", {}, timeout); }

  // What the client makes of this answer, after which the peer ends its side.
  Result<HttpResponse> get_from(std::string answer, std::string method = "GET") {
    ScriptedPeer peer([answer](PeerSocket& socket) {
      if (socket.read_request().empty()) return;
      socket.write(answer);
      socket.end_writing();
      socket.wait_for_hang_up();
    });
    connect_to(peer.port());
    auto result = send(std::move(method), "/");
    client_.reset();
    return result;
  }

  EventLoop loop_;
  std::unique_ptr<HttpClient> client_;
  std::string origin_;
};

// Answers every request of a connection alike.
ScriptedPeer::Script always(std::string answer) {
  return [answer](PeerSocket& socket) {
    while (!socket.read_request().empty()) socket.write(answer);
  };
}

const std::string kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

TEST_F(HttpClientTest, ReadsABodyOfAnnouncedLength) {
  auto response = get_from("HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX-Color: Blue\r\n\r\nhello");
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "hello");
  EXPECT_EQ(response->headers.get("x-color"), "Blue");
}

TEST_F(HttpClientTest, KeepsAConnectionForTheNextCall) {
  ScriptedPeer peer(always(kHello));
  connect_to(peer.port());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get()->body, "hello");
  EXPECT_EQ(peer.accepted(), 1);
}

}  // namespace
}  // namespace rescheduler::net
