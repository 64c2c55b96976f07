// What the objects of one cluster have in common: its vocabulary.
#pragma once

#include "cluster/labels.h"
#include "cluster/symbol_table.h"

namespace rescheduler::cluster {

struct Interner {
  SymbolTable symbols{};
  LabelSets labels{symbols};
  Selectors selectors{symbols, labels};
};

}  // namespace rescheduler::cluster
