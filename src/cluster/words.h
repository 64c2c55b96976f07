// What the objects of one cluster have in common: its vocabulary.
#pragma once

#include "cluster/labels.h"
#include "cluster/symbols.h"

namespace rescheduler::cluster {

struct Words {
  Symbols symbols{};
  LabelSets labels{symbols};
  Selectors selectors{symbols, labels};
};

}  // namespace rescheduler::cluster
