// Counters, gauges and histograms in the Prometheus text format. This header hides the headers of the Prometheus
// library.
//
// The references that a registry returns stay valid for the life of the registry. Updates are allowed on any thread.
// Counters and gauges are lock-free; a histogram locks a mutex. The same name and labels return the same object.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler {

using MetricLabels = std::map<std::string, std::string>;

class Counter {
 public:
  virtual ~Counter() = default;
  virtual void add(double amount = 1.0) = 0;
  virtual double value() const = 0;
};

class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void set(double value) = 0;
  virtual double value() const = 0;
};

class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void observe(double value) = 0;
};

class MetricRegistry {
 public:
  MetricRegistry();
  ~MetricRegistry();
  MetricRegistry(const MetricRegistry&) = delete;
  MetricRegistry& operator=(const MetricRegistry&) = delete;

  Counter& counter(const std::string& name, const std::string& help, const MetricLabels& labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, const MetricLabels& labels = {});
  Histogram& histogram(const std::string& name,
                       const std::string& help,
                       const std::vector<double>& upper_bounds,
                       const MetricLabels& labels = {});

  std::string text() const;  // the body of /metrics

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rescheduler
