// The proofs prove: planted defects are found, whichever way they would slip through. The functions
// pass a strided proof, with the same hash of their values whatever compiler and tier made them.
// Certificates survive the file and go on where they stopped.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "conformance/prove/proof.h"
#include "conformance/prove/random_f64.h"
#include "conformance/prove/references.h"
#include "spec/testing/test_folder.h"

namespace assay::conformance::prove {
namespace {

constexpr ElementType kF32 = ElementType::kF32, kF16 = ElementType::kF16, kF64 = ElementType::kF64;

// Every 1024th magnitude, 2^22 inputs; the offset makes the last bits of the patterns vary.
constexpr Magnitudes kStrided{.first = 77, .count = 1 << 21, .stride = 1023};
// For forced tiers, which are slow.
constexpr Magnitudes kSparse{.first = 77, .count = 1 << 9, .stride = 1023 << 12};

// One unit off where the pattern of the argument is kVictim, right everywhere else.
constexpr uint32_t kVictim = 0x3f812345;
void OffByOne(evaluator::RealFunction function, ElementType type, const std::byte* x,
              std::byte* out, int64_t count, const evaluator::RealContext& context) {
  evaluator::EvaluateBlock(function, type, x, out, count, context);
  for (int64_t i = 0; i < count; ++i) {
    Element result = LoadElement(type, out, i);
    const uint64_t victim = type == kF32 ? kVictim : kVictim >> 16;
    if (LoadElement(type, x, i).bits == victim) result.bits ^= 1;
    StoreElement(type, result, out, i);
  }
}

TEST(SweepTest, FindsOneWrongResult) {
  SweepOptions wrong;
  wrong.golden = OffByOne;
  for (bool mpfr_alone : {false, true}) {
    wrong.mpfr_alone = mpfr_alone;
    const SweepResult result =
        Sweep(evaluator::RealFunction::kExp, kF32, {.first = kVictim - 3000, .count = 5000}, wrong);
    EXPECT_EQ(result.inputs, 10000);
    ASSERT_EQ(result.mismatches, 1);
    EXPECT_EQ(result.first_mismatches[0].input, kVictim);
    EXPECT_EQ(result.first_mismatches[0].golden ^ 1, result.first_mismatches[0].expected);
  }
  EXPECT_EQ(Sweep(evaluator::RealFunction::kTan, kF16, AllMagnitudes(kF16), wrong).mismatches, 1);
  EXPECT_EQ(Sweep(evaluator::RealFunction::kTan, kF16, AllMagnitudes(kF16)).mismatches, 0);
}

// The golden function without its later tiers: what the C library's double rounds to.
void RoundedDouble(evaluator::RealFunction, ElementType, const std::byte* x, std::byte* out,
                   int64_t count, const evaluator::RealContext&) {
  for (int64_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, x + i * sizeof value, sizeof value);
    value = static_cast<float>(std::log1p(static_cast<double>(value)));
    std::memcpy(out + i * sizeof value, &value, sizeof value);
  }
}

// The hardest argument of log1p, 2^-66 from a midpoint (accuracy_design.md 5), where both
// references are as wrong as the double tier: MPFR has to be asked.
TEST(SweepTest, FindsAResultNextToAMidpoint) {
  const auto hardest = std::bit_cast<uint32_t>(0x1.800006p-21f);
  SweepOptions naive;
  naive.golden = RoundedDouble;
  const Magnitudes around{.first = hardest - 4, .count = 9};
  EXPECT_GE(Sweep(evaluator::RealFunction::kLog1p, kF32, around, naive).mismatches, 1);
  const SweepResult golden = Sweep(evaluator::RealFunction::kLog1p, kF32, around);
  EXPECT_EQ(golden.mismatches, 0);
  EXPECT_GE(golden.by_mpfr, 1);
}

TEST(SweepTest, FindsAWrongNan) {
  SweepOptions wrong;
  wrong.golden = [](evaluator::RealFunction, ElementType, const std::byte*, std::byte* out,
                    int64_t count, const evaluator::RealContext&) {
    std::memset(out, 0x7f, count * sizeof(float));
  };
  const auto one = std::bit_cast<uint32_t>(1.0f);
  EXPECT_EQ(Sweep(evaluator::RealFunction::kAcos, kF32, {.first = one - 99, .count = 100}, wrong)
                .mismatches,
            200);
}

struct Hash {
  const char* function;
  uint64_t strided;
  uint64_t sparse;
};

// Of golden values over kStrided and kSparse; proven when they were written down.
constexpr Hash kHashes[] = {
    {"acos", 0x56792e75a3c84cdb, 0xba3c61c8f34fc5f3},
    {"acosh", 0x29a746c76a67c0d8, 0xf7481ca66d190a81},
    {"asin", 0xde2e4914da168da8, 0x46f742beeaf07efa},
    {"asinh", 0x7a855069db6f0844, 0x3f8ca266f554aac2},
    {"atan", 0xe7953033fdb1b324, 0xb00ccbb186083e00},
    {"atanh", 0xf9673c0e8c7b2d88, 0xe833cee718d52e6c},
    {"cbrt", 0x991dad27d36aa632, 0x6fa370b403f89462},
    {"cos", 0xe416030a88a3baf4, 0x869e813ba842d4ee},
    {"cosh", 0xc11927af07c6a6a, 0xf261bc4ed800a16c},
    {"erf", 0xfb33792214a2a212, 0x9d228e38cf89a8c4},
    {"exp", 0x5660db46ccb1494a, 0xcc018555b2c086fe},
    {"expm1", 0x32d13098b2671abb, 0x9bda5d8ff4c01370},
    {"log", 0x949b7e0cc02a7981, 0x782f72e4eea9cf85},
    {"log1p", 0x4af4e61534ecbf75, 0x5819bb6e03ea911},
    {"logistic", 0x1500e11fa9bfaf03, 0x5a3e69835bbf53ca},
    {"rsqrt", 0x8fe6bd8fc79a0210, 0x94913b6ce3045bba},
    {"sin", 0x310cc47fa06b806e, 0x56f160f8a9dc60ee},
    {"sinh", 0x98915ed3ce19c8a6, 0x7a2ea38a87ed0f5c},
    {"sqrt", 0xb91227e68135fe8e, 0x951e62b9871d52d7},
    {"tan", 0xe88dd1923052139a, 0xc4581ec4f99c72c2},
    {"tanh", 0xe13049046c7cbdf0, 0xb026bdb155d4aaee},
};

TEST(SweepTest, StridedF32HasTheSameHashEverywhere) {
  for (const Hash& row : kHashes) {
    const evaluator::RealFunction function = *FunctionNamed(row.function);
    const SweepResult result = Sweep(function, kF32, kStrided);
    EXPECT_EQ(result.inputs, 1 << 22);
    EXPECT_EQ(result.mismatches, 0) << row.function;
    EXPECT_EQ(result.hash, row.strided) << row.function << std::hex << " 0x" << result.hash;
    EXPECT_EQ(result.tiers.undecided(), 0);
  }
}

TEST(SweepTest, EveryTierHasTheSameHash) {
  for (const Hash& row : kHashes) {
    for (evaluator::RealTier tier : {evaluator::RealTier::kExact, evaluator::RealTier::kDouble,
                                     evaluator::RealTier::kQuad, evaluator::RealTier::kBig192}) {
      SweepOptions options;
      options.first_tier = tier;
      const SweepResult result = Sweep(*FunctionNamed(row.function), kF32, kSparse, options);
      EXPECT_EQ(result.mismatches, 0) << row.function;
      EXPECT_EQ(result.hash, row.sparse)
          << row.function << std::hex << " 0x" << result.hash << " tier " << static_cast<int>(tier);
    }
  }
}

TEST(SweepTest, TheReferencesAgree) {
  for (int i = 0; i < kProvenFunctions; ++i) {
    const References references(static_cast<evaluator::RealFunction>(i));
    if (!references.available()) {  // proofs of f32 are left to MPFR then
      EXPECT_EQ(References::VectorName(), "none");
      continue;
    }
    double x[kBlock], a[kBlock], b[kBlock];
    for (int k = 0; k < kBlock; ++k) x[k] = std::ldexp(1 + k * 0x1p-11, k % 40 - 30);
    references.Scalar(x, a);
    references.Vector(x, b);
    for (int k = 0; k < kBlock; ++k) {
      EXPECT_TRUE(std::fabs(a[k] - b[k]) <= std::fabs(a[k]) * 0x1p-49 || a[k] == b[k] ||
                  (std::isnan(a[k]) && std::isnan(b[k])))
          << NameOf(static_cast<evaluator::RealFunction>(i)) << " of " << x[k];
    }
  }
}

TEST(SweepTest, RandomF64) {
  for (int i = 0; i < kProvenFunctions; ++i) {
    const auto function = static_cast<evaluator::RealFunction>(i);
    const std::vector<uint64_t> inputs = RandomF64(2000, 5);
    EXPECT_EQ(SweepInputs(function, kF64, inputs).mismatches, 0) << NameOf(function);
  }
}

TEST(ProofTest, TheCertificateSurvivesTheFile) {
  const std::string path = TestPath("assay_certificate.json");
  ProofOptions options;
  options.revision = "abc";
  options.sweep.golden = OffByOne;
  const auto made = Prove(evaluator::RealFunction::kTan, kF16, AllMagnitudes(kF16), path, options);
  ASSERT_TRUE(made.ok()) << made.status();
  const auto read = ReadCertificate(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToJson(*made), ToJson(*read));
  EXPECT_TRUE(read->complete());
  EXPECT_EQ(read->function, "tan");
  EXPECT_EQ(read->result.inputs, 1 << 16);
  EXPECT_EQ(read->result.mismatches, 1);
  EXPECT_EQ(read->result.first_mismatches[0].input, kVictim >> 16);
}

TEST(ProofTest, GoesOnWhereItStopped) {
  const std::string path = TestPath("assay_unfinished.json");
  Certificate blank;
  blank.function = "none";
  ProofOptions options;
  options.jobs = 2;
  std::atomic<int> calls = 0;
  const auto work = [&](size_t) {
    ++calls;
    SweepResult result;
    result.inputs = 1;
    return result;
  };
  ASSERT_TRUE(ProveShards(blank, 5, work, path, options).ok());
  EXPECT_EQ(calls, 5);
  Certificate stopped = *ReadCertificate(path);
  EXPECT_EQ(stopped.result.inputs, 5);
  stopped.shards_done = {true, false, true, true, false};
  stopped.result.inputs = 3;
  ASSERT_TRUE(WriteCertificate(path, stopped).ok());
  const auto finished = ProveShards(blank, 5, work, path, options);
  ASSERT_TRUE(finished.ok());
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(finished->result.inputs, 5);
  // Complete: nothing is left to do. Of another revision: all over again.
  ASSERT_TRUE(ProveShards(blank, 5, work, path, options).ok());
  EXPECT_EQ(calls, 7);
  options.revision = "next";
  ASSERT_TRUE(ProveShards(blank, 5, work, path, options).ok());
  EXPECT_EQ(calls, 12);
}

TEST(ProofTest, RefusesWhatIsNoCertificate) {
  EXPECT_FALSE(FromJson("").ok());
  EXPECT_FALSE(FromJson("{}").ok());
  EXPECT_FALSE(FromJson("[1]").ok());
  EXPECT_EQ(ReadCertificate("/nowhere/at/all").status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(
      Prove(evaluator::RealFunction::kTan, kF16, AllMagnitudes(kF16), "/nowhere/at/all", {}).ok());
}

}  // namespace
}  // namespace assay::conformance::prove
