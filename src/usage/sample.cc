#include "usage/sample.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

namespace rescheduler::usage {

std::string_view to_string(Drop why) noexcept {
  switch (why) {
    case Drop::NotANumber: return "not_a_number";
    case Drop::Negative: return "negative";
    case Drop::Absurd: return "absurd";
    case Drop::NoNode: return "no_node";
    case Drop::Ambiguous: return "ambiguous";
    case Drop::Future: return "future";
    case Drop::Stale: return "stale";
  }
  return "unknown";
}

DropCounts& DropCounts::operator+=(const DropCounts& more) {
  for (std::size_t i = 0; i < kDrops; ++i) counts_[i] += more.counts_[i];
  return *this;
}

std::uint64_t DropCounts::total() const { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }

std::string DropCounts::text() const {
  static constexpr std::array<std::string_view, kDrops> kWords{
      "not a number", "negative", "absurd", "of unknown nodes", "ambiguous", "with a time in the future", "stale"};
  std::string text;
  for (std::size_t i = 0; i < kDrops; ++i) {
    if (counts_[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts_[i], kWords[i]);
  }
  return text;
}

std::optional<WallTime> Reading::newest() const {
  const auto last = std::ranges::max_element(samples, {}, &Sample::at);
  return last == samples.end() ? std::nullopt : std::optional(last->at);
}

std::optional<Drop> fault_of(const Sample& sample, const SampleRules& rules, WallTime now) {
  if (sample.node.empty()) return Drop::NoNode;
  if (!std::isfinite(sample.value)) return Drop::NotANumber;
  if (sample.value < -rules.rounding) return Drop::Negative;
  if (sample.value > rules.most) return Drop::Absurd;
  if (sample.at > now + rules.skew) return Drop::Future;
  if (sample.at < now - rules.freshness) return Drop::Stale;
  return std::nullopt;
}

Reading sift(Reading raw, const SampleRules& rules, WallTime now) {
  boost::unordered_flat_map<std::pair<std::string_view, std::size_t>, std::uint32_t> seen;
  seen.reserve(raw.samples.size());
  for (const Sample& sample : raw.samples) ++seen[{sample.node, sample.resource}];

  Reading good;
  good.dropped = raw.dropped;
  good.samples.reserve(raw.samples.size());
  for (const Sample& sample : raw.samples) {
    std::optional<Drop> fault = fault_of(sample, rules, now);
    if (fault != Drop::NoNode && seen[{sample.node, sample.resource}] > 1) fault = Drop::Ambiguous;
    if (fault) {
      ++good.dropped[*fault];
    } else {
      good.samples.push_back(sample);
      good.samples.back().value = std::max(sample.value, 0.0);
    }
  }
  return good;
}

}  // namespace rescheduler::usage
