// A load profile: how much of a resource a pod uses over time, said in a few words. It is what the annotations
// sim.rescheduler.io/cpu and /memory hold.
//
//   200m                                               always that much
//   50%                                                half of what the pod requests
//   noisy mean=200m deviation=50m every=15s            drawn anew every 15 s (the default), bell-shaped, never below 0
//   daily low=100m high=900m peak=14:00                a cosine over the day, highest at 14:00 UTC; a new value a
//   minute ramp from=100m to=900m over=10m [after=2m]         from the container's start on; a new value every 5 s step
//   from=100m to=900m after=10m [for=5m]          jumps, and with for= jumps back series file=planetlab_vm_cpu row=17
//   of=1000m       recorded percentages (series.h) of an amount
//       [column=mem_mean] [offset=2h]                  row=any and offset=any: another one for each pod
//
// An amount is a quantity or a percentage of the pod's request. daily, ramp, step and series take deviation= and
// every= as well, and shiver accordingly.
//
// Usage is a pure function of profile, pod and time, and constant in between: at() says the level and until when it
// holds. That is what makes counters exact sums whenever they are read. All changes happen at multiples of their
// period since 1970, so that the pods of a node change together and a node has few moments to look at.
//
// To add a form: a value of Form, its words in profile_parse.cc, its level in profile.cc, a line above.
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

enum class LoadResource : std::uint8_t { Cpu, Memory };  // amounts are in millionths of a core, and in bytes

// Whose usage is asked for.
struct LoadSubject {
  std::uint64_t seed = 0;    // of the pod; see seed_of()
  std::int64_t request = 0;  // what percentages refer to
  Millis started = 0;
};

struct Level {
  std::int64_t amount = 0;  // >= 0
  Millis until = kForever;  // from the moment asked for up to here, exclusively
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
  friend class ProfileWords;
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
  Amount deviation_{};     // zero: it does not shiver
  Millis every_ = 15'000;  // between two draws
  Millis after_ = 0;       // Ramp, Step: since the start. Daily: the peak's time of day. Series: the offset
  Millis over_ = 0;        // Ramp: over=; Step: for=, or 0
  std::uint32_t row_ = 0;
  std::shared_ptr<const SeriesTable> series_{};
};

// A pod's own source of chance: the same in every run with the same names and uids.
std::uint64_t seed_of(std::string_view uid, std::string_view ns, std::string_view name);
// A bell-shaped number with mean 0 and deviation 1, within +-3.5, from any 64 bits.
double bell(std::uint64_t seed, std::uint64_t draw);

}  // namespace rescheduler::sim
