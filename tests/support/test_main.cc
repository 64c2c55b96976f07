// main() of every GoogleTest program: repeatable random numbers, and skips that do not count as success.
//
// Exit status: 0 all tests passed; 1 a test failed, no test ran, or REQUIRE forbids a skip; 77 no test failed and some
// were skipped, which ctest shows as "Skipped".
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_seed.h"

namespace rescheduler::test {
namespace {

constexpr int kSkipped = 77;  // SKIP_RETURN_CODE of our ctest entries

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread is started
  return value == nullptr ? std::string_view{} : value;
}

std::uint64_t chosen_seed() {
  const std::string_view given = environment("RESCHEDULER_SEED");
  if (given.empty()) return std::random_device{}();
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), seed);
  if (error != std::errc{} || end != given.data() + given.size()) {
    std::cerr << "RESCHEDULER_SEED must be a whole number, not '" << given << "'\n";
    std::exit(2);  // NOLINT(concurrency-mt-unsafe)
  }
  return seed;
}

// The need in a skip message: "[data] no recorded series" needs data.
std::string_view need_of(std::string_view message) {
  const auto begin = message.find('[');
  const auto end = message.find(']', begin);
  return begin == std::string_view::npos || end == std::string_view::npos ? std::string_view{}
                                                                          : message.substr(begin + 1, end - begin - 1);
}

bool required(std::string_view need) {
  std::string_view list = environment("REQUIRE");
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (list.substr(0, comma) == need) return true;
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return false;
}

class SkipListener : public testing::EmptyTestEventListener {
 public:
  bool skipped() const { return skipped_; }
  bool refused() const { return refused_; }

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    current_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestEnd(const testing::TestInfo& /*test*/) override { current_.clear(); }

  // GoogleTest holds its lock during this call: asking it for the current test would deadlock.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.skipped()) return;
    skipped_ = true;
    const std::string_view need = need_of(result.message());
    const std::string name = current_.empty() ? "a test suite" : current_;
    if (need.empty()) {
      refused_ = true;
      std::cerr << "FAILED: " << name << " skipped itself without saying what it needs (tests/support/skip.h)\n";
    } else if (required(need)) {
      refused_ = true;
      std::cerr << "FAILED: " << name << " was skipped, and this run requires " << need << ": " << result.message()
                << '\n';
    } else {
      std::cout << "skipped: " << name << ": " << result.message() << '\n';
    }
  }

  std::string current_;
  bool skipped_ = false;
  bool refused_ = false;
};

// rapidcheck reads its parameters from the environment; values that the user has set take precedence.
void seed_properties() {
  std::string parameters{environment("RC_PARAMS")};
  if (parameters.find("seed=") == std::string::npos) {
    parameters += (parameters.empty() ? "seed=" : " seed=") + std::to_string(run_seed());
    setenv("RC_PARAMS", parameters.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): before any thread is started
  }
}

}  // namespace

std::uint64_t run_seed() {
  static const std::uint64_t seed = chosen_seed();
  return seed;
}

}  // namespace rescheduler::test

int main(int count, char** arguments) {
  using namespace rescheduler::test;
  testing::InitGoogleMock(&count, arguments);
  seed_properties();
  auto* skip_listener = new SkipListener;  // GoogleTest owns it
  testing::UnitTest::GetInstance()->listeners().Append(skip_listener);
  if (!testing::GTEST_FLAG(list_tests)) std::cout << "RESCHEDULER_SEED=" << run_seed() << " repeats this run\n";
  const int failed = RUN_ALL_TESTS();
  if (failed != 0 || skip_listener->refused()) return 1;
  if (!testing::GTEST_FLAG(list_tests) && testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::cerr << "FAILED: no test of this program was run\n";
    return 1;
  }
  return skip_listener->skipped() ? kSkipped : 0;
}
