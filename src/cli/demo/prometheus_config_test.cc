#include "cli/demo/prometheus_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PrometheusConfig, EachNodeAndItsContainersAreTargetsThroughTheApiServer) {
  const std::string targets = prometheus_targets("https://127.0.0.1:99", {"a", "b"}, false);
  EXPECT_THAT(targets,
              testing::StartsWith(R"([{"targets":["127.0.0.1:99"],"labels":{"__metrics_path__":)"
                                  R"("/api/v1/nodes/a/proxy/metrics","instance":"a","metrics_path":"/metrics"}},)"));
  EXPECT_THAT(targets, testing::EndsWith(R"({"targets":["127.0.0.1:99"],"labels":{"__metrics_path__":)"
                                         R"("/api/v1/nodes/b/proxy/metrics/cadvisor","instance":"b",)"
                                         R"("metrics_path":"/metrics/cadvisor"}}])"
                                         "\n"));
  EXPECT_THAT(prometheus_targets("https://127.0.0.1:99", {"a"}, true), HasSubstr(R"("/sim/nodes/a/metrics/cadvisor")"));
  EXPECT_EQ(prometheus_targets("https://127.0.0.1:99", {}, false), "[]\n");
}

TEST(PrometheusConfig, TheCaFileIsSetForBothConnectionsOrForNone) {
  const std::string config = prometheus_config("https://127.0.0.1:99", "/x/ca.crt");
  EXPECT_THAT(config, HasSubstr("    scheme: https\n    tls_config:\n      ca_file: \"/x/ca.crt\"\n"));
  EXPECT_THAT(config, HasSubstr("        tls_config:\n          ca_file: \"/x/ca.crt\"\n"));
  EXPECT_THAT(config, HasSubstr("- url: \"https://127.0.0.1:99/sim/prometheus-targets\"\n"));
  EXPECT_THAT(prometheus_config("http://127.0.0.1:99", ""), Not(HasSubstr("tls_config")));
}

TEST(PrometheusConfig, SamplesGetATimestampAndCommentsDoNot) {
  EXPECT_EQ(with_time("# TYPE a gauge\na 1\nb{c=\"d\"} 2.5\n", 1234),
            "# TYPE a gauge\na 1 1234\nb{c=\"d\"} 2.5 1234\n");
  EXPECT_EQ(with_time("", 1234), "");
}

}  // namespace
}  // namespace rescheduler::cli
