#include "placement/diagnosis.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rescheduler::placement {
namespace {

std::string joined_counts(const std::vector<std::string>& reasons) {
  std::map<std::string_view, int> counts;
  for (const std::string& reason : reasons) ++counts[reason];
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) parts.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(parts);  // as text, like kube-scheduler: "10 a" comes before "2 a"
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string availability_message(std::size_t all_nodes, const std::vector<std::string>& reasons) {
  std::string text = fmt::format("0/{} nodes are available", all_nodes);
  const std::string counts = joined_counts(reasons);
  if (!counts.empty()) text += fmt::format(": {}.", counts);
  return text;
}

const Status& Diagnosis::of(cluster::NodeIndex node) const {
  const auto found = std::ranges::find(verdicts, node, &NodeVerdict::node);
  return found == verdicts.end() ? absent : found->status;
}

std::string Diagnosis::message() const {
  std::string text = fmt::format("0/{} nodes are available:", all_nodes);
  if (!pre_filter.empty()) {
    text += fmt::format(" {}.", pre_filter);
  } else {
    std::vector<std::string> reasons;
    for (const NodeVerdict& verdict : verdicts) {
      reasons.insert(reasons.end(), verdict.status.reasons.begin(), verdict.status.reasons.end());
    }
    for (std::size_t i = verdicts.size(); i < all_nodes && !absent.reasons.empty(); ++i) {
      reasons.insert(reasons.end(), absent.reasons.begin(), absent.reasons.end());
    }
    const std::string counts = joined_counts(reasons);
    if (!counts.empty()) text += fmt::format(" {}.", counts);
  }
  if (!post_filter.empty()) text += fmt::format(" {}", post_filter);
  return text;
}

}  // namespace rescheduler::placement
