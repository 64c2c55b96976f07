// A load profile: a short text that says how much of a resource a pod uses over time. The annotations
// sim.rescheduler.io/cpu and /memory hold one.
//
//   200m                                           constant
//   50%                                            half of the pod's request
//   noisy mean=200m deviation=50m every=15s        a new value every 15 s (default), normal distribution, at least 0
//   daily low=100m high=900m peak=14:00            a cosine over the day, highest at 14:00 UTC; changes every minute
//   ramp from=100m to=900m over=10m [after=2m]     from the start of the container; changes every 5 s
//   step from=100m to=900m after=10m [for=5m]      one step up; with for= a step back
//   series file=planetlab_vm_cpu row=17 of=1000m   recorded percentages (series.h) of an amount
//       [column=mem_mean] [offset=2h]              row=any and offset=any: different for each pod
//
// An amount is a quantity or a percentage of the pod's request. daily, ramp, step and series also take deviation= and
// every=, which add noise.
//
// Usage is a pure function of profile, pod and time, and piecewise constant: at() returns the level and until when it
// holds. So counters are exact sums whenever they are read. Periodic changes (noise, daily, ramp, series without an
// offset) happen at multiples of their period since 1970, so the pods of a node change together and a node has few
// times to compute.
//
// To add a form: a value of Form, its keywords in profile_parse.cc, its level in profile.cc, a line above.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

#include "base/error.h"

namespace rescheduler::sim {

class SeriesLibrary;
struct SeriesTable;

using Millis = std::int64_t;  // since 1970
inline constexpr Millis kForever = std::numeric_limits<Millis>::max();

enum class LoadResource : std::uint8_t { Cpu, Memory };  // in millionths of a core, and in bytes

// The pod whose usage is computed.
struct LoadSubject {
  std::uint64_t seed = 0;    // seed_of() the pod
  std::int64_t request = 0;  // the base of percentages
  Millis started = 0;
};

struct Level {
  std::int64_t amount = 0;  // >= 0
  Millis until = kForever;  // exclusive
};

class Profile {
 public:
  struct Amount {
    std::int64_t units = 0;    // an amount, or
    double of_request = -1.0;  // a share of the request, if not negative
    std::int64_t resolve(std::int64_t request) const;
  };

  static Result<Profile> parse(std::string_view text, LoadResource resource, SeriesLibrary& library);
  Level at(const LoadSubject& subject, Millis now) const;

 private:
  friend class ProfileParser;
  enum class Form : std::uint8_t { Constant, Daily, Ramp, Step, Series };
  Level daily(const LoadSubject& subject, Millis now) const;
  Level ramp(const LoadSubject& subject, Millis now) const;
  Level step(const LoadSubject& subject, Millis now) const;
  Level recorded(const LoadSubject& subject, Millis now) const;
  Level base(const LoadSubject& subject, Millis now) const;

  Form form_ = Form::Constant;
  bool any_row_ = false;
  bool any_offset_ = false;
  Amount low_{};           // Constant: the level; Daily: the trough; Ramp, Step: from; Series: of
  Amount high_{};          // Daily: the peak; Ramp, Step: to
  Amount deviation_{};     // zero: no noise
  Millis every_ = 15'000;  // period of the noise
  Millis after_ = 0;       // Ramp, Step: since the start. Daily: the time of the peak. Series: the offset
  Millis over_ = 0;        // Ramp: over=; Step: for=, or 0
  std::uint32_t row_ = 0;
  std::shared_ptr<const SeriesTable> series_{};
};

// The random seed of a pod: the same in every run with the same names and uids.
std::uint64_t seed_of(std::string_view uid, std::string_view ns, std::string_view name);
// A normally distributed number with mean 0 and deviation 1, within +-3.5, from any 64 bits.
double bell(std::uint64_t seed, std::uint64_t draw);

}  // namespace rescheduler::sim
