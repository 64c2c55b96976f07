#include "cluster/objects/tolerations.h"

#include <vector>

#include <gtest/gtest.h>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cluster {
namespace {

bool tolerates(const char* key, const char* op, const char* value, const char* effect) {
  api::Toleration wire;
  wire.set_key(key);
  wire.set_operator_(op);
  wire.set_value(value);
  wire.set_effect(effect);
  api::Taint taint;
  taint.set_key("team");
  taint.set_value("a");
  taint.set_effect("NoSchedule");
  return toleration_text(wire).tolerates(taint_text(taint));
}

TEST(Tolerations, ATolerationMatchesByKeyValueAndEffect) {
  EXPECT_TRUE(tolerates("team", "Equal", "a", "NoSchedule"));
  EXPECT_TRUE(tolerates("team", "", "a", "NoSchedule")) << "no operator means Equal";
  EXPECT_FALSE(tolerates("team", "Equal", "b", "NoSchedule"));
  EXPECT_FALSE(tolerates("crew", "Equal", "a", "NoSchedule"));
  EXPECT_FALSE(tolerates("team", "Equal", "a", "NoExecute"));
}

TEST(Tolerations, AnEmptyEffectMatchesEveryEffectAndExistsMatchesEveryValue) {
  EXPECT_TRUE(tolerates("team", "Equal", "a", ""));
  EXPECT_TRUE(tolerates("team", "Exists", "", "NoSchedule"));
  EXPECT_TRUE(tolerates("", "Exists", "", ""));
  EXPECT_FALSE(tolerates("", "Exists", "", "NoExecute"));
}

// The API server rejects these values. For a file that contains them, the result equals kube-scheduler's.
TEST(Tolerations, AnEmptyKeyComparesValuesAndAnUnknownOperatorToleratesNothing) {
  EXPECT_TRUE(tolerates("", "Equal", "a", ""));
  EXPECT_FALSE(tolerates("", "Equal", "b", ""));
  EXPECT_FALSE(tolerates("team", "Near", "a", "NoSchedule"));
}

TEST(Tolerations, OneMatchingTolerationIsEnough) {
  const std::vector<TolerationText> both{{"x", "", "", TolerationOperator::Exists},
                                         {"team", "", "", TolerationOperator::Exists}};
  EXPECT_TRUE(tolerated(both, TaintText{"team", "a", "NoSchedule"}));
  EXPECT_FALSE(tolerated(both, TaintText{"y", "", "NoSchedule"}));
}

}  // namespace
}  // namespace rescheduler::cluster
