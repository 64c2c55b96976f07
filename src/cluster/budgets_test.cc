#include "cluster/budgets.h"

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/testing.h"

namespace rescheduler::cluster::testing {
namespace {

const Texts kX = {{"app", "x"}};

TEST(Budgets, ABudgetCoversThePodsOfItsNamespaceThatItsSelectorMatches) {
  struct Row {
    const char* what;
    BudgetBuilder made;
    PodBuilder of;
    bool covers;
  };
  const Row rows[] = {
      {"the label it selects", budget("b", kX, 1), pod("p").label("app", "x"), true},
      {"another label", budget("b", kX, 1), pod("p").label("app", "y"), false},
      {"another namespace", budget("b", kX, 1).in("red"), pod("p").label("app", "x"), false},
      {"no labels", budget("b", kX, 1), pod("p"), false},
      {"no selector", budget("b", std::nullopt, 1), pod("p").label("app", "x"), false},
      {"a selector without conditions", budget("b", Texts{}, 1), pod("p").label("app", "x"), false},
  };
  for (const Row& row : rows) {
    Cluster cluster;
    cluster.budgets().upsert(row.made);
    cluster.upsert_pod(PodBuilder(row.of).on("n"));
    EXPECT_EQ(cluster.budgets().covers(cluster.budgets().all().at(0), cluster.pod(PodIndex{0})), row.covers)
        << row.what;
  }
}

TEST(Budgets, AnUpsertReplacesTheBudgetOfTheSameNamespaceAndName) {
  Cluster cluster;
  Budgets& budgets = cluster.budgets();
  budgets.upsert(budget("b", kX, 1));
  budgets.upsert(budget("b", kX, 1).in("red"));
  budgets.upsert(budget("b", kX, 0).disrupted("p1"));
  ASSERT_EQ(budgets.all().size(), 2U);
  EXPECT_EQ(budgets.all()[1].disruptions_allowed, 0);
  EXPECT_TRUE(budgets.all()[1].disrupted.contains("p1"));
  budgets.remove("default", "b");
  budgets.remove("unknown", "b");
  ASSERT_EQ(budgets.all().size(), 1U);
  EXPECT_EQ(cluster.text(budgets.all()[0].ns), "red");
}

}  // namespace
}  // namespace rescheduler::cluster::testing
