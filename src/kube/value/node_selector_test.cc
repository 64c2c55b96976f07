#include "kube/value/node_selector.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using Labels = std::map<std::string, std::string, std::less<>>;
using Expressions = std::vector<SelectorExpression>;

NodeSelectorTerm term(Expressions expressions, Expressions fields = {}) {
  auto made = NodeSelectorTerm::from(std::move(expressions), std::move(fields));
  EXPECT_TRUE(made) << made.error().message;
  return made.value_or(NodeSelectorTerm{});
}

TEST(NodeSelector, MatchesByLabelsAndByName) {
  const Labels labels{{"zone", "a"}, {"cores", "16"}};
  EXPECT_TRUE(term({{"zone", "In", {"a", "b"}}, {"cores", "Gt", {"8"}}}).matches(labels, "n1"));
  EXPECT_FALSE(term({{"zone", "In", {"a", "b"}}, {"cores", "Lt", {"16"}}}).matches(labels, "n1"));
  EXPECT_TRUE(term({{"gpu", "DoesNotExist", {}}, {"disk", "NotIn", {"hdd"}}}).matches(labels, "n1"));
  EXPECT_TRUE(term({}, {{"metadata.name", "In", {"n1"}}}).matches(labels, "n1"));
  EXPECT_FALSE(term({}, {{"metadata.name", "In", {"n1"}}}).matches(labels, "n2"));
  EXPECT_TRUE(term({}, {{"metadata.name", "NotIn", {"n1"}}}).matches(labels, "n2"));
  EXPECT_FALSE(term({{"zone", "Exists", {}}}, {{"metadata.name", "In", {"n9"}}}).matches(labels, "n1"));
}

TEST(NodeSelector, TermsAreAlternativesAndAnEmptyTermSelectsNoNode) {
  const Labels labels{{"zone", "a"}};
  EXPECT_FALSE(term({}).matches(labels, "n1"));
  EXPECT_FALSE(NodeSelector({}).matches(labels, "n1"));
  EXPECT_FALSE(NodeSelector({term({})}).matches(labels, "n1"));
  EXPECT_TRUE(NodeSelector({term({{"zone", "In", {"b"}}}), term({{"zone", "In", {"a"}}})}).matches(labels, "n1"));
}

TEST(NodeSelector, RefusesTermsThatKubernetesCannotEvaluate) {
  EXPECT_FALSE(NodeSelectorTerm::from({{"zone", "=", {"a"}}}, {}));
  EXPECT_FALSE(NodeSelectorTerm::from({{"cores", "Gt", {"many"}}}, {}));
  EXPECT_FALSE(NodeSelectorTerm::from({}, {{"metadata.name", "Exists", {}}}));
  EXPECT_FALSE(NodeSelectorTerm::from({}, {{"metadata.name", "In", {"a", "b"}}}));
  EXPECT_FALSE(NodeSelectorTerm::from({}, {{"metadata.namespace", "In", {"a"}}}));
  EXPECT_FALSE(NodeSelectorTerm::from({}, {{"metadata.name", "in", {"a"}}}));
}

}  // namespace
}  // namespace rescheduler::kube
