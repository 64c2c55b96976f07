#include "sim/kubelet/pod_orders.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/value/duration.h"
#include "kube/value/integer.h"
#include "sim/names.h"

namespace rescheduler::sim {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

class Reader {
 public:
  Reader(const api::Pod& pod, PodOrders& orders) : annotations_(pod.metadata().annotations()), orders_(orders) {}

  const std::string* find(std::string_view key) const {
    const auto found = annotations_.find(std::string(key));
    return found == annotations_.end() ? nullptr : &found->second;
  }
  void duration(std::string_view key, std::optional<Agenda::Duration>& into) {
    const std::string* text = find(key);
    if (text == nullptr) return;
    const auto parsed = kube::parse_duration(*text);
    if (parsed && *parsed >= Agenda::Duration{0}) {
      into = *parsed;
    } else {
      mistake(key, *text, "a duration such as 90s");
    }
  }
  void exit_code() {
    const std::string* text = find(kExitCode);
    if (text == nullptr) return;
    const auto parsed = kube::parse_int64(*text);
    if (parsed && *parsed >= 0 && *parsed <= 255) {
      orders_.exit_code = static_cast<int>(*parsed);
    } else {
      mistake(kExitCode, *text, "a number from 0 to 255");
    }
  }

 private:
  void mistake(std::string_view key, const std::string& text, std::string_view wanted) {
    if (orders_.mistake.empty()) orders_.mistake = fmt::format("annotation {}: {:?} is not {}", key, text, wanted);
  }

  const google::protobuf::Map<std::string, std::string>& annotations_;
  PodOrders& orders_;
};

}  // namespace

bool names_node(std::string_view list, std::string_view node) {
  for (;;) {
    const auto comma = list.find(',');
    const std::string_view name = trimmed(list.substr(0, comma));
    if (name == "*" || name == node) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

PodOrders orders_of(const api::Pod& pod, std::string_view node) {
  PodOrders orders;
  if (pod.metadata().annotations().empty()) return orders;
  Reader reader(pod, orders);
  reader.duration(kRunFor, orders.run_for);
  reader.duration(kStartDelay, orders.start_delay);
  reader.duration(kReadyDelay, orders.ready_delay);
  reader.exit_code();
  const auto names = [&](std::string_view key) {
    const std::string* list = reader.find(key);
    return list != nullptr && names_node(*list, node);
  };
  orders.faults.crash = names(kCrashOn);
  orders.faults.oom = names(kOomOn);
  orders.faults.image_pull_fails = names(kImagePullFailsOn);
  return orders;
}

}  // namespace rescheduler::sim
