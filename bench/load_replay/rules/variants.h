// Our rule with its constants open: for finding out which of them keep nodes below the threshold.
#pragma once

#include <cstdint>

#include "rules/rule.h"

namespace rescheduler::replay {

struct VariantOptions {
  std::int64_t window = 5;  // minutes a reading is the mean of
  double percentile = 0;    // instead of the mean, over peak_window; 0: the mean
  double deviations = 0;    // so many standard deviations over peak_window are added
  double largest = 0;       // share of the largest five-minute mean of peak_window in the load; the rest is the mean
  std::int64_t peak_window = 60;
  double estimate = 1;         // of the request, for the pod to come and for those not measured yet
  bool fading = true;          // a pod's booking goes as it appears in the window; otherwise at the next reading
  bool count_incoming = true;  // the pod to come counts in the score, so that a node's size matters
  double cpu_weight = 0.6;
  double memory_weight = 0.4;
  double bonus = 10;
  double threshold = 0.8;
  bool filter_incoming = true;  // the filter counts the pod to come
  double power = 1;             // of the load in the score: above 1 the last nodes before the threshold matter most
  double requests = 0;          // share of what is requested in the load: what pods there may come to use
};

RuleFactory variant(const VariantOptions& options);

}  // namespace rescheduler::replay
