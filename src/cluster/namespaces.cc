#include "cluster/namespaces.h"

#include <algorithm>

namespace rescheduler::cluster {

NamespaceSetId Namespaces::of(NamespaceSet set) {
  std::ranges::sort(set.names);
  // There are few different sets, mostly one for each namespace: a linear search is enough.
  const auto found = std::ranges::find(sets_, set);
  if (found != sets_.end()) return static_cast<NamespaceSetId>(found - sets_.begin());
  by_label_ = by_label_ || set.selector.has_value();
  sets_.push_back(std::move(set));
  return static_cast<NamespaceSetId>(sets_.size() - 1);
}

bool Namespaces::contains(NamespaceSetId id, Symbol ns) const {
  const NamespaceSet& all = set(id);
  if (std::ranges::binary_search(all.names, ns)) return true;
  return all.selector && selectors_.matches(*all.selector, labels_of(ns));
}

bool Namespaces::upsert(Symbol ns, LabelSetId labels) {
  const auto [place, fresh] = labels_.try_emplace(ns, labels);
  if (fresh) return by_label_ && labels != LabelSetId::None;
  if (place->second == labels) return false;
  place->second = labels;
  return by_label_;
}

bool Namespaces::remove(Symbol ns) {
  const bool had_labels = labels_of(ns) != LabelSetId::None;
  labels_.erase(ns);
  return by_label_ && had_labels;
}

LabelSetId Namespaces::labels_of(Symbol ns) const {
  const auto found = labels_.find(ns);
  return found == labels_.end() ? LabelSetId::None : found->second;
}

}  // namespace rescheduler::cluster
