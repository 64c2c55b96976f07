#include "kube/value/quantity.h"

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using Format = Quantity::Format;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

Quantity q(std::string_view text) {
  const auto parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << parsed.error().message;
  return parsed.value_or(Quantity{});
}

static_assert(std::is_trivially_copyable_v<Quantity>);

TEST(Quantity, ParsesEveryFormAndKeepsTheFormat) {
  struct Case {
    const char* text;
    const char* same_as;  // the same number in plain form
    Format format;
  };
  const Case cases[] = {
      {"0", "0", Format::DecimalSI},
      {"0n", "0", Format::DecimalSI},
      {"0Ki", "0", Format::BinarySI},
      {"0T", "0", Format::DecimalSI},
      {"1", "1", Format::DecimalSI},
      {"1Ki", "1024", Format::BinarySI},
      {"8Ki", "8192", Format::BinarySI},
      {"7Mi", "7340032", Format::BinarySI},
      {"6Gi", "6442450944", Format::BinarySI},
      {"5Ti", "5497558138880", Format::BinarySI},
      {"4Pi", "4503599627370496", Format::BinarySI},
      {"3Ei", "3458764513820540928", Format::BinarySI},
      {"100Ti", "109951162777600", Format::BinarySI},
      {"5n", "0.000000005", Format::DecimalSI},
      {"4u", "0.000004", Format::DecimalSI},
      {"3m", "0.003", Format::DecimalSI},
      {"8k", "8000", Format::DecimalSI},
      {"7M", "7000000", Format::DecimalSI},
      {"6G", "6000000000", Format::DecimalSI},
      {"40T", "40000000000000", Format::DecimalSI},
      {"2P", "2000000000000000", Format::DecimalSI},
      {"1E", "1000000000000000000", Format::DecimalSI},
      {"12E", "12000000000000000000", Format::DecimalSI},
      {"1E-3", "0.001", Format::DecimalExponent},
      {"1e3", "1000", Format::DecimalExponent},
      {"1E18", "1000000000000000000", Format::DecimalExponent},
      {"1e14", "100000000000000", Format::DecimalExponent},
      {"1.3E+6", "1300000", Format::DecimalExponent},
      {"0.5e-2", "0.005", Format::DecimalExponent},
      {"1.7E18", "1700000000000000000", Format::DecimalExponent},
      {"100.035k", "100035", Format::DecimalSI},
      {"0.0005k", "0.5", Format::DecimalSI},
      {"0.00050k", "0.5", Format::DecimalSI},
      {"10.035M", "10035000", Format::DecimalSI},
      {"6.987654321G", "6987654321", Format::DecimalSI},
      {"1.01E", "1010000000000000000", Format::DecimalSI},
      {"100.035Ki", "102435.84", Format::BinarySI},
      {"0.5Mi", "524288", Format::BinarySI},
      {"0.05Gi", "53687091.2", Format::BinarySI},
      {"0.025Ti", "27487790694.4", Format::BinarySI},
      {".001", "0.001", Format::DecimalSI},
      {".0001k", "0.1", Format::DecimalSI},
      {"1.", "1", Format::DecimalSI},
      {"1.G", "1000000000", Format::DecimalSI},
      {"007", "7", Format::DecimalSI},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(q(c.text), q(c.same_as)) << c.text;
    EXPECT_EQ(q(c.text).format(), c.format) << c.text;
    EXPECT_EQ(q(std::string("+") + c.text), q(c.same_as)) << c.text;
    EXPECT_EQ(q(std::string("-") + c.text), -q(c.same_as)) << c.text;
    EXPECT_EQ(q(std::string("-") + c.text).format(), c.format) << c.text;
  }
}

