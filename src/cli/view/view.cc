#include "cli/view/view.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "cli/view/bars.h"

namespace rescheduler::cli {
namespace {

constexpr std::size_t kTailLines = 6;
constexpr std::size_t kLeastNodeLines = 4;

std::string_view health_text(NodeRow::Health health) {
  switch (health) {
    case NodeRow::Health::Ready: return "";
    case NodeRow::Health::Cordoned: return "cordoned";
    case NodeRow::Health::NotReady: return "NOT READY";
  }
  return "";
}

Colour health_colour(NodeRow::Health health) {
  if (health == NodeRow::Health::Ready) return Colour::None;
  return health == NodeRow::Health::Cordoned ? Colour::Yellow : Colour::Red;
}

// The widths of the columns of a node's line.
struct Columns {
  std::size_t name = 0;
  std::size_t cpu_bar = 0;
  std::size_t memory_bar = 0;  // 0: only the percentage
  bool sizes = false;          // "of 8"
  bool health = false;
};

Columns columns_for(const ViewState& state, const ViewStyle& style) {
  Columns columns;
  std::size_t longest = 4;
  for (const NodeRow& node : state.nodes) longest = std::max(longest, columns_of(node.name));
  columns.name = std::min(longest, std::max<std::size_t>(10, style.width / 4));
  columns.sizes = style.width >= 72;
  columns.health = style.width >= 56;
  // " " bar " 100%" and, if there is space, " of 7.5Gi"; then " 110" pods and the health
  const std::size_t per_resource = 6 + (columns.sizes ? 10 : 0);
  const std::size_t fixed = columns.name + 2 * per_resource + 5 + (columns.health ? 10 : 0);
  const std::size_t left = style.width > fixed ? style.width - fixed : 0;
  if (style.width >= 64) {
    columns.cpu_bar = std::min<std::size_t>(left / 2, 60);
    columns.memory_bar = columns.cpu_bar;
  } else {
    columns.cpu_bar = left;
  }
  return columns;
}

std::string use_text(const Use& use, std::size_t bar, const std::string& size, bool sizes, const ViewStyle& style) {
  std::string text = " ";
  if (bar > 0) text += use_bar(use, bar, style) + " ";
  text += painted(percent_text(use.used_share()), heat(use.used_share()), style);
  if (sizes) text += painted(padded(" of " + size, 10), Colour::Dim, style);
  return text;
}

std::string node_line(const NodeRow& node, const Columns& columns, const ViewStyle& style) {
  std::string line = painted(padded(node.name, columns.name), health_colour(node.health), style);
  line += use_text(node.cpu, columns.cpu_bar, cores_text(node.cpu.capacity), columns.sizes, style);
  line += use_text(node.memory, columns.memory_bar, bytes_text(node.memory.capacity), columns.sizes, style);
  line += fmt::format(" {:>4}", node.pods);
  if (columns.health && node.health != NodeRow::Health::Ready) {
    line += " " + painted(health_text(node.health), health_colour(node.health), style);
  }
  return line;
}

std::string heading(const Columns& columns, const ViewStyle& style) {
  const auto resource = [&columns](std::string_view name, std::size_t bar) {
    const std::size_t width = (bar > 0 ? bar + 1 : 0) + 4 + (columns.sizes ? 10 : 0);
    return " " + padded(name, width);
  };
  const std::string line = padded("NODE", columns.name) + resource("CPU", columns.cpu_bar)
                           + resource(columns.memory_bar > 0 ? "MEMORY" : "MEM", columns.memory_bar) + " PODS";
  return painted(clipped(line, style.width), Colour::Dim, style);
}

std::vector<std::string> top(const ViewState& state, const ViewStyle& style) {
  std::vector<std::string> lines;
  const std::string speed = state.speed == 1 ? "" : fmt::format(" (x{:g})", state.speed);
  const std::string dot = style.unicode ? " · " : " - ";
  std::string title = fmt::format("rescheduler demo{0}{1}{0}{2}{3}{0}{4} nodes", dot, state.scenario,
                                  time_text(state.elapsed.count()), speed, state.nodes.size());
  if (style.width >= 80) title += dot + "Ctrl-C to stop";
  lines.push_back(painted(clipped(title, style.width), Colour::Bold, style));
  if (!state.description.empty()) lines.push_back(clipped(state.description, style.width));
  if (!state.address.empty()) lines.push_back(clipped("dashboard: " + state.address, style.width));
  if (!state.notice.empty()) {
    lines.push_back(painted(clipped("note: " + state.notice, style.width), Colour::Yellow, style));
  }
  const std::size_t bar = std::min<std::size_t>(style.width > 50 ? 24 : 10, style.width > 16 ? style.width - 16 : 0);
  lines.push_back(fmt::format("balance {:3.0f} {}", state.balance, score_bar(state.balance, bar, style)));
  const PodCounts& pods = state.pods;
  std::string counts = fmt::format("pods {} running", pods.running);
  const auto add = [&](int count, std::string_view what) { counts += fmt::format("{}{} {}", dot, count, what); };
  add(pods.pending, "pending");
  if (pods.starting > 0) add(pods.starting, "starting");
  if (pods.stopping > 0) add(pods.stopping, "stopping");
  if (pods.failed > 0) add(pods.failed, "failed");
  counts += fmt::format("{}moves {}", dot, state.moves);
  lines.push_back(painted(clipped(counts, style.width), pods.pending > 0 ? Colour::Yellow : Colour::None, style));
  return lines;
}

std::vector<std::string> tail(const ViewState& state, std::size_t most, const ViewStyle& style) {
  std::vector<std::string> lines;
  if (state.tail.empty() || most < 2) return lines;
  lines.push_back(painted("EVENTS", Colour::Dim, style));
  const std::size_t shown = std::min(state.tail.size(), most - 1);
  for (std::size_t i = state.tail.size() - shown; i < state.tail.size(); ++i) {
    const TailLine& line = state.tail[i];
    const std::string text = fmt::format("{:>7} {}", time_text(line.at.count()), line.text);
    lines.push_back(painted(clipped(text, style.width), line.warning ? Colour::Red : Colour::None, style));
  }
  return lines;
}

// For too many nodes: one cell per node, or per few nodes with the hottest of them, in order of their names.
std::vector<std::string> heat_map(const ViewState& state, std::size_t most, const ViewStyle& style) {
  constexpr std::size_t kIndent = 4;
  const std::size_t per_line = style.width > kIndent ? style.width - kIndent : 1;
  const std::size_t cells = std::max<std::size_t>(1, per_line * most);
  const std::size_t together = (state.nodes.size() + cells - 1) / cells;
  std::vector<std::string> lines;
  std::string line;
  std::size_t filled = 0;
  for (std::size_t i = 0; i < state.nodes.size(); i += together) {
    double hottest = 0;
    for (std::size_t j = i; j < std::min(i + together, state.nodes.size()); ++j) {
      hottest = std::max(hottest, state.nodes[j].cpu.used_share());
    }
    line += heat_cell(hottest, style);
    if (++filled == per_line) {
      lines.push_back((lines.empty() ? "CPU " : "    ") + std::exchange(line, {}));
      filled = 0;
    }
  }
  if (filled > 0) lines.push_back((lines.empty() ? "CPU " : "    ") + line);
  return lines;
}

std::vector<std::string> folded(const ViewState& state, std::size_t most, const ViewStyle& style) {
  std::vector<std::string> lines = heat_map(state, std::max<std::size_t>(1, most / 3), style);
  std::vector<std::size_t> order(state.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t room = most > lines.size() + 2 ? most - lines.size() - 2 : 0;
  const std::size_t shown = std::min(room, order.size());
  const auto hotter = [&state](std::size_t a, std::size_t b) {
    const double x = state.nodes[a].cpu.used_share();
    const double y = state.nodes[b].cpu.used_share();
    return x != y ? x > y : a < b;
  };
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown), hotter);
  const Columns columns = columns_for(state, style);
  if (shown > 0) lines.push_back(heading(columns, style));
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(node_line(state.nodes[order[i]], columns, style));
  if (shown < order.size() && lines.size() < most) {
    lines.push_back(painted(clipped(fmt::format("the {} hottest of {} nodes", shown, order.size()), style.width),
                            Colour::Dim, style));
  }
  return lines;
}

}  // namespace

