#include "scheduler/queue/interests.h"

#include "base/check.h"

namespace rescheduler::scheduler {

using cluster::Subject;

InterestTable::InterestTable(const std::vector<ProfilePlugins>& profiles) : profiles_(profiles.size()) {
  for (std::size_t profile = 0; profile < profiles.size(); ++profile) {
    const auto& plugins = profiles[profile].plugins;
    RESCHEDULER_CHECK(plugins.size() <= kExtenderSlot, "the profile {} has {} plugins, more than {}",
                      profiles[profile].name, plugins.size(), kExtenderSlot);
    for (std::size_t slot = 0; slot < plugins.size(); ++slot) {
      for (const placement::Interest& interest : plugins[slot].interests) add(profiles_[profile], slot, interest);
    }
  }
}

void InterestTable::add(BySubject& table, std::size_t slot, const placement::Interest& interest) {
  const bool in_everything = interest.subject == Subject::Anything;
  for (std::size_t subject = 0; subject < kSubjects; ++subject) {
    if (!in_everything && static_cast<std::size_t>(interest.subject) != subject) continue;
    table[subject].push_back({.slot = slot, .interest = interest});
  }
}

PluginIndexSet InterestTable::interested(std::size_t profile, Subject subject, cluster::Changes changes) const {
  PluginIndexSet set = PluginIndexSet::extender();
  for (const Entry& entry : about(profile, subject)) {
    if (matches(entry.interest, changes)) set.add(entry.slot);
  }
  return set;
}

}  // namespace rescheduler::scheduler