TEST(Quantity, RoundsFractionsOfANanoAwayFromZero) {
  const std::pair<const char*, const char*> cases[] = {
      {"3.001n", "4n"},
      {"1.1E-9", "2e-9"},
      {"0.0000000001", "1n"},
      {"0.00000000050", "1n"},
      {"0.5e-9", "1e-9"},
      {"0.9n", "1n"},
      {"0.00000012345", "124n"},
      {"0.00000012354", "124n"},
      {".000000000001Ki", "2n"},
      {".000000001Ki", "1024n"},
      {"1e-2147483648", "1e-9"},
      {"0.0000000010000000000000001", "2n"},
      {"0.00000000000000000000000000000000000000000000000001Ei", "1n"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(q(text).to_string(), canonical) << text;
    EXPECT_EQ(q(std::string("-") + text).to_string(), std::string("-") + canonical) << text;
  }
  EXPECT_EQ(q("0.000000000001Ki").format(), Format::DecimalSI) << "there are no binary fractions";
}

TEST(Quantity, CapsBinarySuffixesButNotDecimalSuffixesAtTheLargestInt64) {
  for (const char* text : {"8Ei", "9Ei", "9223372036854775807Ki", "999999999999999999Mi", "99999999999999999999999Ei",
                           "7.9999999999999999999999Ei", "9223372036854775807.5Ki"}) {
    EXPECT_EQ(q(text), Quantity::from_value(kMax)) << text;
    EXPECT_EQ(q(text).to_string(), "9223372036854775807") << text;
  }
  EXPECT_GT(q("10E"), Quantity::from_value(kMax));
  EXPECT_GT(q("9223372036854775808"), Quantity::from_value(kMax));
}

TEST(Quantity, PrintsTheCanonicalForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"1024Mi", "1Gi"},
      {"307200Ki", "300Mi"},
      {"1025024Mi", "1001Gi"},
      {"1024Gi", "1Ti"},
      {"5000m", "5"},
      {"0.5", "500m"},
      {"1000M", "1G"},
      {"0.001T", "1G"},
      {"1000u", "1m"},
      {"1.08", "1080m"},
      {"1080000000n", "1080m"},
      {"1234567M", "1234567M"},
      {".001e12", "1e9"},
      {"0.001e0", "1e-3"},
      {"1000e-12", "1e-9"},
      {"10e3", "10e3"},
      {"100e4", "1e6"},
      {"00", "0"},
      {"-0", "0"},
      {"0e5", "0"},
      {"1.5Gi", "1536Mi"},
      {".001Ki", "1024m"},
      {".000001Ki", "1024u"},
      {"1.0001Ki", "1024102400u"},
      {"1000Ki", "1000Ki"},
      {"0.5Ki", "512"},
      {"100.035Ki", "102435840m"},
      {"1500E", "1500E"},
      {"1000E", "1e21"},
      {"1e999999999", "1e999999999"},
      {"99999999999999999999999999999999999999", "99999999999999999999999999999999999999"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(q(text).to_string(), canonical) << text;
    EXPECT_EQ(q(canonical).to_string(), canonical) << text;
    EXPECT_EQ(q(canonical), q(text)) << text;
  }
}

TEST(Quantity, PrintsBinaryFormatInDecimalWhenNoBinarySuffixIsExact) {
  EXPECT_EQ(Quantity::from_value(1024, Format::BinarySI).to_string(), "1Ki");
  EXPECT_EQ(Quantity::from_value(1025, Format::BinarySI).to_string(), "1025");
  EXPECT_EQ(Quantity::from_value(1000, Format::BinarySI).to_string(), "1k");
  EXPECT_EQ(Quantity::from_value(-2048, Format::BinarySI).to_string(), "-2Ki");
  EXPECT_EQ(Quantity::from_milli(1024, Format::BinarySI).to_string(), "1024m");
  EXPECT_EQ(Quantity::from_milli(1048576, Format::BinarySI).to_string(), "1048576m");
  EXPECT_EQ(Quantity::from_milli(2'048'000, Format::BinarySI).to_string(), "2Ki");
  EXPECT_EQ(Quantity::from_milli(1'000'000, Format::DecimalExponent).to_string(), "1e3");
  EXPECT_EQ((q("4Ei") + q("4Ei")).to_string(), "8Ei");
  EXPECT_EQ((q("1Ki") + q("1e30") - q("1Ki")).to_string(), "931322574615478515625Gi");
}

