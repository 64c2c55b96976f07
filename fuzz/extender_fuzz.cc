// Reading any bytes as a message of the extender protocol returns a message or an error. A message can be written and
// read again and stays the same, except for nodes: numbers in unknown fields pass through floating point, and their
// last digit can change.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kube/extender/wire.h"

namespace {

using namespace rescheduler;

template <class T, class Read, class Write>
void there_and_back(std::string_view text, const Read& read, const Write& write) {
  const Result<T> first = read(text);
  if (!first) return;
  const std::string written = write(*first);
  const Result<T> second = read(written);
  if (!second) std::abort();
  const bool holds_nodes = written.find("\"items\":[{") != std::string::npos;
  if (!holds_nodes && write(*second) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  there_and_back<kube::ExtenderArgs>(text, kube::read_extender_args, kube::write_extender_args);
  there_and_back<kube::ExtenderFilterResult>(text, kube::read_filter_result, kube::write_filter_result);
  there_and_back<std::vector<kube::HostPriority>>(text, kube::read_priorities, kube::write_priorities);
  there_and_back<kube::ExtenderPreemptionArgs>(text, kube::read_preemption_args, kube::write_preemption_args);
  there_and_back<kube::MetaVictimsByNode>(text, kube::read_preemption_result, kube::write_preemption_result);
  there_and_back<kube::ExtenderBindingArgs>(text, kube::read_binding_args, kube::write_binding_args);
  there_and_back<std::string>(text, kube::read_binding_result, kube::write_binding_result);
  return 0;
}
