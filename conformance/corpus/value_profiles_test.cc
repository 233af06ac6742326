// The vectors of docs/corpus_format.md, what each profile promises of its values, over all types.
#include "conformance/corpus/value_profiles.h"

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

// The published outputs of SplitMix64 for the seeds 0 and 1234567.
TEST(ValueProfiles, RandomWordsAreThoseOfSplitMix64) {
  EXPECT_EQ(RandomWord(0, 0), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(RandomWord(0, 1), 0x6E789E6AA1B965F4u);
  EXPECT_EQ(RandomWord(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(RandomWord(1234567, 1), 3203168211198807973u);
}

std::string Patterns(const Literal& literal) {
  std::vector<std::string> words;
  const ElementType type = literal.element_type();
  const int digits = (Info(Info(type).component).bits + 3) / 4;
  const auto hex = [&](uint64_t bits) {
    const std::string all = absl::StrCat(absl::Hex(bits, absl::kZeroPad16));
    return all.substr(16 - digits);
  };
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    words.push_back(hex(literal.Get(i).bits));
    if (IsComplex(type)) words.back() += "," + hex(literal.Get(i).imag);
  }
  return absl::StrJoin(words, " ");
}

ProfileUse Use(ValueProfile profile, uint64_t seed = 1) {
  ProfileUse use;
  use.profile = profile;
  use.seed = seed;
  if (profile == ValueProfile::kIndices) use.low = 0, use.high = 0;
  if (profile == ValueProfile::kRange) use.from = -0.5, use.to = 3;
  return use;
}

// Rows "| `benign f32[4] seed=7` | 3f9c... |" of the document, made by the Python reader, which
// shares no code with this one.
TEST(ValueProfiles, TheDocumentsVectors) {
  std::ifstream file(ASSAY_SOURCE_DIR "/docs/corpus_format.md");
  std::stringstream content;
  content << file.rdbuf();
  const std::string text = content.str();
  int rows = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, '`');
    if (parts.size() != 5 || parts[0] != "| ") continue;
    const std::vector<absl::string_view> words = absl::StrSplit(parts[1], ' ');
    const auto profile = ValueProfileFromName(words[0]);
    if (!profile || words.size() < 2) continue;
    ProfileUse use = Use(*profile);
    for (size_t i = 2; i < words.size(); ++i) {
      const std::vector<std::string> pair = absl::StrSplit(words[i], '=');
      EXPECT_EQ(SetParameter(pair[0], pair[1], &use), absl::OkStatus()) << line;
    }
    const auto shape = ParseShape(words[1]);
    ASSERT_TRUE(shape.ok()) << line;
    const auto values = MakeValues(use, Shape(shape->element_type(), shape->dimensions()));
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ(Patterns(*values), parts[3]) << line;
    ++rows;
  }
  EXPECT_GE(rows, 40);
}

bool Finite(ElementType type, uint64_t bits) {
  return !IsFloat(type) || (!IsNan(type, bits) && !IsInfinity(type, bits));
}