TEST(Quantity, IntegerValuesAreRoundedAwayFromZero) {
  struct Case {
    const char* text;
    std::int64_t value;
    std::int64_t milli;
  };
  const Case cases[] = {
      {"0", 0, 0},
      {"1", 1, 1000},
      {"100m", 1, 100},
      {"1500m", 2, 1500},
      {"9.01", 10, 9010},
      {"-9.01", -10, -9010},
      {"1n", 1, 1},
      {"1000001n", 1, 2},
      {"-1n", -1, -1},
      {"2Gi", 2147483648, 2147483648000},
      {"0.5Ki", 512, 512000},
      {"1e-3", 1, 1},
      {"3k", 3000, 3000000},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(q(c.text).value(), c.value) << c.text;
    EXPECT_EQ(q(c.text).milli_value(), c.milli) << c.text;
  }
  EXPECT_EQ(q("1234").scaled_value(2), 13);
  EXPECT_EQ(q("1234").scaled_value(-2), 123400);
}

TEST(Quantity, IntegerValuesSaturateAtTheLimitsOfInt64) {
  for (const char* text : {"12E", "1e100", "99999999999999999999999999999999999999999999", "1e999999999"}) {
    EXPECT_EQ(q(text).value(), kMax) << text;
    EXPECT_EQ(q(text).milli_value(), kMax) << text;
    EXPECT_EQ((-q(text)).value(), kMin) << text;
  }
  EXPECT_EQ(q("9223372036854775807").value(), kMax);
  EXPECT_EQ(q("9223372036854775807").milli_value(), kMax);
  EXPECT_EQ(q("-9223372036854775808").value(), kMin);
  EXPECT_EQ(Quantity::from_value(kMin).value(), kMin);
  EXPECT_EQ(Quantity::from_value(kMin).to_string(), "-9223372036854775808");
}

TEST(Quantity, OrdersByValueAcrossScalesAndFormats) {
  const char* ascending[] = {"-1e400", "-12E", "-1Ki", "-1k",   "-1",   "-1n", "0",     "1n",
                             "999u",   "1m",   "100m", "0.5",   "999m", "1",   "1001m", "1k",
                             "1Ki",    "1e6",  "1Mi",  "100Gi", "9Ei",  "10E", "10001P"};
  for (std::size_t i = 0; i + 1 < std::size(ascending); ++i) {
    EXPECT_LT(q(ascending[i]), q(ascending[i + 1])) << ascending[i];
    EXPECT_GT(q(ascending[i + 1]), q(ascending[i])) << ascending[i];
  }
  EXPECT_EQ(q("1000m"), q("1"));
  EXPECT_EQ(q("1Ki"), q("1024"));
  EXPECT_EQ(q("1e3"), q("1k"));
  EXPECT_LT(q("0"), q("1e999999999"));
  EXPECT_LT(q("1n"), q("1e999999999"));
}

TEST(Quantity, AddsAndSubtractsExactlyAcrossFormats) {
  EXPECT_EQ((q("100m") + q("2")).to_string(), "2100m");
  EXPECT_EQ((q("1Gi") + q("512Mi")).to_string(), "1536Mi");
  EXPECT_EQ((q("1000m") - q("1")).to_string(), "0");
  EXPECT_EQ((q("1Ki") - q("2Ki")).to_string(), "-1Ki");
  EXPECT_EQ((q("1") + q("1n")).to_string(), "1000000001n");
  EXPECT_EQ((q("9223372036854775807") + q("9223372036854775807")).to_string(), "18446744073709551614");
  EXPECT_EQ((q("1e20") + q("1e-9")).to_string(), "100000000000000000000000000001e-9");
  EXPECT_EQ((q("1e20") + q("1e-9") - q("1e20")).to_string(), "1e-9");
}

TEST(Quantity, ZeroAdoptsTheFormatOfTheOtherOperand) {
  EXPECT_EQ((Quantity{} + q("1Gi")).to_string(), "1Gi");
  EXPECT_EQ((q("1Gi") + Quantity{}).to_string(), "1Gi");
  EXPECT_EQ((Quantity{} - q("1Gi")).to_string(), "-1Gi");
  EXPECT_EQ((q("1Gi") - Quantity{}).to_string(), "1Gi");
  EXPECT_EQ((q("0Ki") + q("100m")).to_string(), "100m");
}

