// The client under failures: every call ends, with an error message that says what happened.
#include <gmock/gmock.h>

#include "net/http/client_fixture.h"

namespace rescheduler::net {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Expires during the test, but only after the first steps of the test, even on a busy machine.
constexpr auto kBrief = 200ms;

class HttpClientTroubleTest : public ClientFixture {
 protected:
  Result<HttpResponse> get_from(std::string answer) {
    ScriptedPeer peer([answer](PeerSocket& socket) {
      if (socket.read_request().empty()) return;
      socket.write(answer);
      socket.end_writing();
      socket.wait_for_hang_up();
    });
    connect_to(peer.port());
    auto result = get();
    client_.reset();
    return result;
  }

  HttpClientSettings secure(std::uint16_t port) {
    HttpClientSettings settings = plain(port);
    settings.origin.tls = true;
    return settings;
  }
};

TEST_F(HttpClientTroubleTest, SaysThatTheConnectionWasRefused) {
  const std::uint16_t port = closed_port();
  connect_to(port);
  auto result = get();
  EXPECT_EQ(code_of(result), Errc::Unavailable);
  EXPECT_EQ(outcome_of(result), "http://127.0.0.1:" + std::to_string(port) + ": the connection was refused");
}

TEST_F(HttpClientTroubleTest, SaysThatANameCannotBeResolved) {
  HttpClientSettings settings = plain(80);
  settings.origin.host = std::string(70, 'x');  // longer than a DNS label: refused without a DNS query
  connect(settings);
  auto result = get();
  EXPECT_EQ(code_of(result), Errc::Unavailable);
  EXPECT_THAT(outcome_of(result), HasSubstr("cannot be resolved"));
}

TEST_F(HttpClientTroubleTest, AHeadOrBodyTruncatedAtAnyByteIsAnError) {
  const std::string answers[] = {
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: u\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
  };
  for (const std::string& answer : answers) {
    for (std::size_t length = 0; length < answer.size(); ++length) {
      auto result = get_from(answer.substr(0, length));
      EXPECT_EQ(code_of(result), Errc::Unavailable) << length << " bytes of " << answer << ": " << outcome_of(result);
    }
    EXPECT_EQ(outcome_of(get_from(answer)), "answered with 200");
  }
}

TEST_F(HttpClientTroubleTest, AStreamTruncatedAtAnyByteIsAnErrorAndNotAnEnd) {
  const std::string answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  for (std::size_t length = 0; length < answer.size(); ++length) {
    ScriptedPeer peer([&answer, length](PeerSocket& socket) {
      (void)socket.read_request();
      socket.write(answer.substr(0, length));
    });
    connect_to(peer.port());
    auto stream = open(request("GET"));
    std::string body;
    Result<std::string> piece = stream ? Result<std::string>("?") : fail(stream.error());
    while (piece && !piece->empty()) {
      piece = read(**stream);
      if (piece) body += *piece;
    }
    ASSERT_FALSE(piece) << length << " bytes looked like a complete body: " << body;
    EXPECT_EQ(piece.error().code, Errc::Unavailable) << piece.error().message;
    if (stream) drop(std::move(*stream));
    client_.reset();
  }
}

TEST_F(HttpClientTroubleTest, SaysThatTheServerDoesNotSpeakHttp) {
  for (const std::string garbage : {
           "SSH-2.0-OpenSSH_9.2p1\r\n",
           "\x01\x02\x03\x04 binary",
           "HTTP/9.9 200 OK\r\n\r\n",
           "HTTP/1.1 abc OK\r\n\r\n",
           "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
           "<html>hello</html>\n\n\n",
       }) {
    auto result = get_from(garbage);
    EXPECT_EQ(code_of(result), Errc::Unavailable);
    EXPECT_THAT(outcome_of(result), AllOf(StartsWith("http://127.0.0.1:"), HasSubstr("does not speak HTTP")))
        << garbage;
  }
}

TEST_F(HttpClientTroubleTest, SaysThatTheChunkedBodyIsNotValid) {
  for (const std::string garbage : {
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n",
       }) {
    EXPECT_THAT(outcome_of(get_from(garbage)), HasSubstr("the body of the answer is not valid")) << garbage;
  }
}

TEST_F(HttpClientTroubleTest, TwoDifferentContentLengthsAreRefused) {
  EXPECT_EQ(code_of(get_from("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")),
            Errc::Unavailable);
}

TEST_F(HttpClientTroubleTest, AHeadThatIsTooLongIsRefused) {
  EXPECT_EQ(code_of(get_from("HTTP/1.1 200 OK\r\nX: " + std::string(1 << 20, 'x'))), Errc::Unavailable);
}

TEST_F(HttpClientTroubleTest, AChunkLineThatIsTooLongIsRefused) {
  EXPECT_EQ(code_of(get_from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;" + std::string(1 << 20, 'x'))),
            Errc::Unavailable);
}

TEST_F(HttpClientTroubleTest, AResponseLongerThanTheLimitIsRefused) {
  for (const std::string answer : {
           "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n",
           "HTTP/1.0 200 OK\r\n\r\nhello world",
       }) {
    ScriptedPeer peer([answer](PeerSocket& socket) {
      (void)socket.read_request();
      socket.write(answer);
    });
    HttpClientSettings settings = plain(peer.port());
    settings.most_body_bytes = 10;
    connect(settings);
    auto result = get();
    EXPECT_EQ(code_of(result), Errc::Unsupported) << answer;
    EXPECT_THAT(outcome_of(result), HasSubstr("longer than the limit of 10 bytes"));
    client_.reset();
  }
}

TEST_F(HttpClientTroubleTest, AResetConnectionIsAnErrorAndNotTheEndOfTheBody) {
  ScriptedPeer peer([](PeerSocket& socket) {
    (void)socket.read_request();
    socket.write("HTTP/1.0 200 OK\r\n\r\nsome");
    socket.reset();
  });
  connect_to(peer.port());
  EXPECT_EQ(code_of(get()), Errc::Unavailable);
}

TEST_F(HttpClientTroubleTest, SaysThatTheServerDoesNotSpeakTls) {
  ScriptedPeer http([](PeerSocket& socket) {
    (void)socket.read_some();
    socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    socket.wait_for_hang_up();
  });
  connect(secure(http.port()));
  EXPECT_THAT(outcome_of(get()), HasSubstr("speaks plain HTTP on this port, not TLS"));
  client_.reset();

  ScriptedPeer ssh([](PeerSocket& socket) {
    socket.write("SSH-2.0-OpenSSH_9.2p1\r\n");
    socket.wait_for_hang_up();
  });
  connect(secure(ssh.port()));
  auto result = get();
  EXPECT_EQ(code_of(result), Errc::Unavailable);
  EXPECT_THAT(outcome_of(result), HasSubstr("does not speak TLS"));
}

TEST_F(HttpClientTroubleTest, SaysThatTheServerSpeaksTlsWhenTheCallIsPlainHttp) {
  const std::string alert("\x15\x03\x01\x00\x02\x02\x46", 7);
  EXPECT_THAT(outcome_of(get_from(alert)), HasSubstr("speaks TLS on this port, not plain HTTP"));
  EXPECT_THAT(outcome_of(get_from("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")),
              HasSubstr("speaks TLS on this port, not plain HTTP"));
}

TEST_F(HttpClientTroubleTest, ATimeoutErrorNamesTheInterruptedPhase) {
  const SilentPort silent;
  connect_to(silent.port());
  auto connecting = get(30ms);
  EXPECT_EQ(code_of(connecting), Errc::Timeout);
  EXPECT_THAT(outcome_of(connecting), HasSubstr("the deadline of 30 ms passed while connecting"));
  client_.reset();

  ScriptedPeer mute([](PeerSocket& socket) { socket.wait_for_hang_up(); });
  connect(secure(mute.port()));
  EXPECT_THAT(outcome_of(get(kBrief)), HasSubstr("in the TLS handshake"));
  client_.reset();

  connect_to(mute.port());
  EXPECT_THAT(outcome_of(get(kBrief)), HasSubstr("while waiting for the answer"));
  auto post = send(request("POST"), kBrief);
  EXPECT_EQ(code_of(post), Errc::Timeout);
  EXPECT_THAT(outcome_of(post), HasSubstr("whether the POST took effect is unknown"));
}

TEST_F(HttpClientTroubleTest, TheDeadlineCoversSendingAndReading) {
  ScriptedPeer deaf([](PeerSocket& socket) {
    (void)socket.read_request();
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
    socket.wait_for_hang_up();
  });
  connect_to(deaf.port());
  EXPECT_THAT(outcome_of(get(kBrief)), HasSubstr("while reading the answer"));
  client_.reset();

  std::promise<void> over;
  ScriptedPeer stuffed([&over](PeerSocket&) { over.get_future().wait(); });
  connect_to(stuffed.port());
  EXPECT_THAT(outcome_of(send(request("PUT", "/", std::string(32 << 20, 'x')), kBrief)),
              HasSubstr("while sending the request"));
  over.set_value();
}

TEST_F(HttpClientTroubleTest, TheConnectTimeoutAppliesEvenIfTheCallHasMoreTime) {
  const SilentPort silent;
  HttpClientSettings settings = plain(silent.port());
  settings.connect_timeout = 30ms;
  connect(settings);
  auto result = get();
  EXPECT_EQ(code_of(result), Errc::Timeout);
  EXPECT_THAT(outcome_of(result), HasSubstr("the deadline of 30 ms passed while connecting"));
}

TEST_F(HttpClientTroubleTest, WaitingForAFreeConnectionEndsWithTheDeadline) {
  std::promise<void> seen;
  ScriptedPeer peer([&seen](PeerSocket& socket) {
    (void)socket.read_request();
    seen.set_value();
    socket.wait_for_hang_up();
  });
  HttpClientSettings settings = plain(peer.port());
  settings.most_connections = 1;
  connect(settings);
  Pending first = start(request("GET"));
  seen.get_future().wait();
  auto second = get(30ms);
  EXPECT_EQ(code_of(second), Errc::Timeout);
  EXPECT_THAT(outcome_of(second), HasSubstr("while waiting for a free connection"));
  first.job.cancel();
  EXPECT_EQ(code_of(first.result.get()), Errc::Cancelled);
}

TEST_F(HttpClientTroubleTest, AStreamWithoutNewDataEndsWithATimeoutAfterItsIdleLimit) {
  ScriptedPeer peer([](PeerSocket& socket) {
    (void)socket.read_request();
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    socket.wait_for_hang_up();
  });
  connect_to(peer.port());
  auto stream = open(request("GET"), kPlenty, kBrief);
  ASSERT_TRUE(stream);
  EXPECT_EQ(read(**stream).value(), "first");
  auto silence = read(**stream);
  ASSERT_FALSE(silence);
  EXPECT_EQ(silence.error().code, Errc::Timeout);
  EXPECT_THAT(silence.error().message, HasSubstr("the stream was silent for 200 ms"));
  drop(std::move(*stream));
}

TEST_F(HttpClientTroubleTest, TheHeadOfAStreamHasItsOwnDeadline) {
  ScriptedPeer peer([](PeerSocket& socket) { socket.wait_for_hang_up(); });
  connect_to(peer.port());
  auto stream = open(request("GET"), 30ms);
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, Errc::Timeout);
}

TEST_F(HttpClientTroubleTest, CancellingEndsACallInAnyPhase) {
  const SilentPort silent;
  connect_to(silent.port());
  Pending connecting = start(request("GET"));
  connecting.job.cancel();
  EXPECT_EQ(code_of(connecting.result.get()), Errc::Cancelled);
  client_.reset();

  HttpClientSettings named = plain(silent.port());
  named.origin.host = "localhost";
  connect(named);
  Pending resolving = start(request("GET"));
  resolving.job.cancel();
  EXPECT_EQ(code_of(resolving.result.get()), Errc::Cancelled);
  client_.reset();

  for (const bool tls : {true, false}) {
    std::promise<void> spoken;
    ScriptedPeer mute([&spoken](PeerSocket& socket) {
      (void)socket.read_some();
      spoken.set_value();
      socket.wait_for_hang_up();
    });
    connect(tls ? secure(mute.port()) : plain(mute.port()));
    Pending call = start(request("GET"));
    spoken.get_future().wait();
    call.job.cancel();
    EXPECT_EQ(code_of(call.result.get()), Errc::Cancelled);
    client_.reset();
  }
}

TEST_F(HttpClientTroubleTest, CancellingEndsACallInTheMiddleOfItsBody) {
  std::promise<void> halfway;
  ScriptedPeer peer([&halfway](PeerSocket& socket) {
    (void)socket.read_request();
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
    halfway.set_value();
    socket.wait_for_hang_up();
  });
  connect_to(peer.port());
  Pending call = start(request("GET"));
  halfway.get_future().wait();
  call.job.cancel();
  EXPECT_EQ(code_of(call.result.get()), Errc::Cancelled);
}

Task<void> close_soon(BodyStream& stream) {
  stream.close();
  co_return;
}

TEST_F(HttpClientTroubleTest, ClosingAStreamEndsAWaitingRead) {
  ScriptedPeer peer([](PeerSocket& socket) {
    (void)socket.read_request();
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    socket.wait_for_hang_up();
  });
  connect_to(peer.port());
  auto stream = open(request("GET"));
  ASSERT_TRUE(stream);
  auto waiting = std::async(std::launch::async, [&] { return read(**stream); });
  spawn(loop_.executor(), "closer", close_soon(**stream));  // before or after the read starts
  auto piece = waiting.get();
  ASSERT_FALSE(piece);
  EXPECT_EQ(piece.error().code, Errc::Cancelled);
  drop(std::move(*stream));
}

}  // namespace
}  // namespace rescheduler::net
