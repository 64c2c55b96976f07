// Strings represented by small numbers: names, label keys and values, resource names. The model compares and hashes the
// numbers. It reads the text only for output.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

namespace rescheduler::cluster {

// Zero is the empty string. The strings that the scheduler itself uses have fixed numbers.
enum class Symbol : std::uint32_t {
  Empty = 0,
  NoSchedule,
  PreferNoSchedule,
  NoExecute,
  UnschedulableTaint,  // node.kubernetes.io/unschedulable
  Hostname,            // kubernetes.io/hostname
  Zone,                // topology.kubernetes.io/zone
  Region,              // topology.kubernetes.io/region
  BetaZone,            // failure-domain.beta.kubernetes.io/zone
  BetaRegion,          // failure-domain.beta.kubernetes.io/region
  Cpu,
  Memory,
  EphemeralStorage,
  Pods,
};

// Symbols are never removed: a cluster uses few different strings again and again. Strings that are new with every pod
// (its name, its uid) are not interned.
class SymbolTable {
 public:
  SymbolTable();
  // A copy shares the texts. Each copy adds symbols of its own.
  SymbolTable(const SymbolTable&) = default;
  SymbolTable& operator=(const SymbolTable&) = delete;

  Symbol intern(std::string_view text);
  std::optional<Symbol> find(std::string_view text) const;  // nothing: not interned yet
  const std::string& text(Symbol symbol) const { return *texts_[static_cast<std::size_t>(symbol)]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::vector<std::shared_ptr<const std::string>> texts_;  // each at a fixed place: the views in the map stay valid
  boost::unordered_flat_map<std::string_view, Symbol> known_;
};

}  // namespace rescheduler::cluster
