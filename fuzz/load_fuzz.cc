// Any answer of a load source: rejected with one line, or samples from which sift() keeps only plausible ones.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "usage/node_finder.h"
#include "usage/prometheus_answer.h"
#include "usage/recorded_source.h"
#include "usage/sample.h"

namespace {

using namespace rescheduler;
using namespace rescheduler::usage;

void check_sentence(const std::string& sentence) {
  RESCHEDULER_CHECK(!sentence.empty() && sentence.find('\n') == std::string::npos, "not one line: {}", sentence);
}

void check_sifted(Reading raw, WallTime now) {
  const std::size_t given = raw.samples.size();
  const SampleRules rules;
  const Reading good = sift(std::move(raw), rules, now);
  RESCHEDULER_CHECK(good.samples.size() + good.dropped.total() == given, "a sample is neither used nor counted");
  for (const Sample& one : good.samples) {
    RESCHEDULER_CHECK(!one.node.empty() && one.value >= 0.0 && one.value <= rules.most,
                      "the invalid value {} is accepted", one.value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto series = read_vector(text, "instance"); !series) {
    check_sentence(series.error().message);
  } else {
    Reading raw;
    for (const Series& one : *series)
      raw.samples.push_back({.node = one.label.value_or(""), .value = one.value, .at = one.at});
    const WallTime now = raw.samples.empty() ? WallTime{} : raw.samples.front().at;
    check_sifted(std::move(raw), now);
  }
  check_sentence(complaint_of(500, text));

  if (auto samples = parse_recorded(text, {"cpu", "memory"}); !samples) {
    check_sentence(samples.error().message);
  } else if (!samples->empty()) {
    const WallTime now = samples->back().at;
    check_sifted({std::move(*samples), {}}, now);
  }

  const std::string host = host_of(text);
  RESCHEDULER_CHECK(host_of(host).size() <= host.size(), "the host of {} is longer than the input", host);
  const NodeFinder finder({{.name = host, .internal_ips = {std::string(text)}}}, {});
  if (!host.empty()) RESCHEDULER_CHECK(finder.find(text).node.has_value(), "a node is not found by its own address");
  return 0;
}
