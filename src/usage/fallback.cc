#include "usage/fallback.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace rescheduler::usage {
namespace {

const std::string kRequests = "requests";
const std::string kTurns = "turns";

}  // namespace

Fallback::Fallback(std::vector<std::string> sources, FallbackSettings settings) : settings_(settings) {
  for (std::string& name : sources) sources_.push_back({.name = std::move(name)});
  vacant_ = !sources_.empty();
}

void Fallback::begin_round(SteadyTime now) {
  now_ = now;
  for (State& one : sources_) one.asked = false;
}

std::optional<std::size_t> Fallback::next() const {
  if (charge_ && !vacant_ && !sources_[*charge_].asked) return charge_;
  const std::size_t end = charge_ && !vacant_ ? *charge_ : sources_.size();
  for (std::size_t i = 0; i < end; ++i) {
    if (!sources_[i].asked) return i;
  }
  return std::nullopt;
}

const std::string& Fallback::name() const {
  if (charge_) return sources_[*charge_].name;
  return judgeable_ ? kRequests : kTurns;
}

cluster::LoadBasis Fallback::basis() const {
  if (charge_) return cluster::LoadBasis::Usage;
  return judgeable_ ? cluster::LoadBasis::Requests : cluster::LoadBasis::RoundRobin;
}

Fallback::Change Fallback::change(std::string why) {
  std::string from = std::exchange(last_, name());
  changed_ = now_;
  const auto better = std::span(sources_).first(charge_.value_or(0));
  const bool loss =
      !charge_ || std::ranges::any_of(better, [](const State& one) { return one.failures > 0 && one.last.installed; });
  return {.from = std::move(from), .to = last_, .basis = basis(), .why = std::move(why), .loss = loss};
}

std::string Fallback::complaints(std::size_t before) const {
  std::string all;
  for (std::size_t i = 0; i < before; ++i) {
    if (sources_[i].failures == 0) continue;
    all += fmt::format("{}{}", all.empty() ? "" : "; ", sources_[i].last.sentence);
  }
  return all;
}

std::optional<Fallback::Change> Fallback::answered(std::size_t source) {
  State& one = sources_[source];
  one.asked = true;
  one.failures = 0;
  ++one.answers;
  if (source == charge_ && !vacant_) return std::nullopt;
  const bool better = !charge_ || source < *charge_;
  const bool stable = one.answers >= settings_.answers_to_return;
  // No wait after a time without a source: measured load is always better.
  const bool due = !charge_ || now_ - changed_ >= settings_.return_after;
  if (!vacant_ && !(better && stable && due)) return std::nullopt;
  vacant_ = false;
  charge_ = source;
  std::string why = complaints(source);
  return change(why.empty() ? fmt::format("{} answers", one.name) : std::move(why));
}

std::optional<Fallback::Change> Fallback::failed(std::size_t source, Failure failure) {
  State& one = sources_[source];
  one.asked = true;
  one.answers = 0;
  ++one.failures;
  one.last = std::move(failure);
  const bool leave = one.failures >= settings_.failures_to_leave || !one.last.fresh || !one.last.installed;
  if (source == charge_ && leave) vacant_ = true;
  if (!vacant_ || next()) return std::nullopt;
  charge_.reset();
  vacant_ = false;
  return change(complaints(sources_.size()));
}

std::optional<Fallback::Change> Fallback::requests_judgeable(bool are) {
  if (std::exchange(judgeable_, are) == are || charge_ || vacant_) return std::nullopt;
  return change(are ? "nodes report their allocatable CPU and memory"
                    : "no node reports its allocatable CPU and memory");
}

}  // namespace rescheduler::usage
