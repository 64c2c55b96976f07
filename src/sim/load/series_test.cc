#include "sim/load/series.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>

#include "kube/config/environment.h"
#include "kube/config/temp_directory.h"
#include "sim/load/profile.h"
#include "support/skip.h"

namespace rescheduler::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int> row(const SeriesTable& table, std::size_t number) {
  std::vector<int> samples;
  for (std::size_t i = 0; i < table.length(number); ++i) samples.push_back(table.sample(number, i));
  return samples;
}

std::string xz(const std::string& text) {
  std::string packed(text.size() + 1024, '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                                    text.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

TEST(Series, EachRowOfNumberedColumnsIsASeries) {
  const auto table = parse_series("day,vm,t0,t1,t2\n20110303,0,24,34,29\n20110303,1,23,,19\n", "", 1);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows(), 2u);
  EXPECT_EQ(table->step_ms, 300'000);
  EXPECT_THAT(row(*table, 0), ElementsAre(2400, 3400, 2900));
  EXPECT_THAT(row(*table, 1), ElementsAre(2300, 2300, 1900));
}

TEST(Series, GapsInKeyedReadingsAreFilledWithThePreviousReading) {
  const auto table =
      parse_series("machine,t,cpu,mem\nm1,600,1,92.5\nm1,1200,2,91\nm1,1500,3,90\nm2,0,9,10\n", "mem", 1);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->step_ms, 300'000);
  ASSERT_EQ(table->rows(), 2u);
  EXPECT_THAT(row(*table, 0), ElementsAre(9250, 9250, 9100, 9000));
  EXPECT_THAT(row(*table, 1), ElementsAre(1000));
  const auto first = parse_series("machine,t,cpu,mem\nm1,600,1,92.5\n", "", 1);
  ASSERT_TRUE(first);
  EXPECT_THAT(row(*first, 0), ElementsAre(100));
}

TEST(Series, EachPlainColumnIsASeriesAndFractionsBecomePercentages) {
  const auto table = parse_series("avg_cpu,avg_mem\n0.44,0.33\n0.5,0.25\n", "avg_mem", 100);
  ASSERT_TRUE(table);
  EXPECT_THAT(row(*table, 0), ElementsAre(3300, 2500));
}

TEST(Series, ErrorsNameTheInvalidLineOrColumn) {
  EXPECT_THAT(parse_series("a,b\n1,2\n", "c", 1).error().message, HasSubstr("no column \"c\"; valid columns are a, b"));
  EXPECT_THAT(parse_series("a,b\n1\n", "", 1).error().message, HasSubstr("line 2 has 1 cells, but the header has 2"));
  EXPECT_THAT(parse_series("a\n1\nx\n", "", 1).error().message, HasSubstr("line 3: \"x\" is not a number"));
  EXPECT_THAT(parse_series("k,t,a\nk,5,1\nk,5,1\n", "", 1).error().message, HasSubstr("line 3: t does not increase"));
  EXPECT_THAT(parse_series("a\n", "", 1).error().message, HasSubstr("contains no series"));
}

TEST(Series, PlainAndCompressedFilesAreReadAndDamagedFilesAreRejected) {
  const kube::TempDirectory directory;
  const std::string text = "a\n10\n20\n";
  write(directory.path() + "/plain.csv", text);
  write(directory.path() + "/packed.csv.xz", xz(text));
  std::string damaged = xz(text);
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  write(directory.path() + "/damaged.csv.xz", damaged);
  write(directory.path() + "/cut.csv.xz", xz(text).substr(0, 20));
  SeriesLibrary library(directory.path());
  for (const char* name : {"plain", "packed"}) {
    const auto table = library.open(name, "");
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_THAT(row(**table, 0), ElementsAre(1000, 2000));
  }
  EXPECT_EQ(library.open("packed", "")->get(), library.open("packed", "")->get());
  EXPECT_THAT(library.open("damaged", "").error().message, HasSubstr("damaged"));
  EXPECT_THAT(library.open("cut", "").error().message, HasSubstr("damaged"));
}

TEST(Series, ASeriesProfileScalesShiftsAndRepeatsARow) {
  const kube::TempDirectory directory;
  write(directory.path() + "/vms.csv", "day,vm,t0,t1,t2\n1,0,10,20,30\n1,1,40,50,60\n");
  SeriesLibrary library(directory.path());
  constexpr Millis kStep = 300'000;
  const Millis start = 3 * kStep * 1'000'000;  // a multiple of the series' length
  const auto at = [&](std::string_view text, Millis now, std::uint64_t seed = 1) {
    const auto profile = Profile::parse(text, LoadResource::Cpu, library);
    EXPECT_TRUE(profile) << profile.error().message;
    return profile->at({seed, 1'000'000, 0}, now);
  };
  EXPECT_EQ(at("series file=vms row=1 of=2", start).amount, 800'000);
  EXPECT_EQ(at("series file=vms row=1 of=100%", start + kStep).amount, 500'000);
  EXPECT_EQ(at("series file=vms row=0 of=1", start + 3 * kStep).amount, 100'000);
  EXPECT_EQ(at("series file=vms row=0 of=1 offset=5m", start).amount, 200'000);
  EXPECT_EQ(at("series file=vms row=0 of=1 offset=1m", start).until, start + kStep - 60'000);
  EXPECT_EQ(at("series file=vms row=0 of=1", start + 5).until, start + kStep);
  int different = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    different += at("series file=vms row=any offset=any of=1", start, seed).amount
                 != at("series file=vms row=any offset=any of=1", start, seed + 1).amount;
  }
  EXPECT_GT(different, 25);
  EXPECT_THAT(Profile::parse("series file=vms row=2 of=1", LoadResource::Cpu, library).error().message,
              HasSubstr("there is no row \"2\"; vms has rows 0 to 1"));
}

TEST(Series, TheRecordedSeriesCanBeRead) {
  SeriesLibrary library(series_directory(kube::process_environment()));
  if (!std::filesystem::exists(series_directory(kube::process_environment()))) {
    RESCHEDULER_SKIP("data") << "no recorded series in " << series_directory(kube::process_environment());
  }
  const auto vms = library.open("planetlab_vm_cpu", "");
  ASSERT_TRUE(vms) << vms.error().message;
  EXPECT_EQ((*vms)->rows(), 11'746u);
  EXPECT_EQ((*vms)->length(17), 288u);
  double sum = 0;
  for (const auto sample : (*vms)->samples) sum += sample / 100.0;
  EXPECT_NEAR(sum / static_cast<double>((*vms)->samples.size()), 11.1, 0.1);
  EXPECT_EQ((*library.open("alibaba2018_machines_300s", "mem_mean"))->rows(), 16u);
  EXPECT_EQ((*library.open("genai_pods_285s", ""))->rows(), 208u);
  EXPECT_EQ((*library.open("genai_pods_285s", ""))->step_ms, 285'000);
  EXPECT_EQ((*library.open("alibaba2018_fleet_300s", "mem_util_percent"))->length(0), 2243u);
  EXPECT_NEAR((*library.open("google2019_fleet_300s", "avg_cpu"))->sample(0, 0), 4416, 1);
}

}  // namespace
}  // namespace rescheduler::sim
