#include "instance.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

namespace rescheduler::roadef {

namespace {

using planner::Amount;
using planner::Cost;
using planner::Problem;

struct ClosePipe {
  void operator()(std::FILE* file) const { ::pclose(file); }
};

Result<std::string> read_text(const std::string& path) {
  if (!path.ends_with(".xz")) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) return fail(Errc::NotFound, "{} cannot be read", path);
    return text.str();
  }
  const std::unique_ptr<std::FILE, ClosePipe> pipe(::popen(fmt::format("xz -dc -- '{}'", path).c_str(), "r"));
  if (!pipe) return fail(Errc::Unavailable, "{}: xz cannot be run", path);
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe.get())) text.append(piece.data(), got);
  if (text.empty()) return fail(Errc::Invalid, "{}: xz found nothing in it", path);
  return text;
}

// The whitespace-separated integers of a file, in order. Past the end it returns 0 and records the error.
class Numbers {
 public:
  explicit Numbers(std::string text) : text_(std::move(text)), at_(text_.data()), end_(at_ + text_.size()) {}

  Amount next() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    Amount number = 0;
    const auto [after, error] = std::from_chars(at_, end_, number);
    if (error != std::errc{}) short_ = true;
    at_ = after;
    return number;
  }
  std::uint32_t index() { return static_cast<std::uint32_t>(next()); }
  std::size_t size() { return static_cast<std::size_t>(short_ ? 0 : next()); }
  bool ran_out() const { return short_; }

 private:
  std::string text_;
  const char* at_;
  const char* end_;
  bool short_ = false;
};

void read_machines(Numbers& in, Problem& problem) {
  const std::size_t machines = in.size();
  const std::size_t resources = problem.resource_count();
  for (std::size_t m = 0; m < machines && !in.ran_out(); ++m) {
    planner::MachineFacts facts;
    facts.neighbourhood = in.index();
    facts.location = in.index();
    problem.machines.push_back(facts);
    for (std::size_t r = 0; r < resources; ++r) problem.capacity.push_back(in.next());
    for (std::size_t r = 0; r < resources; ++r) problem.target.push_back(in.next());
    for (std::size_t to = 0; to < machines; ++to) {
      problem.machine_move.push_back(static_cast<std::int32_t>(in.next()));
    }
  }
}

void read_groups(Numbers& in, Problem& problem) {
  const std::size_t groups = in.size();
  for (std::size_t g = 0; g < groups && !in.ran_out(); ++g) {
    planner::GroupFacts facts;
    facts.apart = true;
    facts.least_locations = in.index();
    const std::size_t dependencies = in.size();
    for (std::size_t d = 0; d < dependencies; ++d) facts.depends_on.push_back(in.index());
    problem.groups.push_back(facts);
  }
}

void read_processes(Numbers& in, Problem& problem) {
  const std::size_t processes = in.size();
  for (std::size_t p = 0; p < processes && !in.ran_out(); ++p) {
    planner::ProcessFacts facts;
    facts.group = in.index();
    for (std::size_t r = 0; r < problem.resource_count(); ++r) problem.demand.push_back(in.next());
    facts.price = in.next();
    problem.processes.push_back(facts);
  }
}

Result<void> read_model(Numbers& in, Problem& problem) {
  const std::size_t resources = in.size();
  for (std::size_t r = 0; r < resources && !in.ran_out(); ++r) {
    const bool transient = in.next() != 0;
    problem.resources.push_back({transient, in.next(), 0});
  }
  read_machines(in, problem);
  read_groups(in, problem);
  read_processes(in, problem);
  const std::size_t balances = in.size();
  for (std::size_t b = 0; b < balances && !in.ran_out(); ++b) {
    planner::BalanceRule rule;
    rule.first = in.index();
    rule.second = in.index();
    rule.ratio = in.next();
    rule.weight = in.next();
    problem.balances.push_back(rule);
  }
  const Cost process_weight = in.next();
  problem.group_move_weight = in.next();
  problem.machine_move_weight = in.next();
  for (planner::ProcessFacts& process : problem.processes) process.price *= process_weight;
  if (in.ran_out()) return fail(Errc::Invalid, "the model ends too early");
  return {};
}

std::optional<Cost> number_of(const std::string& text) {
  Cost number = 0;
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || text.empty()) return std::nullopt;
  return number;
}

std::optional<std::string> existing(const std::string& stem) {
  for (const char* const suffix : {".txt", ".txt.xz"}) {
    if (std::filesystem::exists(stem + suffix)) return stem + suffix;
  }
  return std::nullopt;
}

}  // namespace

std::string default_directory() {
  const char* const data = std::getenv("RESCHEDULER_DATA");  // NOLINT(concurrency-mt-unsafe): before any thread
  return std::string(data != nullptr ? data : "../shared/data") + "/roadef2012";
}

std::optional<Files> find_instance(const std::string& directory, const std::string& name) {
  const auto model = existing(directory + "/model_" + name);
  const auto assignment = existing(directory + "/assignment_" + name);
  if (!model || !assignment) return std::nullopt;
  return Files{*model, *assignment};
}

Result<Problem> read_instance(const Files& files) {
  auto model = read_text(files.model);
  if (!model) return fail(std::move(model.error()));
  auto assignment = read_text(files.assignment);
  if (!assignment) return fail(std::move(assignment.error()));
  Problem problem;
  Numbers of_model(std::move(*model));
  if (auto read = read_model(of_model, problem); !read) return fail(std::move(read.error()).within(files.model));
  Numbers of_assignment(std::move(*assignment));
  for (planner::ProcessFacts& process : problem.processes) {
    process.machine = of_assignment.index();
    if (of_assignment.ran_out() || process.machine >= problem.machines.size()) {
      return fail(Errc::Invalid, "{} does not give every process a machine", files.assignment);
    }
  }
  return problem;
}

Result<std::vector<Known>> read_known() {
  auto text = read_text(ROADEF_FOLDER "/reference.csv");
  if (!text) return fail(std::move(text.error()));
  std::istringstream lines(*text);
  std::string line;
  std::getline(lines, line);  // the header line
  std::vector<Known> known;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.size() < 8) return fail(Errc::Invalid, "reference.csv has a short line: {}", line);
    cells.resize(12);
    known.push_back({cells[0], number_of(cells[1]).value_or(0), number_of(cells[2]).value_or(0),
                     number_of(cells[3]).value_or(0), number_of(cells[7]), number_of(cells[8])});
  }
  return known;
}

}  // namespace rescheduler::roadef
