#include "cluster/images.h"

namespace rescheduler::cluster {

void Images::add(const Node& node) {
  if (node.images.empty()) return;
  auto& images = images_.write();
  for (const NodeImage& image : node.images) {
    Spread& spread = images[image.name];
    if (spread.nodes++ == 0) spread.size = image.size;
  }
}

void Images::remove(const Node& node) {
  if (node.images.empty()) return;
  auto& images = images_.write();
  for (const NodeImage& image : node.images) {
    const auto known = images.find(image.name);
    if (--known->second.nodes == 0) images.erase(known);
  }
}

Images::Spread Images::of(Symbol image) const {
  const auto known = images_->find(image);
  return known == images_->end() ? Spread{} : known->second;
}

}  // namespace rescheduler::cluster
