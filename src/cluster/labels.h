// Label sets and selectors, represented by numbers. Pods of one template have the same labels, so the same few
// pairs of a selector and a label set occur again and again. Each match is computed once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <google/protobuf/map.h>

#include "base/copy_on_write.h"
#include "cluster/symbol_table.h"
#include "kube/value/label_selector.h"

namespace rescheduler::cluster {

using Label = std::pair<Symbol, Symbol>;  // key and value
using WireLabels = google::protobuf::Map<std::string, std::string>;

enum class LabelSetId : std::uint32_t { None = 0 };  // zero: no labels
enum class SelectorId : std::uint32_t {};

class LabelSets {
 public:
  explicit LabelSets(SymbolTable& symbols);
  LabelSets(const LabelSets& other, SymbolTable& symbols)
      : symbols_(symbols), sets_(other.sets_), known_(other.known_) {}

  LabelSetId intern(const WireLabels& labels);
  std::span<const Label> labels(LabelSetId set) const { return *sets_[static_cast<std::size_t>(set)]; }
  Symbol value(LabelSetId set, Symbol key) const;  // Symbol::Empty also if the key is missing
  bool has(LabelSetId set, Symbol key) const;
  std::size_t size() const { return sets_.size(); }

 private:
  using LabelSpan = std::span<const Label>;
  struct Hash {
    std::size_t operator()(LabelSpan labels) const;
  };
  struct Equal {
    bool operator()(LabelSpan a, LabelSpan b) const { return std::ranges::equal(a, b); }
  };
  SymbolTable& symbols_;
  std::vector<std::shared_ptr<const std::vector<Label>>> sets_;  // each at a fixed place, shared with copies
  boost::unordered_flat_map<LabelSpan, LabelSetId, Hash, Equal> known_;
};

class Selectors {
 public:
  Selectors(const SymbolTable& symbols, const LabelSets& sets) : symbols_(symbols), sets_(sets) {}
  Selectors(const Selectors& other, const SymbolTable& symbols, const LabelSets& sets)
      : symbols_(symbols), sets_(sets), entries_(other.entries_), known_(other.known_) {}

  SelectorId intern(kube::LabelSelector selector);
  const kube::LabelSelector& selector(SelectorId id) const { return *entries_[index(id)].selector; }
  bool matches(SelectorId id, LabelSetId set) const;

 private:
  enum class Known : std::uint8_t { NotYet, No, Yes };
  struct Entry {
    std::shared_ptr<const kube::LabelSelector> selector;
    mutable std::vector<Known> by_set;  // matches computed so far
  };
  static std::size_t index(SelectorId id) { return static_cast<std::size_t>(id); }

  const SymbolTable& symbols_;
  const LabelSets& sets_;
  std::vector<Entry> entries_;
  Cow<boost::unordered_flat_map<std::string, SelectorId>> known_;  // by canonical text
};

}  // namespace rescheduler::cluster