TEST(Quantity, RoundsAwayFromZeroOnlyBeyondThirtyEightDigits) {
  EXPECT_EQ(q("1e60") + q("1n"), q("1.0000000000000000000000000000000000001e60"));
  EXPECT_EQ(q("1e60") - q("1n"), q("1e60"));
  EXPECT_EQ(q("-1e60") - q("1n"), -q("1.0000000000000000000000000000000000001e60"));
  EXPECT_EQ(q("1e999999999") + q("1"), q("1.0000000000000000000000000000000000001e999999999"));
  EXPECT_EQ(q("100000000000000000000000000000000000000000000000000000000000000001"),
            q("1.0000000000000000000000000000000000001e65"));
  EXPECT_EQ(q("99999999999999999999999999999999999999999"), q("1e41"));
}

TEST(Quantity, ErrorsNameTheProblemAndItsPosition) {
  struct Case {
    std::string text;
    const char* says;
  };
  const Case cases[] = {
      {"", "it is empty"},
      {"1.1.M", "at byte 3: unknown suffix"},
      {"1+1.0M", "at byte 1: unknown suffix"},
      {"0.1mi", "at byte 3: unknown suffix"},
      {"0.1am", "at byte 3: unknown suffix"},
      {"aoeu", "at byte 0: a number is missing"},
      {".5i", "at byte 2: unknown suffix"},
      {"1i", "at byte 1: unknown suffix"},
      {"1ki", "unknown suffix"},
      {"1K", "unknown suffix"},
      {"-3.01e-", "the exponent is not a number"},
      {"1e", "the exponent is not a number"},
      {"1e+-3", "the exponent is not a number"},
      {"1e3.5", "the exponent is not a number"},
      {"1e2147483648", "the exponent is out of range"},
      {"1e-99999999999999999999", "the exponent is out of range"},
      {" 1", "at byte 0: a number is missing"},
      {"1 ", "at byte 1: unknown suffix"},
      {"+", "a number is missing"},
      {"Ki", "a number is missing"},
      {".", "a number is missing"},
      {"--1", "a number is missing"},
      {"0x10", "unknown suffix"},
      {std::string("1\0Ki", 4), "at byte 1: unknown suffix"},
      {std::string(100'000, 'x'), "(100000 bytes)"},
      {"1e1000000000", "too large"},
      {std::string(100'000, '9') + "e2147483647", "too large"},
  };
  for (const Case& c : cases) {
    const auto parsed = Quantity::parse(c.text);
    ASSERT_FALSE(parsed) << c.text;
    EXPECT_EQ(parsed.error().code, Errc::Invalid);
    EXPECT_NE(parsed.error().message.find(c.says), std::string::npos) << parsed.error().message;
    EXPECT_LT(parsed.error().message.size(), 400U) << "the message must stay short for a long text";
  }
}

TEST(Quantity, ParsesVeryLongNumbers) {
  EXPECT_EQ(q(std::string(100'000, '0') + "5"), q("5"));
  EXPECT_EQ(q("0." + std::string(100'000, '0') + "5"), q("1n"));
  EXPECT_EQ(q("1" + std::string(100, '0')), q("1e100"));
  EXPECT_EQ(q("1" + std::string(100'000, '0')).value(), kMax);
  EXPECT_EQ(q("0." + std::string(100'000, '9') + "Ki"), q("1Ki"));
}

TEST(Quantity, ConvertsToTheNearestDouble) {
  EXPECT_DOUBLE_EQ(q("0.1").to_double(), 0.1);
  EXPECT_DOUBLE_EQ(q("-1500m").to_double(), -1.5);
  EXPECT_DOUBLE_EQ(q("2Gi").to_double(), 2147483648.0);
  EXPECT_DOUBLE_EQ(q("1e30").to_double(), 1e30);
  EXPECT_EQ(q("0").to_double(), 0.0);
}

}  // namespace
}  // namespace rescheduler::kube
