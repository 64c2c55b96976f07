#include "usage/smoothing.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "usage/half_life.h"

namespace rescheduler::usage {
namespace {

constexpr double kSeen = 0.01;

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

double line(double age, double averaged) {
  if (age <= 0.0) return 1.0;
  return averaged <= age ? 0.0 : 1.0 - age / averaged;
}

// The same line, smoothed by an exponential mean; see the header.
double line_through_ewma(double age, double averaged, double constant) {
  if (age <= 0.0) return 1.0;
  if (constant <= 0.0) return line(age, averaged);
  if (averaged <= 0.0) return std::exp(-age / constant);
  if (age < averaged) return 1.0 - (age - constant * (1.0 - std::exp(-age / constant))) / averaged;
  const double left_at_end = constant / averaged * (1.0 - std::exp(-averaged / constant));
  return left_at_end * std::exp(-(age - averaged) / constant);
}

}  // namespace

void Smoother::add(double value, WallTime at, const SmoothingSettings& how) {
  if (newest_ && at <= *newest_) return;
  switch (how.kind) {
    case Smoothing::None: value_ = value; break;
    case Smoothing::Ewma:
      value_ = newest_ ? value_ + weight_of_new(at - *newest_, how.half_life) * (value - value_) : value;
      break;
    case Smoothing::Percentile: {
      kept_.emplace_back(at, value);
      std::erase_if(kept_, [&](const auto& one) { return one.first < at - how.window; });
      std::vector<double> sorted;
      sorted.reserve(kept_.size());
      for (const auto& [when, kept] : kept_) sorted.push_back(kept);
      std::ranges::sort(sorted);
      // The smallest value v such that at least this share of the samples is <= v.
      const double rank = std::ceil(std::clamp(how.percentile / 100, 0.0, 1.0) * static_cast<double>(sorted.size()));
      value_ = sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
      break;
    }
  }
  newest_ = at;
}

void Volatility::add(double value, WallTime at) {
  if (newest_ && at <= *newest_) return;
  constexpr std::chrono::minutes kHalfLife{30};
  if (!newest_) {
    mean_ = value;
  } else {
    const double weight = weight_of_new(at - *newest_, kHalfLife);
    const double off = value - mean_;
    mean_ += weight * off;
    variance_ = (1.0 - weight) * (variance_ + weight * off * off);
  }
  newest_ = at;
}

double Volatility::deviation() const { return std::sqrt(variance_); }

double unseen(std::chrono::nanoseconds age, std::chrono::nanoseconds averaged, const SmoothingSettings& how) {
  double share = 0.0;
  switch (how.kind) {
    case Smoothing::None: share = line(seconds(age), seconds(averaged)); break;
    case Smoothing::Ewma:
      share = line_through_ewma(seconds(age), seconds(averaged), seconds(how.half_life) / std::numbers::ln2);
      break;
    case Smoothing::Percentile:
      share = line(seconds(age) - (1.0 - how.percentile / 100) * seconds(how.window), seconds(averaged));
      break;
  }
  return share < kSeen ? 0.0 : std::min(share, 1.0);
}

std::chrono::nanoseconds time_to_be_seen(std::chrono::nanoseconds averaged, const SmoothingSettings& how) {
  using std::chrono::nanoseconds;
  switch (how.kind) {
    case Smoothing::None: return averaged;
    // exp(-5) is less than a hundredth.
    case Smoothing::Ewma:
      return averaged + std::chrono::duration_cast<nanoseconds>(how.half_life * (5.0 / std::numbers::ln2));
    case Smoothing::Percentile:
      return averaged + std::chrono::duration_cast<nanoseconds>(how.window * (1.0 - how.percentile / 100));
  }
  return averaged;
}

}  // namespace rescheduler::usage
