// Which plugins of which profile may care about something that happened: the plugins' interests, sorted by what they
// are about.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "cluster/happening.h"
#include "placement/plugin.h"
#include "scheduler/queue/plugin_index_set.h"

namespace rescheduler::scheduler {

struct PluginInterests {
  std::string name{};
  std::vector<placement::Interest> interests{};
};

struct ProfilePlugins {
  std::string name{};                      // the schedulerName
  std::vector<PluginInterests> plugins{};  // by slot
};

// Meant for everybody (or for the one pod it names), whatever it waits for.
inline bool wakes_all(const cluster::Happening& what) { return what.subject == cluster::Subject::Anything; }

class InterestTable {
 public:
  struct Entry {
    std::size_t slot = 0;
    placement::Interest interest{};
  };

  explicit InterestTable(const std::vector<ProfilePlugins>& profiles);

  // The extenders are always among them.
  PluginIndexSet interested(std::size_t profile, cluster::Subject subject, cluster::Changes changes) const;

  // Calls visit(slot, interest) for each interest of these plugins that matches, until it answers false.
  template <class Visit>
  void each(std::size_t profile, PluginIndexSet plugins, const cluster::Happening& what, Visit visit) const {
    for (const Entry& entry : about(profile, what.subject)) {
      if (!plugins.has(entry.slot) || !matches(entry.interest, what.changes)) continue;
      if (!visit(entry.slot, entry.interest)) return;
    }
  }

 private:
  static constexpr std::size_t kSubjects = static_cast<std::size_t>(cluster::Subject::Anything) + 1;
  using BySubject = std::array<std::vector<Entry>, kSubjects>;

  static void add(BySubject& table, std::size_t slot, const placement::Interest& interest);
  // An interest in Anything is one in everything, whatever changed.
  static bool matches(const placement::Interest& interest, cluster::Changes changes) {
    return interest.subject == cluster::Subject::Anything || interest.changes.meets(changes);
  }
  const std::vector<Entry>& about(std::size_t profile, cluster::Subject subject) const {
    return profiles_[profile][static_cast<std::size_t>(subject)];
  }

  std::vector<BySubject> profiles_;
};

}  // namespace rescheduler::scheduler
