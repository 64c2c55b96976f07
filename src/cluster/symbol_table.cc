#include "cluster/symbol_table.h"

#include "base/check.h"

namespace rescheduler::cluster {

SymbolTable::SymbolTable() {
  const std::pair<Symbol, std::string_view> fixed[] = {
      {Symbol::Empty, ""},
      {Symbol::NoSchedule, "NoSchedule"},
      {Symbol::PreferNoSchedule, "PreferNoSchedule"},
      {Symbol::NoExecute, "NoExecute"},
      {Symbol::UnschedulableTaint, "node.kubernetes.io/unschedulable"},
      {Symbol::Hostname, "kubernetes.io/hostname"},
      {Symbol::Zone, "topology.kubernetes.io/zone"},
      {Symbol::Region, "topology.kubernetes.io/region"},
      {Symbol::BetaZone, "failure-domain.beta.kubernetes.io/zone"},
      {Symbol::BetaRegion, "failure-domain.beta.kubernetes.io/region"},
      {Symbol::Cpu, "cpu"},
      {Symbol::Memory, "memory"},
      {Symbol::EphemeralStorage, "ephemeral-storage"},
      {Symbol::Pods, "pods"},
  };
  for (const auto& [symbol, text] : fixed) {
    RESCHEDULER_CHECK(intern(text) == symbol, "the fixed word '{}' is out of order", text);
  }
}

Symbol SymbolTable::intern(std::string_view text) {
  const auto found = known_.find(text);
  if (found != known_.end()) return found->second;
  const auto symbol = static_cast<Symbol>(texts_.size());
  texts_.push_back(std::make_shared<const std::string>(text));
  known_.emplace(*texts_.back(), symbol);
  return symbol;
}

std::optional<Symbol> SymbolTable::find(std::string_view text) const {
  const auto found = known_.find(text);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

}  // namespace rescheduler::cluster
