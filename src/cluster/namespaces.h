// Namespaces, and the sets of namespaces in pod affinity: by name, by label, or all.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/labels.h"

namespace rescheduler::cluster {

enum class NamespaceSetId : std::uint32_t {};

struct NamespaceSet {
  std::vector<Symbol> names{};           // sorted
  std::optional<SelectorId> selector{};  // and the namespaces with these labels
  friend bool operator==(const NamespaceSet&, const NamespaceSet&) = default;
};

class Namespaces {
 public:
  explicit Namespaces(Selectors& selectors) : selectors_(selectors) {}
  Namespaces(const Namespaces& other, Selectors& selectors)
      : selectors_(selectors), sets_(other.sets_), by_label_(other.by_label_), labels_(other.labels_) {}

  NamespaceSetId of(NamespaceSet set);
  const NamespaceSet& set(NamespaceSetId id) const { return sets_[static_cast<std::size_t>(id)]; }
  bool contains(NamespaceSetId id, Symbol ns) const;

  // Returns whether the change alters a set. Then pods counted by such sets must be counted again.
  bool upsert(Symbol ns, LabelSetId labels);
  bool remove(Symbol ns);

 private:
  LabelSetId labels_of(Symbol ns) const;

  Selectors& selectors_;
  std::vector<NamespaceSet> sets_;
  bool by_label_ = false;  // does any set use labels?
  boost::unordered_flat_map<Symbol, LabelSetId> labels_;
};

}  // namespace rescheduler::cluster
