// Plots of replays, written directly as SVG: bars by rule, and lines over the day.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "report.h"

namespace rescheduler::replay {
namespace {

constexpr std::array kColours{"#666666", "#b8860b", "#8b5a9e", "#2e8b57", "#d2691e", "#1f5fbf", "#c03030", "#3aa0a0"};
constexpr double kWidth = 960;
constexpr double kBar = 22;
constexpr double kNames = 260;
constexpr double kLines = 240;
constexpr std::size_t kSmooth = 15;  // minutes; each point of a line is the mean of this window

std::string escaped(const std::string& text) {
  std::string out;
  for (const char one : text) {
    if (one == '&') {
      out += "&amp;";
    } else if (one == '<') {
      out += "&lt;";
    } else {
      out += one;
    }
  }
  return out;
}

std::string text_at(double x, double y, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" {}>{}</text>\n", x, y, more, escaped(text));
}

std::string bar_at(double x, double y, double width, double height, const char* colour) {
  return fmt::format("<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{:.0f}\" fill=\"{}\"/>\n", x, y, width,
                     height, colour);
}

std::string page(const std::string& body, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n{2}</svg>\n",
      kWidth, height, body);
}

std::string label_of(const Row& row) {
  return row.weight == 0 ? row.rule : fmt::format("{}, weight {}", row.rule, row.weight);
}

// One colour for each rule, whatever its weight.
std::size_t colour_of(const Table& table, const Row& row) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < table.rows.size() && table.rows[i].rule != row.rule; ++i) {
    if (i == 0 || table.rows[i].rule != table.rows[i - 1].rule) ++number;
  }
  return number % kColours.size();
}

std::string bars(const Table& table, double& y) {
  double most = 1;
  for (const Row& row : table.rows) most = std::max(most, row.mean.cpu_over);
  std::string svg = text_at(10, y += 30, fmt::format("{} nodes: node-minutes above 80 % CPU in a day", table.nodes),
                            "font-weight=\"bold\"");
  y += 8;
  for (const Row& row : table.rows) {
    const double width = (kWidth - kNames - 90) * row.mean.cpu_over / most;
    svg += text_at(kNames - 8, y + 15, label_of(row), "text-anchor=\"end\"");
    svg += bar_at(kNames, y + 3, width, kBar - 6, kColours[colour_of(table, row)]);
    svg += text_at(kNames + width + 6, y + 15, fmt::format("{:.0f}", row.mean.cpu_over));
    y += kBar;
  }
  return svg;
}

// The best weight of each rule.
std::vector<const Row*> best_of_each(const Table& table) {
  std::vector<const Row*> best;
  for (const Row& row : table.rows) {
    const auto known = std::ranges::find_if(best, [&](const Row* one) { return one->rule == row.rule; });
    if (known == best.end()) {
      best.push_back(&row);
    } else if (row.mean.cpu_over < (*known)->mean.cpu_over) {
      *known = &row;
    }
  }
  return best;
}

std::string line_of(const std::vector<double>& values, double most, double top, const char* colour) {
  std::string points;
  for (std::size_t i = 0; i + kSmooth <= values.size(); i += kSmooth) {
    double mean = 0;
    for (std::size_t k = i; k < i + kSmooth; ++k) mean += values[k] / kSmooth;
    const double x = 60 + (kWidth - 300) * static_cast<double>(i) / static_cast<double>(values.size());
    points += fmt::format("{:.1f},{:.1f} ", x, top + kLines * (1 - mean / most));
  }
  return fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" points=\"{}\"/>\n", colour, points);
}

std::string lines(const Table& table, double& y) {
  const auto rows = best_of_each(table);
  double most = 0.01;
  for (const Row* row : rows) most = std::max(most, std::ranges::max(row->mean.deviation_over_time));
  std::string svg = text_at(
      10, y += 30,
      fmt::format("{} nodes: standard deviation of node CPU over the day, each rule at its best weight", table.nodes),
      "font-weight=\"bold\"");
  const double top = y += 10;
  for (int i = 0; i <= 4; ++i) {
    const double level = top + kLines * (1 - i / 4.0);
    svg += fmt::format("<line x1=\"60\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#dddddd\"/>\n", kWidth - 240,
                       level, level);
    svg += text_at(54, level + 4, fmt::format("{:.1f} %", 100 * most * i / 4), "text-anchor=\"end\"");
  }
  double legend = top + 12;
  for (const Row* row : rows) {
    const char* colour = kColours[colour_of(table, *row)];
    svg += line_of(row->mean.deviation_over_time, most, top, colour);
    svg += text_at(kWidth - 230, legend, label_of(*row), fmt::format("fill=\"{}\"", colour).c_str());
    legend += 18;
  }
  for (int hour = 0; hour <= 24; hour += 6) {
    svg += text_at(60 + (kWidth - 300) * hour / 24, top + kLines + 16, fmt::format("{} h", hour),
                   "text-anchor=\"middle\"");
  }
  y += kLines + 20;
  return svg;
}

}  // namespace

std::string plot_of(const std::vector<Table>& tables) {
  std::string body;
  double y = 0;
  for (const Table& table : tables) {
    body += bars(table, y);
    body += lines(table, y);
  }
  return page(body, y + 20);
}

}  // namespace rescheduler::replay
