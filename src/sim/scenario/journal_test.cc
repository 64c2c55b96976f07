#include "sim/scenario/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/scenario_runner.h"
#include "sim/scenario/trivial_placement.h"

namespace rescheduler::sim {
namespace {

using namespace std::chrono_literals;
using testing::MatchesRegex;

api::ConfigMap config(const std::string& value) {
  api::ConfigMap made;
  made.mutable_metadata()->set_namespace_("default");
  made.mutable_metadata()->set_name("c");
  for (int i = 0; i < 20; ++i) (*made.mutable_data())["key" + std::to_string(i)] = value;
  return made;
}

void add_namespaces(Server& server) {
  for (const char* name : {"default", "kube-system"}) {
    api::Namespace ns;
    ns.mutable_metadata()->set_name(name);
    EXPECT_TRUE(server.create(ns));
  }
}

TEST(Journal, EveryChangeWritesOneLine) {
  Agenda agenda;
  Server server(agenda, Rng(1));
  add_namespaces(server);
  std::vector<std::string> lines;
  Journal journal(server, [&lines](std::string_view line) { lines.emplace_back(line); });
  ASSERT_TRUE(server.create(config("a")));
  agenda.run_for(1500ms);
  ASSERT_TRUE(
      server.modify<api::ConfigMap>("default", "c", [](api::ConfigMap& map) { (*map.mutable_data())["x"] = "1"; }));
  ASSERT_TRUE(server.remove(server.kinds().of<api::ConfigMap>(), "default", "c", api::DeleteOptions{}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(journal.lines(), 3U);
  EXPECT_THAT(lines[0], MatchesRegex("2024-01-01T00:00:00.000000Z ADDED ConfigMap default/c [0-9]+ [0-9a-f]{8}\n"));
  EXPECT_THAT(lines[1], MatchesRegex("2024-01-01T00:00:01.500000Z MODIFIED ConfigMap default/c [0-9]+ [0-9a-f]{8}\n"));
  EXPECT_THAT(lines[2], MatchesRegex("2024-01-01T00:00:01.500000Z DELETED ConfigMap default/c [0-9]+ [0-9a-f]{8}\n"));
}

std::string journal_of_run(std::uint64_t seed, const std::string& value) {
  Agenda agenda;
  Server server(agenda, Rng(seed));
  add_namespaces(server);
  std::string text;
  const Journal journal(server, [&text](std::string_view line) { text += line; });
  EXPECT_TRUE(server.create(config(value)));
  ScenarioRunner runner(server, *load_scenario("seed-12-pods"));
  const TrivialPlacement placement(server);
  runner.start();
  agenda.run_for(2min);
  return text;
}

TEST(Journal, TheSameSeedWritesTheSameBytesAndAnotherSeedOrContentDoesNot) {
  const std::string first = journal_of_run(7, "a");
  EXPECT_GT(first.size(), 1000U);
  EXPECT_EQ(first, journal_of_run(7, "a"));
  EXPECT_NE(first, journal_of_run(8, "a")) << "uids come from the seed";
  EXPECT_NE(first, journal_of_run(7, "b")) << "a line depends on the content, not only on the name";
}

}  // namespace
}  // namespace rescheduler::sim
