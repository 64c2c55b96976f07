// Two processes, one lease, a real API server. The leader is frozen, the other takes over, the first continues. At no
// instant may both act.
#include <algorithm>
#include <set>
#include <signal.h>

#include <gtest/gtest.h>

#include "support/child.h"
#include "support/live_api.h"
#include "support/rig.h"
#include "support/skip.h"

namespace rescheduler::test {
namespace {

class Candidate {
 public:
  Candidate(const Rig& rig, const std::string& ns, std::string identity)
      : identity_(identity), child_({RESCHEDULER_LEASE_CANDIDATE, rig.kubeconfig(), ns, std::move(identity)}) {}

  void freeze() const { child_.signal(SIGSTOP); }
  void thaw() const { child_.signal(SIGCONT); }
  void kill() const { child_.signal(SIGKILL); }

  std::vector<std::int64_t> acts() const {
    std::vector<std::int64_t> instants;
    for (const std::string& line : child_.lines()) {
      if (line.starts_with("ACT ")) instants.push_back(std::stoll(line.substr(4)));
    }
    return instants;
  }
  std::size_t count(const std::string& word) const {
    const auto lines = child_.lines();
    return static_cast<std::size_t>(std::ranges::count(lines, word));
  }
  bool acts_beyond(std::size_t known) const { return acts().size() > known + 20; }
  const std::string& identity() const { return identity_; }

 private:
  std::string identity_;
  Child child_;
};

// How often the sorted instants of both change from one process to the other. If the two never act at the same time,
// this is the number of leadership changes.
std::size_t leadership_changes(const Candidate& left, const Candidate& right) {
  std::vector<std::pair<std::int64_t, const Candidate*>> all;
  for (const Candidate* candidate : {&left, &right}) {
    for (const std::int64_t instant : candidate->acts()) all.emplace_back(instant, candidate);
  }
  std::ranges::sort(all);
  std::size_t changes = 0;
  for (std::size_t index = 1; index < all.size(); ++index) changes += all[index].second != all[index - 1].second;
  return changes;
}

TEST(RealLease, AFrozenLeaderDoesNotActAfterAnotherTookOver) {
  auto rig = Rig::shared();
  if (!rig) RESCHEDULER_SKIP("real") << rig.error().message;
  LiveApi live(rig->kubeconfig());
  const TestNamespace ns(live);
  Candidate first(*rig, ns.name(), "first");
  ASSERT_TRUE(eventually([&] { return first.acts_beyond(0); }));
  Candidate second(*rig, ns.name(), "second");

  Candidate* leader = &first;
  Candidate* other = &second;
  for (std::size_t round = 1; round <= 3; ++round) {
    const std::size_t acted = other->acts().size();
    const std::size_t lost = leader->count("LOST");
    leader->freeze();
    ASSERT_TRUE(eventually([&] { return other->acts_beyond(acted); })) << other->identity() << " never took over";
    leader->thaw();
    // The old leader stops by itself, and its last instant is before the first one of the new leader.
    ASSERT_TRUE(eventually([&] { return leader->count("LOST") == lost + 1; })) << leader->identity();
    EXPECT_EQ(leadership_changes(first, second), round) << "both acted at once";
    std::swap(leader, other);
  }

  // A leader that was killed is replaced too.
  const std::size_t acted = other->acts().size();
  leader->kill();
  ASSERT_TRUE(eventually([&] { return other->acts_beyond(acted); }));
  EXPECT_EQ(leadership_changes(first, second), 4U) << "both acted at once";
}

}  // namespace
}  // namespace rescheduler::test
