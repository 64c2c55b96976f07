#include "report.h"

#include <fstream>

#include <fmt/format.h>

namespace rescheduler::replay {

std::string table_head() {
  return "| rule | weight | CPU over 80 %, node-minutes | episodes | mean, longest minutes | memory over 80 % | "
         "largest node "
         "load | deviation over nodes | mean load | pending pod-minutes, left "
         "|\n|---|---|---|---|---|---|---|---|---|---|";
}

std::string table_line(const Row& row) {
  const Outcome& mean = row.mean;
  return fmt::format(
      "| {} | {} | {:.0f} | {:.0f} | {:.1f}, {:.0f} | {:.0f} | {:.0f} % | {:.1f} | {:.1f} % | {:.0f}, {:.0f} |",
      row.rule, row.weight == 0 ? "" : std::to_string(row.weight), mean.cpu_over, mean.episodes, mean.mean_episode,
      mean.longest_episode, mean.memory_over, 100 * mean.largest_load, 100 * mean.deviation, 100 * mean.mean_load,
      mean.pending_minutes, mean.left_pending);
}

std::string csv_of(const std::vector<Table>& tables) {
  std::string text =
      "nodes,rule,weight,run,cpu_over_node_minutes,memory_over_node_minutes,episodes,mean_episode_minutes,"
      "longest_episode_minutes,largest_load,deviation,mean_load,left_pending,pending_pod_minutes,placed,seconds\n";
  for (const Table& table : tables) {
    for (const Row& row : table.rows) {
      const auto line = [&](const std::string& run, const Outcome& of) {
        text += fmt::format(
            "{},{},{},{},{:.1f},{:.1f},{:.1f},{:.2f},{:.1f},{:.4f},{:.4f},{:.4f},{:.1f},{:.1f},{:.1f},{:.2f}\n",
            table.nodes, row.rule, row.weight, run, of.cpu_over, of.memory_over, of.episodes, of.mean_episode,
            of.longest_episode, of.largest_load, of.deviation, of.mean_load, of.left_pending, of.pending_minutes,
            of.placed, of.seconds);
      };
      for (std::size_t i = 0; i < row.runs.size(); ++i) line(std::to_string(i + 1), row.runs[i]);
      line("mean", row.mean);
    }
  }
  return text;
}

Result<void> write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return fail(Errc::Unavailable, "{} cannot be written", path);
  return {};
}

}  // namespace rescheduler::replay
