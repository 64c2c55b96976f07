// The plugins of one profile, created and sorted by extension point.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "placement/node_result_cache.h"
#include "placement/plugin.h"
#include "placement/profile.h"

namespace rescheduler::placement {

class Registry;

struct ScoringPlugin {
  const Plugin* plugin = nullptr;
  std::int64_t weight = 1;
};

class Framework {
 public:
  static Result<std::unique_ptr<Framework>> make(const Profile& profile, const Registry& registry);

  const Profile& profile() const { return profile_; }
  const std::vector<std::unique_ptr<Plugin>>& plugins() const { return plugins_; }  // by slot
  const std::vector<const Plugin*>& at(Point point) const { return by_point_[static_cast<std::size_t>(point)]; }
  const std::vector<ScoringPlugin>& scoring() const { return scoring_; }
  const Plugin* find(std::string_view name) const;
  template <class Args>
  const Args* args_of(std::string_view name) const {
    return profile_.args_of<Args>(name);
  }

  // Prepares the counts that the plugins will read. Called before every cycle; cheap if everything is prepared.
  void prepare(cluster::Cluster& cluster, const PodContext& context) const;

  NodeResultCache& cache() const { return cache_; }

 private:
  Result<void> check_pairs() const;
  explicit Framework(Profile profile) : profile_(std::move(profile)) {}

  Profile profile_;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  std::array<std::vector<const Plugin*>, kPointCount> by_point_;
  std::vector<ScoringPlugin> scoring_;
  mutable NodeResultCache cache_;  // cached results; they change no decision
};

}  // namespace rescheduler::placement
