#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr const char* kPlugin = "ImageLocality";
constexpr std::int64_t kMebibyte = 1 << 20;

TEST(ImageLocality, AnImageWithoutATagHasTheTagLatest) {
  for (const auto& [written, reported] : {std::pair{"web", "web:latest"},
                                          {"web:1", "web:1"},
                                          {"host:5000/web", "host:5000/web:latest"},
                                          {"host:5000/web:2", "host:5000/web:2"},
                                          {"web@sha256:abc", "web@sha256:abc"}}) {
    Bench bench;
    bench.add(node("n").image(reported, 1000 * kMebibyte));
    EXPECT_THAT(bench.raw(kPlugin, pod("p").image(written)), ElementsAre(Pair("n", 100))) << written;
  }
}

TEST(ImageLocality, SmallImagesDoNotCount) {
  Bench bench;
  bench.add(node("n").image("tiny:latest", 23 * kMebibyte));
  EXPECT_THAT(bench.raw(kPlugin, pod("p").image("tiny")), ElementsAre(Pair("n", 0)));
}

TEST(ImageLocality, TheImagesOfInitContainersAndImageVolumesCountToo) {
  Bench bench;
  bench.add(node("n").image("web:latest", 500 * kMebibyte));
  const auto in_init = pod("p").image("absent").merge(R"({"spec":{"initContainers":[{"name":"i","image":"web"}]}})");
  EXPECT_THAT(bench.raw(kPlugin, in_init), ElementsAre(Pair("n", 24)));
  const auto in_volume =
      pod("p").image("absent").merge(R"({"spec":{"volumes":[{"name":"v","image":{"reference":"web"}}]}})");
  EXPECT_THAT(bench.raw(kPlugin, in_volume), ElementsAre(Pair("n", 48)));
}

TEST(ImageLocality, AddedAndRemovedNodesChangeTheScoreOfAnImage) {
  Bench bench;
  bench.add(node("n1").image("web:latest", 1000 * kMebibyte));
  const auto context = pod("p").image("web");
  EXPECT_THAT(bench.raw(kPlugin, context), ElementsAre(Pair("n1", 100)));
  bench.add(node("n2"));
  EXPECT_THAT(bench.raw(kPlugin, context), ElementsAre(Pair("n1", 48), Pair("n2", 0)));
  bench.add(node("n2").image("web:latest", 1000 * kMebibyte));
  EXPECT_THAT(bench.raw(kPlugin, context), ElementsAre(Pair("n1", 100), Pair("n2", 100)));
  bench.model().remove_node("n1");
  EXPECT_THAT(bench.raw(kPlugin, context), ElementsAre(Pair("n2", 100)));
}

}  // namespace
}  // namespace rescheduler::placement::testing
