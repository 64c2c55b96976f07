// The tables that represent the strings, label sets and selectors of one cluster by numbers.
#pragma once

#include "cluster/labels.h"
#include "cluster/symbol_table.h"

namespace rescheduler::cluster {

struct Interner {
  Interner() = default;
  Interner(const Interner& other)
      : symbols(other.symbols), labels(other.labels, symbols), selectors(other.selectors, symbols, labels) {}
  Interner& operator=(const Interner&) = delete;

  SymbolTable symbols{};
  LabelSets labels{symbols};
  Selectors selectors{symbols, labels};
};

}  // namespace rescheduler::cluster
