// One step of a pod by its kubelet: does everything that is due and updates the pod's status and its PodRun. Gets the
// time and the circumstances as a Scene; does not write to the server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "sim/kubelet/pod_orders.h"
#include "sim/kubelet/pod_run.h"
#include "sim/kubelet/settings.h"

namespace rescheduler::api {
class Container;
class ContainerStatus;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// An Event about a pod or one of its containers.
struct PodNote {
  bool warning = false;
  std::string reason;
  std::string text;
  std::string field_path{};  // "spec.containers{main}"
};

class PodStep {
 public:
  struct Scene {
    const KubeletSettings& settings;
    Rng& rng;
    SteadyTime now;
    WallTime wall;
    std::string_view node;
    std::string_view host_ip;
    std::string_view pod_ip;  // for the sandbox, if it is created in this step
    PodFaults faults{};       // from the FaultBoard; annotations add to them
    bool slow = false;
  };
  // Reads the pod's spec and metadata, changes its status.
  PodStep(const Scene& scene, PodRun& run, api::Pod& pod);

  void admit();  // Bound -> Starting
  void reject(std::string_view reason, std::string_view message);
  void run_due();                                        // does everything that is due
  void kill_for_memory(std::string_view container);      // over its limit, or the node's memory is full
  void restart_after_power_loss();                       // the node is back: no container runs any more
  static void resume(PodRun& run, const api::Pod& pod);  // the pod ran before the kubelets started

  // --- the outcome ---
  bool removable() const { return removable_; }  // the object can be deleted
  std::vector<PodNote>& notes() { return notes_; }
  std::uint64_t running() const;  // a bit for each sidecar and container, in the order of PodShape::containers
  SteadyTime next_due() const;    // kNever: nothing is due

 private:
  using Duration = Agenda::Duration;
  void apply_probes();
  bool begin_next();
  void due(std::size_t index);
  void try_to_start(std::size_t index);
  void start(std::size_t index);
  void check_running(std::size_t index);
  void end(std::size_t index, int exit_code, std::string_view reason);
  void plan_exit(ContainerRun& container);
  Duration ready_delay(const api::Container& container);
  void fail_pull(std::size_t index);
  void back_off_pull(std::size_t index);
  void settle();
  void end_everything(int exit_code, std::string_view reason);
  void stop_for_deletion();
  void exceed_deadline();
  bool restarts(std::size_t index, int exit_code) const;
  bool initialized(std::size_t index) const;
  bool sidecar(std::size_t index) const;
  bool lasting(std::size_t index) const { return index >= inits_ || sidecar(index); }

  const api::Container& spec(std::size_t index) const;
  api::ContainerStatus& status(std::size_t index);
  std::string pod_name() const;  // "name_ns(uid)"
  void note(bool warning, std::string_view reason, std::string text, std::size_t index);
  Duration jittered(Duration nominal);

  const Scene& scene_;
  PodRun& run_;
  api::Pod& pod_;
  PodOrders orders_;
  std::size_t inits_;
  std::vector<PodNote> notes_;
  bool removable_ = false;
};

}  // namespace rescheduler::sim
