// Labels and annotations by which users control rescheduling: "do not move this", "this node goes into maintenance".
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rescheduler::api {
class ObjectMeta;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

// A label or annotation on a pod, a workload or a namespace; a label on a node. The first key of each pair is the
// documented one, the second is rescheduler's own.
inline constexpr std::string_view kReschedulingKey = "scheduler.alpha.kubernetes.io/rescheduling";
inline constexpr std::string_view kOwnReschedulingKey = "rescheduler.io/rescheduling";
inline constexpr std::string_view kMaintenanceKey = "scheduler.alpha.kubernetes.io/maintenance";
inline constexpr std::string_view kOwnMaintenanceKey = "rescheduler.io/maintenance";

enum class OptOut : std::uint8_t {
  No,
  Disabled,  // the value is "disabled"
  Unclear,   // the value is undefined; the object is protected too, and the user should get a warning
};

// The label or annotation about rescheduling, and its meaning.
struct OptOutValue {
  OptOut meaning = OptOut::No;
  std::string_view key{};
  std::string value{};
};

// "enabled" equals no label at all: rescheduling is allowed. An empty value is unclear. With several values, the most
// careful one counts.
OptOutValue opt_out_value(const api::ObjectMeta& meta);
OptOut opt_out_of(const api::ObjectMeta& meta);

// Annotations of a pod by which other programs know that they must not evict it.
inline constexpr std::string_view kSafeToEvictKey = "cluster-autoscaler.kubernetes.io/safe-to-evict";
inline constexpr std::string_view kDoNotDisruptKey = "karpenter.sh/do-not-disrupt";
inline constexpr std::string_view kPreferNoEvictionKey = "descheduler.alpha.kubernetes.io/prefer-no-eviction";

// Read as each program reads its own annotation. Other values have no meaning there, and none here.
struct EvictionMarks {
  // karpenter.sh/do-not-disrupt: time after the start of the pod; "true" is max(), no mark is zero.
  std::chrono::nanoseconds do_not_disrupt{0};
  bool unsafe_to_evict = false;     // safe-to-evict is "false"
  bool prefer_no_eviction = false;  // the key exists; the descheduler ignores the value
  friend bool operator==(const EvictionMarks&, const EvictionMarks&) = default;
};
EvictionMarks eviction_marks_of(const api::ObjectMeta& pod);

// Pods that a drain takes off their node only if the settings or the node allow it, as the flags of kubectl drain do.
enum class DrainClass : std::uint8_t { ExcludedNamespace, Critical, DoNotEvict, BarePod, LocalStorage };
inline constexpr std::array<std::string_view, 5> kDrainClassNames = {"excluded-namespace", "critical", "do-not-evict",
                                                                     "bare-pod", "local-storage"};

class DrainClasses {
 public:
  void add(DrainClass one) { bits_ |= bit(one); }
  bool contains(DrainClass one) const { return (bits_ & bit(one)) != 0; }
  friend bool operator==(const DrainClasses&, const DrainClasses&) = default;

 private:
  static unsigned bit(DrainClass one) { return 1U << static_cast<unsigned>(one); }
  unsigned bits_ = 0;
};

// An annotation of a node: names of kDrainClassNames, separated by commas.
inline constexpr std::string_view kDrainAllowsKey = "rescheduler.io/drain-allows";
struct DrainAllowance {
  DrainClasses classes{};
  std::string unknown{};  // the first name that is not one, for a warning; empty: none
};
DrainAllowance drain_allowance_of(const api::ObjectMeta& node);

// "true" on either key. No other value starts maintenance: a typing error must not drain a node.
bool requests_maintenance(const api::ObjectMeta& node);
// A value that is neither "true" nor "false", for a warning.
std::optional<std::string> unclear_maintenance(const api::ObjectMeta& node);

}  // namespace rescheduler::cluster
