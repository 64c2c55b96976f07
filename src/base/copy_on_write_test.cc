#include "base/copy_on_write.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace rescheduler {
namespace {

TEST(Cow, SharesItsContentUntilOneCopyWrites) {
  Cow<std::string> original(std::string("a"));
  Cow<std::string> copy = original;
  EXPECT_TRUE(copy.shares_with(original));
  copy.write() += "b";
  EXPECT_FALSE(copy.shares_with(original));
  EXPECT_EQ(*original, "a");
  EXPECT_EQ(*copy, "ab");
}

TEST(Cow, WritesInPlaceWhenItIsTheOnlyCopy) {
  Cow<std::string> one(std::string("a"));
  const std::string* place = &*one;
  {
    const Cow<std::string> passing = one;
  }
  one.write() = "b";
  EXPECT_EQ(&*one, place);
}

TEST(PagedVector, CopiesOnlyThePagesThatAreWritten) {
  PagedVector<int, 4> original;
  for (int i = 0; i < 10; ++i) original.emplace_back() = i;
  PagedVector<int, 4> copy = original;
  EXPECT_EQ(copy.pages_shared_with(original), 3U);
  copy.write(5) = 50;
  original.write(9) = 90;
  EXPECT_EQ(copy.pages_shared_with(original), 1U);
  EXPECT_EQ(std::vector<int>(original.begin(), original.end()), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 90}));
  EXPECT_EQ(std::vector<int>(copy.begin(), copy.end()), (std::vector<int>{0, 1, 2, 3, 4, 50, 6, 7, 8, 9}));
}

TEST(PagedVector, AReaderOnAnotherThreadKeepsItsValues) {
  PagedVector<int, 4> original;
  for (int i = 0; i < 1000; ++i) original.emplace_back() = i;
  for (int round = 0; round < 20; ++round) {
    std::thread reader([copy = original, round] {
      for (int i = 0; i < 1000; ++i) ASSERT_EQ(copy[static_cast<std::size_t>(i)], i + round);
    });
    for (std::size_t i = 0; i < 1000; ++i) ++original.write(i);
    reader.join();
  }
}

}  // namespace
}  // namespace rescheduler
