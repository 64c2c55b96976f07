#include "rescheduler/marks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kube/proto/meta.pb.h"

namespace rescheduler::rescheduling {
namespace {

using Texts = google::protobuf::Map<std::string, std::string>;

constexpr std::array kOptOutKeys{kReschedulingKey, kOwnReschedulingKey};
constexpr std::array kMaintenanceKeys{kMaintenanceKey, kOwnMaintenanceKey};

OptOut meaning_of(std::string_view value) {
  if (value == "disabled") return OptOut::Disabled;
  return value == "enabled" ? OptOut::No : OptOut::Unclear;
}

// In a fixed order: labels before annotations, the documents' key before ours.
template <class Visit>
void each_word(const api::ObjectMeta& meta, const Visit& visit) {
  for (const Texts* texts : {&meta.labels(), &meta.annotations()}) {
    if (texts->empty()) continue;
    for (const std::string_view key : kOptOutKeys) {
      const auto found = texts->find(std::string(key));
      if (found != texts->end()) visit(key, found->second);
    }
  }
}

}  // namespace

OptOut opt_out_of(const api::ObjectMeta& meta) {
  OptOut out = OptOut::No;
  each_word(meta, [&](std::string_view, std::string_view value) {
    const OptOut said = meaning_of(value);
    // What is clearly disabled needs no warning, whatever the other word is.
    if (out != OptOut::Disabled && said != OptOut::No) out = said;
  });
  return out;
}

std::string unclear_word(const api::ObjectMeta& meta) {
  std::string word;
  each_word(meta, [&](std::string_view key, std::string_view value) {
    if (word.empty() && meaning_of(value) == OptOut::Unclear) word = fmt::format("{}: \"{}\"", key, value);
  });
  return word;
}

bool asks_for_maintenance(const api::ObjectMeta& node) {
  return std::ranges::any_of(kMaintenanceKeys, [&](std::string_view key) {
    const auto found = node.labels().find(std::string(key));
    return found != node.labels().end() && found->second == "true";
  });
}

std::optional<std::string> unclear_maintenance(const api::ObjectMeta& node) {
  for (const std::string_view key : kMaintenanceKeys) {
    const auto found = node.labels().find(std::string(key));
    if (found == node.labels().end() || found->second == "true" || found->second == "false") continue;
    return fmt::format("{}: \"{}\"", key, found->second);
  }
  return std::nullopt;
}

}  // namespace rescheduler::rescheduling