std::vector<std::string> render(const ViewState& state, const ViewStyle& style) {
  std::vector<std::string> lines = top(state, style);
  const std::size_t above = lines.size();
  const std::size_t left = style.height > above ? style.height - above : 0;
  // Nodes come first; events get the remaining lines, but always a few.
  const std::size_t all_nodes = state.nodes.size() + 1;
  const std::size_t tail_wanted = std::min(state.tail.size() + 1, kTailLines + 1);
  const std::size_t for_tail = left >= all_nodes + tail_wanted ? left - all_nodes
                               : left > kLeastNodeLines + 2    ? std::min(tail_wanted, left / 4 + 1)
                                                               : 0;
  const std::size_t for_nodes = left - std::min(left, for_tail);
  if (all_nodes <= for_nodes) {
    const Columns columns = columns_for(state, style);
    lines.push_back(heading(columns, style));
    for (const NodeRow& node : state.nodes) lines.push_back(node_line(node, columns, style));
  } else {
    for (std::string& line : folded(state, for_nodes, style)) lines.push_back(std::move(line));
  }
  for (std::string& line : tail(state, for_tail, style)) lines.push_back(std::move(line));
  if (lines.size() > style.height) lines.resize(style.height);
  for (std::string& line : lines) line = clipped(line, style.width);  // for very narrow terminals
  return lines;
}

std::string status_line(const ViewState& state) {
  double hottest = 0;
  for (const NodeRow& node : state.nodes) hottest = std::max(hottest, node.cpu.used_share());
  return fmt::format("{:>7}  balance {:3.0f}  hottest node {}  pods {} running, {} pending, {} starting  moves {}",
                     time_text(state.elapsed.count()), state.balance, percent_text(hottest), state.pods.running,
                     state.pods.pending, state.pods.starting, state.moves);
}

std::vector<std::string> summary(const ViewState& first, const ViewState& last) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("scenario {}: {} nodes, {} of cluster time", last.scenario, last.nodes.size(),
                              time_text(last.elapsed.count())));
  lines.push_back(
      fmt::format("balance {:.0f} at first, {:.0f} at the end; {} moves", first.balance, last.balance, last.moves));
  lines.push_back(fmt::format("pods {} running, {} pending, {} starting, {} failed", last.pods.running,
                              last.pods.pending, last.pods.starting, last.pods.failed));
  if (!last.notice.empty()) lines.push_back("note: " + last.notice);
  return lines;
}

}  // namespace rescheduler::cli
