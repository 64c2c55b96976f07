#include "usage/pod_use.h"

#include <cmath>

#include <fmt/format.h>

#include "usage/source.h"

namespace rescheduler::usage {

net::Task<Result<std::vector<PodUse>>> Source::read_pods() {
  co_return fail(Errc::NotFound, "{} does not measure pods", name());
}

std::vector<PodUse> sift_pods(std::vector<PodUse> all, const SampleRules& rules, WallTime now) {
  std::erase_if(all, [&](const PodUse& one) {
    const bool number = std::isfinite(one.cpu) && std::isfinite(one.memory) && one.cpu >= 0 && one.memory >= 0;
    return !number || one.at > now + rules.skew || one.at < now - rules.freshness;
  });
  return all;
}

net::Task<Result<PodReading>> read_pods(std::span<const std::unique_ptr<Source>> sources,
                                        SampleRules rules,
                                        WallTime now) {
  std::string why;
  for (const auto& source : sources) {
    auto read = co_await source->read_pods();
    if (!read && read.error().code == Errc::Cancelled) co_return fail(std::move(read.error()));
    std::string trouble = read ? fmt::format("{} has no fresh value of any pod", source->name()) : read.error().message;
    if (read) *read = sift_pods(std::move(*read), rules, now);
    if (read && !read->empty()) {
      PodReading reading;
      reading.pods = std::move(*read);
      reading.source = source->name();
      co_return reading;
    }
    why += (why.empty() ? "" : "; ") + trouble;
  }
  co_return fail(Errc::NotFound, "{}", why.empty() ? "no load source measures pods" : why);
}

}  // namespace rescheduler::usage
