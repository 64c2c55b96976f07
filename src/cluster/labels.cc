#include "cluster/labels.h"

#include <algorithm>

#include <boost/container_hash/hash.hpp>

namespace rescheduler::cluster {

std::size_t LabelSets::Hash::operator()(LabelSpan labels) const {
  std::size_t seed = labels.size();
  for (const auto& [key, value] : labels) {
    boost::hash_combine(seed, static_cast<std::uint32_t>(key));
    boost::hash_combine(seed, static_cast<std::uint32_t>(value));
  }
  return seed;
}

LabelSets::LabelSets(SymbolTable& symbols) : symbols_(symbols) {
  sets_.push_back(std::make_shared<const std::vector<Label>>());
  known_.emplace(LabelSpan{}, LabelSetId::None);
}

LabelSetId LabelSets::intern(const WireLabels& labels) {
  std::vector<Label> set;
  set.reserve(labels.size());
  for (const auto& [key, value] : labels) set.emplace_back(symbols_.intern(key), symbols_.intern(value));
  std::ranges::sort(set);
  if (const auto known = known_.find(LabelSpan(set)); known != known_.end()) return known->second;
  const auto id = static_cast<LabelSetId>(sets_.size());
  sets_.push_back(std::make_shared<const std::vector<Label>>(std::move(set)));
  known_.emplace(*sets_.back(), id);
  return id;
}

Symbol LabelSets::value(LabelSetId set, Symbol key) const {
  const auto all = labels(set);
  const auto place = std::ranges::lower_bound(all, key, {}, &Label::first);
  return place == all.end() || place->first != key ? Symbol::Empty : place->second;
}

bool LabelSets::has(LabelSetId set, Symbol key) const {
  return std::ranges::binary_search(labels(set), key, {}, &Label::first);
}

SelectorId Selectors::intern(kube::LabelSelector selector) {
  // The selectors "nothing" and "everything" print the same text.
  std::string text = selector.is_nothing() ? std::string("\0", 1) : selector.to_string();
  if (const auto known = known_->find(text); known != known_->end()) return known->second;
  const auto id = static_cast<SelectorId>(entries_.size());
  known_.write().emplace(std::move(text), id);
  entries_.push_back({std::make_shared<const kube::LabelSelector>(std::move(selector)), {}});
  return id;
}

bool Selectors::matches(SelectorId id, LabelSetId set) const {
  const Entry& entry = entries_[index(id)];
  const auto at = static_cast<std::size_t>(set);
  if (entry.by_set.size() <= at) entry.by_set.resize(sets_.size(), Known::NotYet);
  Known& known = entry.by_set[at];
  if (known == Known::NotYet) {
    const auto labels = sets_.labels(set);
    const auto ask = [&](std::string_view key) -> kube::LabelLookup::Answer {
      for (const auto& [name, value] : labels) {
        if (symbols_.text(name) == key) return symbols_.text(value);
      }
      return std::nullopt;
    };
    known = entry.selector->matches(ask) ? Known::Yes : Known::No;
  }
  return known == Known::Yes;
}

}  // namespace rescheduler::cluster
