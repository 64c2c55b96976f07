#include "cli/plan/plan_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "cli/view/bars.h"

namespace rescheduler::cli {
namespace {

using rescheduling::NodeUtilization;
using rescheduling::Plan;
using rescheduling::PlannedMove;

constexpr std::size_t kBar = 10;
// Rows of the node table; nodes that change come first.
constexpr std::size_t kMostNodes = 40;

using Row = std::vector<std::string>;

// The first row is the header.
std::string table(const std::vector<Row>& rows, const ViewStyle& style) {
  std::string text;
  for (const std::string& line : aligned(rows)) {
    text += (text.empty() ? painted("  " + line, Colour::Dim, style) : "  " + line) + "\n";
  }
  return text;
}

std::string arrow(const ViewStyle& style) { return style.unicode ? "→" : "->"; }

std::string plural(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string headline(const Plan& plan, const ViewStyle& style) {
  std::uint32_t steps = 0;
  std::set<std::string> pods;
  for (const PlannedMove& move : plan.moves) {
    steps = std::max(steps, move.step);
    pods.insert(move.ns + "/" + move.pod);
  }
  const double before = plan.before.balance.score;
  const double after = plan.after.balance.score;
  const std::string what =
      plan.moves.empty() ? painted("Nothing to do", std::isnan(before) ? Colour::Yellow : Colour::Green, style)
                         : painted(fmt::format("{} in {}", plural(plan.moves.size(), "move"), plural(steps, "step")),
                                   Colour::Bold, style);
  if (std::isnan(before)) return what + ": balance unknown, no node has a known load\n";
  const auto unknown = std::ranges::count_if(
      plan.before.nodes, [](const NodeUtilization& node) { return std::isnan(node.cpu) || std::isnan(node.memory); });
  const std::string judged = fmt::format(
      " of 100, judged by {}{}\n", plan.judged_by,
      unknown == 0 ? ""
                   : fmt::format("; the load of {} is unknown", plural(static_cast<std::size_t>(unknown), "node")));
  if (plan.moves.empty()) return what + fmt::format(": balance {:.0f}", before) + judged;
  return what + fmt::format(": balance {:.0f} {} ", before, arrow(style))
         + painted(fmt::format("{:.0f}", after), after >= before ? Colour::Green : Colour::Yellow, style) + judged;
}

std::string moves_table(const Plan& plan, const ViewStyle& style) {
  if (plan.moves.empty()) return {};
  std::vector<Row> rows{{"STEP", "POD", "FROM", "TO", "STRATEGY", "BUDGET", "WHY"}};
  for (const PlannedMove& move : plan.moves) {
    rows.push_back({fmt::format("{:>4}", move.step), move.ns + "/" + move.pod, move.source,
                    move.target + (move.detour ? " (detour)" : ""), std::string(config::to_string(move.strategy)),
                    std::string(to_string(move.budget)), move.reason});
  }
  return "\n" + table(rows, style);
}

std::string load_cell(double share, const ViewStyle& style) {
  if (std::isnan(share)) return padded("?", kBar + 5);
  return use_bar({.used = share, .capacity = 1}, kBar, style) + " " + percent_text(share);
}

std::string change_cell(double before, double after, const ViewStyle& style) {
  const bool same = std::isnan(before) || std::abs(after - before) < 0.005;
  if (same) return load_cell(before, style);
  return load_cell(before, style) + " " + arrow(style) + " " + load_cell(after, style);
}

bool changes(const NodeUtilization& before, const NodeUtilization& after) {
  return before.pods != after.pods || before.cpu_requested != after.cpu_requested;
}

std::string nodes_table(const Plan& plan, const ViewStyle& style) {
  std::vector<std::size_t> order(plan.before.nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto& before = plan.before.nodes;
  const auto& after = plan.after.nodes;
  const bool all = order.size() <= kMostNodes;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const bool a_changes = changes(before[a], after[a]);
    const bool b_changes = changes(before[b], after[b]);
    if (!all && a_changes != b_changes) return a_changes;
    if (before[a].name == before[b].name) return false;
    return natural_less(before[a].name, before[b].name);
  });
  if (!all) order.resize(kMostNodes);
  std::vector<Row> rows{{"NODE", "CPU", "MEMORY", "PODS"}};
  for (const std::size_t i : order) {
    const bool same = before[i].pods == after[i].pods;
    rows.push_back(
        {before[i].name, change_cell(before[i].cpu, after[i].cpu, style),
         change_cell(before[i].memory, after[i].memory, style),
         same ? std::to_string(before[i].pods) : fmt::format("{} {} {}", before[i].pods, arrow(style), after[i].pods)});
  }
  std::string text = "\n" + table(rows, style);
  if (!all) text += fmt::format("  and {} more\n", before.size() - kMostNodes);
  if (!plan.before.balance.known()) return text;
  const cluster::Balance& b = plan.before.balance;
  const cluster::Balance& a = plan.after.balance;
  text += plan.moves.empty()
              ? fmt::format("  deviation {:.1f} points CPU, {:.1f} memory; maximum {:.0f} % CPU, {:.0f} % memory\n",
                            b.cpu_deviation, b.memory_deviation, b.cpu_max, b.memory_max)
              : fmt::format(
                    "  deviation {:.1f} {} {:.1f} points CPU, {:.1f} {} {:.1f} memory; maximum {:.0f} {} {:.0f} "
                    "% CPU, {:.0f} {} {:.0f} % memory\n",
                    b.cpu_deviation, arrow(style), a.cpu_deviation, b.memory_deviation, arrow(style),
                    a.memory_deviation, b.cpu_max, arrow(style), a.cpu_max, b.memory_max, arrow(style), a.memory_max);
  return text;
}

std::string refusals_table(const Plan& plan, const ViewStyle& style) {
  if (plan.refused.empty()) return {};
  std::map<std::string, std::vector<const rescheduling::UnmovedPod*>> by_code;
  for (const auto& one : plan.refused) by_code[one.code].push_back(&one);
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [code, all] : by_code) order.emplace_back(all.size(), code);
  std::ranges::sort(
      order, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::vector<Row> rows{{"STAY", "BECAUSE", "FOR EXAMPLE"}};
  for (const auto& [count, code] : order) {
    const auto& example = *by_code[code].front();
    rows.push_back(
        {fmt::format("{:>4}", count), code, fmt::format("{}/{}: {}", example.ns, example.pod, example.reason)});
  }
  return "\n" + table(rows, style);
}

}  // namespace

std::string plan_table(const Plan& plan, const ViewStyle& style) {
  std::string text =
      headline(plan, style) + moves_table(plan, style) + nodes_table(plan, style) + refusals_table(plan, style);
  if (!plan.notes.empty()) text += "\n";
  for (const std::string& note : plan.notes) text += painted("  " + note, Colour::Dim, style) + "\n";
  return text;
}

}  // namespace rescheduler::cli
