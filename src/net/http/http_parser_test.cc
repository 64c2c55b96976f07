#include "net/http/http_parser.h"

#include <gmock/gmock.h>

namespace rescheduler::net {
namespace {

using Kind = MessageParser::Kind;

// Feeds the bytes in parts of `piece` bytes, as a socket might deliver them. Returns the bytes that were left.
std::string feed_in_pieces(MessageParser& parser, std::string_view bytes, std::size_t piece, std::string& body) {
  std::string unread;
  while (!bytes.empty() && !parser.done()) {
    unread += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (std::size_t taken = 1; taken > 0 && !parser.done();) {
      auto used = parser.feed(unread, body);
      EXPECT_TRUE(used) << used.error().text;
      if (!used) return "failed";
      taken = *used;
      unread.erase(0, taken);
    }
  }
  return unread + std::string(bytes);
}

TEST(MessageParser, ReadsTheSameMessageFromPiecesOfAnySize) {
  const std::string request =
      "POST /a?b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;ext=1\r\nhello\r\n10\r\n, wonderful worl\r\n1\r\nd\r\n0\r\nX-T: y\r\n\r\n";
  for (std::size_t piece = 1; piece <= request.size(); ++piece) {
    MessageParser parser(Kind::Request, {});
    std::string body;
    EXPECT_EQ(feed_in_pieces(parser, request, piece, body), "");
    EXPECT_TRUE(parser.done());
    EXPECT_EQ(body, "hello, wonderful world");
    EXPECT_EQ(parser.head().method, "POST");
    EXPECT_EQ(parser.head().target, "/a?b");
    EXPECT_EQ(parser.head().headers.size(), 2u);
  }
}

TEST(MessageParser, DoesNotConsumeTheNextMessage) {
  for (std::size_t piece = 1; piece < 80; ++piece) {
    MessageParser parser(Kind::Response, {});
    std::string body;
    EXPECT_EQ(feed_in_pieces(parser, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 ", piece, body),
              "HTTP/1.1 ");
    EXPECT_EQ(body, "abc");
  }
}

TEST(MessageParser, FeedStopsAfterTheHead) {
  MessageParser parser(Kind::Response, {});
  std::string body;
  const std::string_view message = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
  auto used = parser.feed(message, body);
  EXPECT_EQ(used, message.size() - 3);
  EXPECT_TRUE(parser.head_done());
  EXPECT_EQ(body, "");
}

TEST(MessageParser, ALargeContentLengthAloneDoesNotAllocateMemory) {
  MessageParser parser(Kind::Response, {});
  std::string body;
  const std::string_view head = "HTTP/1.1 200 OK\r\nContent-Length: 900000000000000\r\n\r\n";
  ASSERT_TRUE(parser.feed(head, body));
  ASSERT_TRUE(parser.feed("x", body));
  EXPECT_LT(body.capacity(), std::size_t{32} << 20);
}

TEST(MessageParser, TheEndOfTheConnectionEndsOnlyABodyWithoutALength) {
  std::string body;
  MessageParser open_ended(Kind::Response, {});
  ASSERT_TRUE(open_ended.feed("HTTP/1.0 200 OK\r\n\r\n", body));
  EXPECT_TRUE(open_ended.ends_with_peer());
  EXPECT_TRUE(open_ended.feed_end());
  EXPECT_TRUE(open_ended.done());

  MessageParser counted(Kind::Response, {});
  ASSERT_TRUE(counted.feed("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", body));
  EXPECT_FALSE(counted.feed_end());
  MessageParser empty(Kind::Response, {});
  EXPECT_FALSE(empty.feed_end());
}

TEST(MessageParser, MessagesBeyondTheLimitsAreRefused) {
  std::string body;
  const ParserLimits limits{64, 4};
  MessageParser long_head(Kind::Request, limits);
  auto head = long_head.feed("GET / HTTP/1.1\r\nX: " + std::string(100, 'x'), body);
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().kind, ParseFailure::Kind::HeadTooLong);

  MessageParser long_body(Kind::Request, limits);
  auto announced = long_body.feed("PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", body);
  ASSERT_FALSE(announced);
  EXPECT_EQ(announced.error().kind, ParseFailure::Kind::BodyTooLong);
}

}  // namespace
}  // namespace rescheduler::net
