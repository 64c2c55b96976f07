// Reading any bytes as a scenario, as manifests or as a trace returns a value or an error. A scenario can be resized
// and converted to objects.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <google/protobuf/message.h>

#include "sim/scenario/openb.h"
#include "sim/scenario/scenario_file.h"
#include "sim/scenario/scenario_objects.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rescheduler;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)sim::read_manifests(text, "fuzz");  // success and failure are both valid
  (void)sim::read_openb_nodes(text, "fuzz", 0);
  (void)sim::read_openb_pods(text, "fuzz", 0);
  auto scenario = sim::read_scenario(text, "fuzz");
  if (!scenario) return 0;
  constexpr int kMostObjects = 1000;  // a million pods are valid, but slow
  for (const sim::Workload& workload : scenario->workloads) {
    if (workload.kind == sim::WorkloadKind::Pod && workload.replicas > kMostObjects) return 0;
    sim::for_each_workload_object(workload, [](std::unique_ptr<google::protobuf::Message>) {});
  }
  if (scenario->nodes() > kMostObjects) return 0;
  sim::for_each_cluster_object(*scenario, [](std::unique_ptr<google::protobuf::Message>) {});
  for (const sim::TimedEvent& event : scenario->events) (void)sim::describe(event);
  (void)sim::resized(std::move(*scenario), 7);
  return 0;
}
