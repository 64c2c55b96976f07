// Wakes a controller of pods after changes of its workloads, of the pods they control, and of orphans they can adopt.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/value/label_selector.h"
#include "sim/controllers/pods/pod_index.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class LabelSelector;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class WorkloadWatch {
 public:
  using SelectorOf = const api::LabelSelector& (*)(const Message&);
  using Wake = std::function<void(const std::string& key)>;  // "namespace/name"; called during the write
  // Wakes every existing workload. Null `pods`: for workloads without pods of their own.
  WorkloadWatch(Server& server, PodIndex* pods, const Kind& kind, SelectorOf selector_of_workload, Wake wake);

  // Null if there is no such workload.
  const kube::LabelSelector* selector(std::string_view ns, std::string_view name) const;
  std::vector<std::string> selecting(std::string_view ns, const LabelSet& labels) const;  // names

 private:
  void on_workload(const Change& change);
  void on_pod(const PodView* before, const PodView* after);

  const Kind& kind_;
  SelectorOf selector_of_workload_;
  Wake wake_;
  using Names = std::map<std::string, kube::LabelSelector, std::less<>>;
  std::map<std::string, Names, std::less<>> selectors_;  // by namespace
  std::unique_ptr<Store::Subscription> workload_changes_;
  PodIndex::Subscription pod_changes_;
};

}  // namespace rescheduler::sim
