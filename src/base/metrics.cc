#include "base/metrics.h"

#include <mutex>
#include <unordered_map>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace rescheduler {
namespace {

class RealCounter final : public Counter {
 public:
  explicit RealCounter(prometheus::Counter& inner) : inner_(inner) {}
  void add(double amount) override { inner_.Increment(amount); }
  double value() const override { return inner_.Value(); }

 private:
  prometheus::Counter& inner_;
};

class RealGauge final : public Gauge {
 public:
  explicit RealGauge(prometheus::Gauge& inner) : inner_(inner) {}
  void set(double value) override { inner_.Set(value); }
  double value() const override { return inner_.Value(); }

 private:
  prometheus::Gauge& inner_;
};

class RealHistogram final : public Histogram {
 public:
  explicit RealHistogram(prometheus::Histogram& inner) : inner_(inner) {}
  void observe(double value) override { inner_.Observe(value); }

 private:
  prometheus::Histogram& inner_;
};

// The library already merges metrics with equal name and labels. This map keeps one wrapper for each library object.
template <class Wrapper, class Inner>
class Wrappers {
 public:
  Wrapper& of(Inner& inner) {
    const std::lock_guard lock(mutex_);
    auto& slot = made_[&inner];
    if (!slot) slot = std::make_unique<Wrapper>(inner);
    return *slot;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Inner*, std::unique_ptr<Wrapper>> made_;
};

}  // namespace

struct MetricRegistry::State {
  prometheus::Registry registry{prometheus::Registry::InsertBehavior::Merge};
  Wrappers<RealCounter, prometheus::Counter> counters;
  Wrappers<RealGauge, prometheus::Gauge> gauges;
  Wrappers<RealHistogram, prometheus::Histogram> histograms;
};

MetricRegistry::MetricRegistry() : state_(std::make_unique<State>()) {}
MetricRegistry::~MetricRegistry() = default;

Counter& MetricRegistry::counter(const std::string& name, const std::string& help, const MetricLabels& labels) {
  auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(state_->registry);
  return state_->counters.of(family.Add(labels));
}

Gauge& MetricRegistry::gauge(const std::string& name, const std::string& help, const MetricLabels& labels) {
  auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(state_->registry);
  return state_->gauges.of(family.Add(labels));
}

Histogram& MetricRegistry::histogram(const std::string& name,
                                     const std::string& help,
                                     const std::vector<double>& upper_bounds,
                                     const MetricLabels& labels) {
  auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(state_->registry);
  return state_->histograms.of(family.Add(labels, upper_bounds));
}

std::string MetricRegistry::text() const { return prometheus::TextSerializer().Serialize(state_->registry.Collect()); }

}  // namespace rescheduler
