// How many nodes have an image, and how large it is.
#pragma once

#include <cstdint>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/copy_on_write.h"
#include "cluster/node.h"

namespace rescheduler::cluster {

class Images {
 public:
  struct Spread {
    std::int64_t size = 0;  // as the first node reported it
    std::int64_t nodes = 0;
  };

  void add(const Node& node);
  void remove(const Node& node);
  Spread of(Symbol image) const;

 private:
  Cow<boost::unordered_flat_map<Symbol, Spread>> images_;
};

}  // namespace rescheduler::cluster
