#include "config/configuration.h"

#include <algorithm>
#include <array>

namespace rescheduler::config {
namespace {

using placement::Point;

constexpr std::string_view kRescheduler = "Rescheduler";
constexpr std::string_view kPodrescheduling = "Podrescheduling";
constexpr std::array kLoadPoints = {Point::Filter, Point::Score, Point::Reserve, Point::PreBind};

bool places_by_load(const Profile& profile) {
  return std::ranges::any_of(kLoadPoints, [&](Point point) { return profile.uses(kRescheduler, point); });
}

template <class Is>
const Profile* first(const std::vector<Profile>& profiles, Is is) {
  const auto found = std::ranges::find_if(profiles, is);
  return found == profiles.end() ? nullptr : &*found;
}

}  // namespace

void set_settings(Profile& profile, ReschedulerSettings settings) {
  settings.placing.load_resources = settings.load.resources;
  profile.args[std::string(kRescheduler)] = settings.placing;
  profile.rescheduler = std::move(settings);
}

void set_settings(Profile& profile, PodreschedulingSettings settings) {
  profile.args[std::string(kPodrescheduling)] = settings.placing;
  profile.podrescheduling = std::move(settings);
}

void place_by_load(Profile& profile, ReschedulerSettings settings) {
  for (const Point point : kLoadPoints) {
    if (profile.uses(kRescheduler, point)) continue;
    profile.at(point).push_back({std::string(kRescheduler), placement::kReschedulerWeight});
  }
  set_settings(profile, std::move(settings));
}

void resolve_settings(Configuration& configuration) {
  const auto& profiles = configuration.profiles;
  configuration.load.reset();
  if (const Profile* profile = first(profiles, places_by_load)) {
    configuration.load = profile->rescheduler.value_or(ReschedulerSettings{}).load;
  }
  configuration.rescheduled.reset();
  if (const Profile* profile = first(profiles, [](const Profile& one) { return one.uses(kRescheduler); })) {
    Profile chosen = *profile;
    if (!chosen.rescheduler) chosen.rescheduler.emplace();
    if (chosen.rescheduler->rescheduling.enabled) configuration.rescheduled = std::move(chosen);
  }
  configuration.rescheduler = {};
  configuration.migration = {};
  if (const Profile* profile = first(profiles, [](const Profile& one) { return one.rescheduler.has_value(); })) {
    configuration.rescheduler = *profile->rescheduler;
  }
  for (const Profile& profile : profiles) {
    if (profile.rescheduler) configuration.migration = profile.rescheduler->migration;
  }
  configuration.recovery.reset();
  if (const Profile* profile =
          first(profiles, [](const Profile& one) { return one.uses(kPodrescheduling, Point::Filter); })) {
    RecoverySettings recovery = profile->podrescheduling.value_or(PodreschedulingSettings{}).recovery;
    if (recovery.mode != StrategyMode::Off) configuration.recovery = std::move(recovery);
  }
  configuration.webhook = {};
  if (const Profile* profile = first(profiles, [](const Profile& one) { return one.podrescheduling.has_value(); })) {
    configuration.webhook = profile->podrescheduling->recovery.webhook;
  }
  if (configuration.recovery) configuration.webhook = configuration.recovery->webhook;
}

}  // namespace rescheduler::config
