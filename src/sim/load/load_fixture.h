// A load model on a virtual clock, and pods for it.
#pragma once

#include <string>

#include "kube/proto/core_pod.pb.h"
#include "sim/load/load_model.h"
#include "sim/names.h"
#include "sim/time/agenda.h"

namespace rescheduler::sim {

constexpr std::int64_t kCore = 1'000'000;
constexpr std::int64_t kGi = std::int64_t{1} << 30;

struct LoadRig {
  Agenda agenda;
  LoadSettings settings = quiet();
  LoadModel load{agenda, SeriesLibrary("/nowhere"), settings};

  static LoadSettings quiet() {
    LoadSettings settings;
    settings.system_cpu = 0;
    settings.system_memory = 0;
    return settings;
  }
  static api::Pod pod(const std::string& name, const std::string& cpu, const std::string& memory = "1Gi") {
    api::Pod pod;
    pod.mutable_metadata()->set_namespace_("web");
    pod.mutable_metadata()->set_name(name);
    auto& annotations = *pod.mutable_metadata()->mutable_annotations();
    if (!cpu.empty()) annotations[std::string(kCpuProfile)] = cpu;
    if (!memory.empty()) annotations[std::string(kMemoryProfile)] = memory;
    add_container(pod, "main", "1", "1Gi");
    return pod;
  }
  static api::Container& add_container(api::Pod& pod,
                                       const std::string& name,
                                       const std::string& cpu,
                                       const std::string& memory) {
    auto& container = *pod.mutable_spec()->add_containers();
    container.set_name(name);
    (*container.mutable_resources()->mutable_requests())["cpu"].set_string(cpu);
    (*container.mutable_resources()->mutable_requests())["memory"].set_string(memory);
    return container;
  }
  LoadModel::PodId run(const api::Pod& pod, const std::string& node = "n1") {
    const LoadModel::PodId id = load.start(pod, node);
    load.set_running(id, (std::uint64_t{1} << load.shape(id).containers.size()) - 1);
    return id;
  }
};

}  // namespace rescheduler::sim
