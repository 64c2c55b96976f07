#include "kube/client/response.h"

#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/codec/protobuf.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

net::Headers with_type(std::string_view content_type) {
  net::Headers headers;
  headers.set("Content-Type", content_type);
  return headers;
}

api::Status status(int code, const std::string& reason, const std::string& message) {
  api::Status made;
  made.set_status("Failure");
  made.set_code(code);
  made.set_reason(reason);
  made.set_message(message);
  return made;
}

TEST(Response, EveryErrorStatusMapsToItsCode) {
  struct Case {
    int http_status;
    const char* reason;
    Errc code;
  };
  const Case cases[] = {
      {400, "BadRequest", Errc::Invalid},
      {401, "Unauthorized", Errc::Unauthenticated},
      {403, "Forbidden", Errc::Denied},
      {404, "NotFound", Errc::NotFound},
      {405, "MethodNotAllowed", Errc::Unsupported},
      {409, "Conflict", Errc::Conflict},
      {409, "AlreadyExists", Errc::AlreadyExists},
      {410, "Expired", Errc::Expired},
      {410, "Gone", Errc::Expired},
      {422, "Invalid", Errc::Invalid},
      {429, "TooManyRequests", Errc::Throttled},
      {500, "InternalError", Errc::Unavailable},
      {503, "ServiceUnavailable", Errc::Unavailable},
      {504, "Timeout", Errc::Timeout},
  };
  for (const auto& [http_status, reason, code] : cases) {
    const api::Status sent = status(http_status, reason, "because");
    for (const bool json : {false, true}) {
      const std::string body = json ? to_json(sent) : encode_protobuf(sent);
      const Error error =
          error_from_response(http_status, with_type(json ? "application/json" : "application/vnd.kubernetes.protobuf"),
                              body, "get pods a/b");
      EXPECT_EQ(error.code, code) << reason;
      EXPECT_EQ(error.http_status, http_status);
      EXPECT_TRUE(error.message.starts_with(fmt::format("get pods a/b: because ({})", reason))) << error.message;
    }
  }
}

TEST(Response, RetryAfterComesFromTheHeaderOrTheStatus) {
  api::Status sent = status(429, "TooManyRequests", "slow down");
  sent.mutable_details()->set_retry_after_seconds(10);
  net::Headers headers = with_type("application/json");
  EXPECT_EQ(error_from_response(429, headers, to_json(sent), "x").retry_after, std::chrono::seconds{10});
  headers.set("Retry-After", "3");
  EXPECT_EQ(error_from_response(429, headers, to_json(sent), "x").retry_after, std::chrono::seconds{3});
  headers.set("Retry-After", "-3");
  EXPECT_EQ(error_from_response(429, headers, "", "x").retry_after, std::nullopt);
}

TEST(Response, TheErrorShowsOnlyTheFirstLineOfAnHtmlPage) {
  const Error error =
      error_from_response(502, with_type("text/html"), "<h1>Bad\x01Gateway</h1>\n<p>long</p>", "list pods");
  EXPECT_EQ(error.code, Errc::Unavailable);
  EXPECT_EQ(error.message, "list pods: the server answered 502 with \"<h1>Bad?Gateway</h1>\"");
}

TEST(Response, AnObjectWithAnUnknownMediaTypeIsAnError) {
  api::Pod pod;
  const auto decoded = decode_object("text/plain", "hello", pod, UnknownFields::Drop);
  ASSERT_FALSE(decoded);
  EXPECT_NE(decoded.error().message.find("is this a Kubernetes API server?"), std::string::npos);
}

}  // namespace
}  // namespace rescheduler::kube
