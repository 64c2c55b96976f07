// Our rule with its constants open: for finding out which of them keep nodes below the threshold.
#pragma once

#include <string_view>

#include "base/error.h"
#include "rules/rule.h"

namespace rescheduler::replay {

struct VariantOptions {
  double window = 5;      // minutes a reading is the mean of
  double percentile = 0;  // instead of the mean, over `peak`; 0: the mean
  double deviations = 0;  // so many standard deviations over `peak` are added
  double largest = 0;     // share of the largest five-minute mean of `peak` in the load; the rest is the mean
  double peak = 60;       // minutes
  double estimate = 1;    // of the request, for pods not measured yet
  double incoming = 1;    // of the request, for the pod to come, in the score
  double filtered = 1;    // likewise in the filter
  double fading = 1;      // times the window: so long a booking takes to go; 0: it ends with the next reading
  double cpu_weight = 0.6;
  double memory_weight = 0.4;
  double worst = 0;  // share of the scarcer resource's score in the score
  double norm = 0;   // the weighted power mean of the loads with this exponent, instead of the plain one; 0: plain
  double bonus = 10;
  double ramp = 0;  // 1: the bonus grows with the distance below the mean; 0: whole as soon as a node is below it
  double threshold = 0.8;
  double cliff = 0;     // points a node loses that the pod would bring above the threshold
  double power = 1;     // of the load in the score: above 1 the last nodes before the threshold matter most
  double requests = 0;  // share of what is requested in the load: what pods there may come to use
  double lumps = 0;     // adds so many times the root of the sum of squares of requests: few large pods vary more
};

// "window=15 bonus=0"
Result<VariantOptions> parse_variant(std::string_view text);

RuleFactory variant(const VariantOptions& options);

}  // namespace rescheduler::replay
