#include "usage/prometheus_answer.h"

#include <cmath>

#include <gmock/gmock.h>

namespace rescheduler::usage {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view body) {
  const auto read = read_vector(body, "instance");
  return read ? "read" : read.error().message;
}

TEST(PrometheusAnswer, EachSeriesOfAVectorIsReadWithItsLabelTimeAndValue) {
  const auto read = read_vector(
      R"({"status":"success","data":{"resultType":"vector","result":[
          {"metric":{"instance":"10.0.0.1:9100","job":"node"},"value":[1800000000.25,"12.5"]},
          {"metric":{},"value":[1800000001,"NaN"]},
          {"metric":{"instance":"b"},"value":[1800000001,"+Inf"]},
          {"metric":{"instance":"c"},"value":[1800000001,"-1e-3"]}]}})",
      "instance");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 4u);
  EXPECT_EQ((*read)[0].label, "10.0.0.1:9100");
  EXPECT_DOUBLE_EQ((*read)[0].value, 12.5);
  EXPECT_EQ((*read)[0].at, WallTime{std::chrono::milliseconds{1'800'000'000'250}});
  EXPECT_EQ((*read)[1].label, std::nullopt);
  EXPECT_TRUE(std::isnan((*read)[1].value));
  EXPECT_TRUE(std::isinf((*read)[2].value));
  EXPECT_DOUBLE_EQ((*read)[3].value, -0.001);
}

TEST(PrometheusAnswer, AnEmptyVectorIsAValidAnswer) {
  const auto read = read_vector(R"({"status":"success","data":{"resultType":"vector","result":[]}})", "instance");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->empty());
}

TEST(PrometheusAnswer, AnAnswerThatIsNotAVectorIsAnErrorWithTheReason) {
  EXPECT_THAT(refusal("<html>"), HasSubstr("the answer is not JSON"));
  EXPECT_THAT(refusal(R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"va)"),
              HasSubstr("the answer is not JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("no status"));
  EXPECT_THAT(refusal(R"({"status":"success","data":{"resultType":"scalar","result":[1,"2"]}})"),
              HasSubstr("returns \"scalar\" instead of a vector"));
  EXPECT_THAT(refusal(R"({"status":"success","data":{"resultType":"matrix","result":[]}})"), HasSubstr("\"matrix\""));
  EXPECT_THAT(refusal(R"({"status":"success"})"), HasSubstr("returns nothing instead of a vector"));
  EXPECT_THAT(refusal(R"({"status":"success","data":{"resultType":"vector"}})"), HasSubstr("has no result"));
  EXPECT_THAT(refusal(R"({"status":"error","errorType":"timeout","error":"query timed out"})"),
              HasSubstr("the query failed: timeout: \"query timed out\""));
}

TEST(PrometheusAnswer, OneInvalidSeriesMakesTheWholeAnswerAnError) {
  for (const char* series : {R"({"metric":{}})", R"({"metric":{},"value":[1]})", R"({"metric":{},"value":["x","1"]})",
                             R"({"metric":{},"value":[1,"one"]})", R"({"metric":{},"value":[1,""]})",
                             R"({"metric":{},"value":[1e300,"1"]})", R"({"value":[1,"1"]})", R"(7)"}) {
    const std::string body =
        std::string(R"({"status":"success","data":{"resultType":"vector","result":[)") + series + "]}}";
    EXPECT_THAT(refusal(body), HasSubstr("series 0 of the answer")) << series;
  }
}

TEST(PrometheusAnswer, AnErrorResponseIsReportedWithItsOwnMessageIfItHasOne) {
  EXPECT_EQ(complaint_of(400, R"({"status":"error","errorType":"bad_data","error":"parse error"})"),
            "the server answers with status 400: bad_data: \"parse error\"");
  EXPECT_EQ(complaint_of(500, R"({"errorType":"a\nb","error":"c\nd"})"),
            "the server answers with status 500: error: \"c\\nd\"");
  EXPECT_EQ(complaint_of(502, "<html>bad gateway</html>"), "the server answers with status 502");
}

}  // namespace
}  // namespace rescheduler::usage
