// All plugins this program knows, by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

class Registry {
 public:
  // `args` is null where the profile has none for it: then the plugin's defaults hold.
  using Factory = std::function<std::unique_ptr<Plugin>(const PluginArgs* args)>;

  void add(std::string name, Factory factory) { entries_.push_back({std::move(name), std::move(factory)}); }
  const Factory* find(std::string_view name) const;

  static const Registry& standard();  // every plugin of this program

 private:
  struct Entry {
    std::string name;
    Factory factory;
  };
  std::vector<Entry> entries_;
};

}  // namespace rescheduler::placement