// What belongs to a profile's name holds for every type that it makes.
TEST(ValueProfiles, ValuesAreWhatTheirNameSays) {
  constexpr int64_t kCount = 256;
  int made = 0;
  for (const ValueProfileInfo& info : ValueProfiles()) {
    for (const ElementType type : kArrayTypes) {
      const bool square = info.profile == ValueProfile::kDefinite;
      const Shape shape = square ? Shape(type, {2, 3, 3}) : Shape(type, {kCount});
      const ProfileUse use = Use(info.profile, 5);
      if (!CheckProfile(use, shape).ok()) continue;
      SCOPED_TRACE(absl::StrCat(info.name, " ", Name(type)));
      const auto values = MakeValues(use, shape);
      ASSERT_TRUE(values.ok()) << values.status();
      ++made;
      const ElementType part = Info(type).component;
      std::set<uint64_t> distinct;
      for (int64_t i = 0; i < values->element_count(); ++i) {
        const Element element = values->Get(i);
        distinct.insert(element.bits);
        for (const uint64_t bits : {element.bits, IsComplex(type) ? element.imag : 0}) {
          if (info.profile == ValueProfile::kSpecial || info.profile == ValueProfile::kPatterns ||
              info.profile == ValueProfile::kAll) {
            continue;
          }
          EXPECT_TRUE(Finite(part, bits)) << i;
          if (info.profile == ValueProfile::kUnit) {
            EXPECT_LT(std::abs(DecodeFloat(part, bits)), 1) << i;
          }
        }
        if (info.profile == ValueProfile::kRange) {
          EXPECT_GE(DecodeFloat(part, element.bits), -0.5);
          EXPECT_LE(DecodeFloat(part, element.bits), 3);
        }
        if (info.profile == ValueProfile::kPositive && IsFloat(part)) {
          EXPECT_GT(DecodeFloat(part, element.bits), 0);
        }
        if (info.profile == ValueProfile::kSorted && i > 0) {
          const uint64_t before = values->Get(i - 1).bits;
          if (IsFloat(part)) {
            EXPECT_LE(DecodeFloat(part, before), DecodeFloat(part, element.bits));
          } else if (IsSigned(part)) {
            EXPECT_LE(DecodeSigned(part, before), DecodeSigned(part, element.bits));
          }
        }
      }
      if (info.profile == ValueProfile::kDuplicates) {
        EXPECT_LE(distinct.size(), 4u);
      }
      if ((info.profile == ValueProfile::kUnique && Info(type).bits >= 9) ||
          (info.profile == ValueProfile::kAll && Info(type).bits >= 8)) {
        EXPECT_EQ(distinct.size(), static_cast<size_t>(kCount));
      }
      if (info.profile == ValueProfile::kSpecial && IsFloat(part)) {
        const FloatFormat& format = *Info(part).format;
        bool nan = false, infinity = false, zero = false;
        for (const uint64_t bits : SpecialPatterns(part)) {
          nan = nan || IsNan(part, bits);
          infinity = infinity || IsInfinity(part, bits);
          zero = zero || (IsZero(part, bits) && IsNegative(part, bits));
        }
        EXPECT_EQ(nan, format.has_nan());
        EXPECT_EQ(infinity, format.has_infinity);
        EXPECT_EQ(zero, format.signed_zero);
      }
    }
  }
  EXPECT_GT(made, 350);
}

// Both ends and everything between them, and nothing else.
TEST(ValueProfiles, RangesAreReached) {
  ProfileUse use = Use(ValueProfile::kRange);
  use.from = -0.25, use.to = 0.125;
  const auto values = MakeValues(use, Shape(ElementType::kF8E4M3FN, {4096}));
  ASSERT_TRUE(values.ok()) << values.status();
  std::set<double> seen;
  for (int64_t i = 0; i < 4096; ++i) {
    seen.insert(DecodeFloat(ElementType::kF8E4M3FN, values->Get(i).bits));
  }
  EXPECT_EQ(*seen.begin(), -0.25);
  EXPECT_EQ(*seen.rbegin(), 0.125);
  EXPECT_EQ(seen.size(), 0x28u + 0x20 + 1);  // the patterns of 0.25 and 0.125, and zero
  use.to = -0.5;
  EXPECT_FALSE(MakeValues(use, Shape(ElementType::kF32, {1})).ok());
  use.to = std::nullopt;
  EXPECT_FALSE(MakeValues(use, Shape(ElementType::kF32, {1})).ok());
  EXPECT_FALSE(SetParameter("from", "inf", &use).ok());
  EXPECT_FALSE(SetParameter("seed", "1.5", &use).ok());
  EXPECT_FALSE(SetParameter("nothing", "1", &use).ok());
}

TEST(ValueProfiles, CancellationCancels) {
  const auto values = MakeValues(Use(ValueProfile::kCancellation), Shape(ElementType::kF64, {64}));
  ASSERT_TRUE(values.ok());
  for (int64_t i = 0; i < 64; i += 2) {
    const double even = DecodeFloat(ElementType::kF64, values->Get(i).bits);
    const double odd = DecodeFloat(ElementType::kF64, values->Get(i + 1).bits);
    EXPECT_LE(std::abs(even + odd), std::abs(even) * 0x1p-52);
  }
}

TEST(ValueProfiles, TooLargeIsRefusedBeforeAllocation) {
  const Shape huge(ElementType::kF64, {int64_t{1} << 50});
  EXPECT_EQ(MakeValues(Use(ValueProfile::kBenign), huge).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace assay::conformance
