#include "sim/load/profile.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/load/series.h"

namespace rescheduler::sim {
namespace {

constexpr Millis kDay = 86'400'000;
constexpr Millis kDailyStep = 60'000;  // a cosine over a day changes by at most half a percent per minute
constexpr Millis kRampStep = 5'000;

std::uint64_t mix(std::uint64_t bits) {  // the finalizer of splitmix64
  bits += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// Also right for times before 1970.
Millis floor_to(Millis time, Millis period) {
  const Millis rest = time % period;
  return rest < 0 ? time - rest - period : time - rest;
}

std::int64_t between(std::int64_t from, std::int64_t to, double share) {
  return from + static_cast<std::int64_t>(std::llround(static_cast<double>(to - from) * share));
}

}  // namespace

std::uint64_t seed_of(std::string_view uid, std::string_view ns, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto feed = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;
  };
  feed(uid);
  feed(ns);
  feed(name);
  return mix(hash);
}

double bell(std::uint64_t seed, std::uint64_t draw) {
  // The sum of four uniform numbers: close enough to normal, and without extreme values.
  const std::uint64_t bits = mix(seed ^ mix(draw));
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>((bits >> (16 * i)) & 0xffff) / 65'536.0;
  return (sum - 2.0) * std::numbers::sqrt3;  // the variance of the sum is 4/12
}

std::int64_t Profile::Amount::resolve(std::int64_t request) const {
  if (of_request < 0) return units;
  return static_cast<std::int64_t>(std::llround(static_cast<double>(request) * of_request));
}

Level Profile::daily(const LoadSubject& subject, Millis now) const {
  const Millis minute = floor_to(now, kDailyStep);
  const double angle = 2 * std::numbers::pi * static_cast<double>(minute - after_) / static_cast<double>(kDay);
  const double share = (1 + std::cos(angle)) / 2;
  return {between(low_.resolve(subject.request), high_.resolve(subject.request), share), minute + kDailyStep};
}

Level Profile::ramp(const LoadSubject& subject, Millis now) const {
  const Millis begin = subject.started + after_;
  const Millis end = begin + over_;
  if (now < begin) return {low_.resolve(subject.request), begin};
  if (now >= end) return {high_.resolve(subject.request), kForever};
  const Millis moment = std::max(floor_to(now, kRampStep), begin);
  const double share = static_cast<double>(moment - begin) / static_cast<double>(over_);
  return {between(low_.resolve(subject.request), high_.resolve(subject.request), share),
          std::min(floor_to(now, kRampStep) + kRampStep, end)};
}

Level Profile::step(const LoadSubject& subject, Millis now) const {
  const Millis begin = subject.started + after_;
  if (now < begin) return {low_.resolve(subject.request), begin};
  if (over_ == 0) return {high_.resolve(subject.request), kForever};
  if (now < begin + over_) return {high_.resolve(subject.request), begin + over_};
  return {low_.resolve(subject.request), kForever};
}

Level Profile::recorded(const LoadSubject& subject, Millis now) const {
  const SeriesTable& table = *series_;
  const std::size_t row = any_row_ ? mix(subject.seed ^ 1) % table.rows() : row_;
  const auto length = static_cast<Millis>(table.length(row));
  const Millis begin = floor_to(now, table.step_ms);
  Millis index = floor_to(now + after_, table.step_ms) / table.step_ms;
  Millis until = floor_to(now + after_, table.step_ms) + table.step_ms - after_;
  if (any_offset_) {
    index = begin / table.step_ms + static_cast<Millis>(mix(subject.seed ^ 2) % static_cast<std::uint64_t>(length));
    until = begin + table.step_ms;
  }
  const Millis place = ((index % length) + length) % length;
  const double share = table.sample(row, static_cast<std::size_t>(place)) / 10'000.0;
  return {between(0, low_.resolve(subject.request), share), until};
}

Level Profile::base(const LoadSubject& subject, Millis now) const {
  switch (form_) {
    case Form::Constant: return {low_.resolve(subject.request), kForever};
    case Form::Daily: return daily(subject, now);
    case Form::Ramp: return ramp(subject, now);
    case Form::Step: return step(subject, now);
    case Form::Series: return recorded(subject, now);
  }
  return {};
}

Level Profile::at(const LoadSubject& subject, Millis now) const {
  Level level = base(subject, now);
  const std::int64_t deviation = deviation_.resolve(subject.request);
  if (deviation != 0) {
    const Millis begin = floor_to(now, every_);
    const double noise = bell(subject.seed, static_cast<std::uint64_t>(begin));
    level.amount += static_cast<std::int64_t>(std::llround(static_cast<double>(deviation) * noise));
    level.until = std::min(level.until, begin + every_);
  }
  level.amount = std::max(level.amount, std::int64_t{0});
  return level;
}

}  // namespace rescheduler::sim
