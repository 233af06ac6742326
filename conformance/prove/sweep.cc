// Tests: prove_test.cc.
#include "conformance/prove/sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>

#include "conformance/prove/references.h"
#include "evaluator/real/mpfr_functions.h"
#include "runtime/processor.h"

namespace assay::conformance::prove {
namespace {

using ::assay::evaluator::testing::kNamedFunctions;
using ::assay::evaluator::testing::Mpfr;
using ::assay::evaluator::testing::NamedFunction;
using ::assay::evaluator::testing::RoundedByMpfr;
using ::assay::evaluator::testing::SameValue;

const NamedFunction& RowOf(evaluator::RealFunction function) {
  return kNamedFunctions[static_cast<int>(function)];
}

uint64_t SignBit(ElementType type) { return uint64_t{1} << (Info(type).bits - 1); }

// A value per pair, to be added up. The product is not linear in the input, so that errors at
// evenly spaced inputs do not cancel.
inline uint64_t Mixed(uint64_t input, uint64_t result) {
  uint64_t weight = (input * 2 + 1) * 0x9e3779b97f4a7c15u;
  weight ^= weight >> 29;
  return (result + 1) * weight;
}

// The part that runs 2^32 times. `doubtful[i]` is set unless both references prove golden[i].
// Comparisons of NaN are false, and zeros and infinities of the references fit as they are.
__attribute__((always_inline)) inline void ExamineBody(const double* a, const double* b,
                                                       const float* golden, uint8_t* doubtful) {
  for (int i = 0; i < kBlock; ++i) {
    const double y = a[i], other = b[i];
    const float low = static_cast<float>(y * (1 - 0x1p-37));
    const float high = static_cast<float>(y * (1 + 0x1p-37));
    const bool near = (std::fabs(y - other) <= std::fabs(y) * 0x1p-45) | (y == other);
    const bool same =
        std::bit_cast<uint32_t>(low) == std::bit_cast<uint32_t>(golden[i]) && low == high;
    const bool nan = (y != y) & (other != other) & (golden[i] != golden[i]);
    doubtful[i] = !((near & same) | nan);
  }
}

__attribute__((always_inline)) inline uint64_t HashBody(const uint32_t* inputs,
                                                        const uint32_t* results, int count) {
  uint64_t hash = 0;
  for (int i = 0; i < count; ++i) {
    const uint32_t result = (results[i] & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : results[i];
    hash += Mixed(inputs[i], result);
  }
  return hash;
}

void ExaminePlain(const double* a, const double* b, const float* golden, uint8_t* doubtful) {
  ExamineBody(a, b, golden, doubtful);
}
uint64_t HashPlain(const uint32_t* inputs, const uint32_t* results, int count) {
  return HashBody(inputs, results, count);
}

#if defined(__x86_64__)
#define ASSAY_TARGET_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
ASSAY_TARGET_AVX512 void Examine512(const double* a, const double* b, const float* golden,
                                    uint8_t* doubtful) {
  ExamineBody(a, b, golden, doubtful);
}
ASSAY_TARGET_AVX512 uint64_t Hash512(const uint32_t* inputs, const uint32_t* results, int count) {
  return HashBody(inputs, results, count);
}
const bool kHasAvx512 = runtime::Supports(runtime::InstructionSet::kAvx512);
const auto kExamine = kHasAvx512 ? Examine512 : ExaminePlain;
const auto kHash = kHasAvx512 ? Hash512 : HashPlain;
#else
const auto kExamine = ExaminePlain;
const auto kHash = HashPlain;
#endif

constexpr uint32_t kSign = 0x80000000;
// Magnitudes whose ends MPFR is asked about: 128 blocks.
constexpr uint32_t kRun = 128 * kBlock;

class Sweeper {
 public:
  Sweeper(evaluator::RealFunction function, ElementType type, const SweepOptions& options)
      : function_(function), type_(type), options_(options), references_(function) {
    context_.stats = &result_.tiers;
    context_.first_tier = options.first_tier;
  }

  SweepResult Run(const Magnitudes& magnitudes) {
    const double start = ThreadSeconds();
    const bool quick =
        type_ == ElementType::kF32 && references_.available() && !options_.mpfr_alone;
    for (uint32_t done = 0; done < magnitudes.count; done += kRun) {
      Magnitudes run = magnitudes;
      run.first += done * run.stride;
      run.count = std::min(kRun, magnitudes.count - done);
      if (quick) FindConstants(run);
      for (uint32_t block = 0; block < run.count; block += kBlock) {
        const int count = static_cast<int>(std::min<uint32_t>(kBlock, run.count - block));
        for (int i = 0; i < kBlock; ++i) {
          // What is left of the last block repeats its first argument.
          pattern_[i] = run.first + (block + (i < count ? i : 0)) * run.stride;
        }
        quick ? QuickBlock(count) : MpfrBlock(count);
      }
    }
    result_.cpu_seconds = ThreadSeconds() - start;
    return result_;
  }

  SweepResult Run(const std::vector<uint64_t>& inputs) {
    const double start = ThreadSeconds();
    for (size_t done = 0; done < inputs.size(); done += kBlock) {
      CheckPatterns(inputs.data() + done,
                    static_cast<int>(std::min<size_t>(kBlock, inputs.size() - done)));
    }
    result_.cpu_seconds = ThreadSeconds() - start;
    return result_;
  }

 private:
  // Evaluates the golden function at inputs_, which are as long as the storage of the type.
  void Golden(int count) {
    options_.golden(function_, type_, reinterpret_cast<const std::byte*>(inputs_),
                    reinterpret_cast<std::byte*>(outputs_), count, context_);
    result_.inputs += count;
  }

  // The result of a run of inputs of each sign, where it is the same for all.
  void FindConstants(const Magnitudes& run) {
    if (!IsMonotoneBySign(function_)) return;
    const uint32_t last = run.first + (run.count - 1) * run.stride;
    for (const uint32_t sign : {0u, kSign}) {
      const auto low = PatternByMpfr(function_, type_, std::bit_cast<float>(run.first | sign));
      const auto high = PatternByMpfr(function_, type_, std::bit_cast<float>(last | sign));
      constant_[sign != 0] = low == high ? low : std::nullopt;
    }
  }

  void QuickBlock(int count) {
    for (int i = 0; i < kBlock; ++i) x_[i] = std::bit_cast<float>(pattern_[i]);
    const Symmetry symmetry = SymmetryOf(function_);
    for (const uint32_t sign : {0u, kSign}) {
      for (int i = 0; i < kBlock; ++i) inputs_[i] = pattern_[i] | sign;
      Golden(count);
      result_.hash += kHash(inputs_, outputs_, count);
      if (const auto constant = constant_[sign != 0]) {
        CheckConstant(static_cast<uint32_t>(*constant), count);
        continue;
      }
      if (sign == 0 || symmetry == Symmetry::kNone) {
        if (sign != 0) Negate(x_);
        references_.Scalar(x_, a_);
        references_.Vector(x_, b_);
      } else if (symmetry == Symmetry::kOdd) {
        Negate(a_);
        Negate(b_);
      }
      CheckReferences(count);
    }
  }

  static void Negate(double* x) {
    for (int i = 0; i < kBlock; ++i) x[i] = -x[i];
  }

  void CheckConstant(uint32_t expected, int count) {
    result_.by_monotony += count;
    for (int i = 0; i < count; ++i) {
      if (!SameValue(type_, outputs_[i], expected)) AskMpfr(inputs_[i], outputs_[i]);
    }
  }

  void CheckReferences(int count) {
    for (int i = count; i < kBlock; ++i) outputs_[i] = outputs_[0];
    alignas(8) uint8_t doubtful[kBlock];
    kExamine(a_, b_, reinterpret_cast<const float*>(outputs_), doubtful);
    for (int word = 0; word < count; word += 8) {
      uint64_t any;
      std::memcpy(&any, doubtful + word, sizeof any);
      if (any == 0) continue;
      for (int i = word; i < std::min(word + 8, count); ++i) {
        if (doubtful[i] != 0) AskMpfr(inputs_[i], outputs_[i]);
      }
    }
  }

  void MpfrBlock(int count) {
    for (const uint64_t sign : {uint64_t{0}, SignBit(type_)}) {
      uint64_t patterns[kBlock];
      for (int i = 0; i < count; ++i) patterns[i] = pattern_[i] | sign;
      CheckPatterns(patterns, count);
    }
  }

  // At most kBlock, all by MPFR.
  void CheckPatterns(const uint64_t* patterns, int count) {
    auto* const inputs = reinterpret_cast<std::byte*>(inputs_);
    for (int i = 0; i < count; ++i) StoreElement(type_, {patterns[i], 0}, inputs, i);
    Golden(count);
    for (int i = 0; i < count; ++i) {
      const uint64_t golden =
          LoadElement(type_, reinterpret_cast<const std::byte*>(outputs_), i).bits;
      result_.hash += Mixed(patterns[i], IsNan(type_, golden) ? CanonicalNan(type_) : golden);
      AskMpfr(patterns[i], golden);
    }
  }

  void AskMpfr(uint64_t input, uint64_t golden) {
    ++result_.by_mpfr;
    const auto expected = PatternByMpfr(function_, type_, DecodeFloat(type_, input));
    if (expected && SameValue(type_, golden, *expected)) return;
    ++result_.mismatches;
    if (result_.first_mismatches.size() < SweepResult::kKept) {
      result_.first_mismatches.push_back({input, golden, expected.value_or(~uint64_t{0})});
    }
  }

  const evaluator::RealFunction function_;
  const ElementType type_;
  const SweepOptions options_;
  const References references_;
  evaluator::RealContext context_;
  SweepResult result_;
  std::optional<uint64_t> constant_[2];  // by sign
  uint32_t pattern_[kBlock];
  uint32_t inputs_[2 * kBlock], outputs_[2 * kBlock];  // room for f64
  double x_[kBlock], a_[kBlock], b_[kBlock];
};

}  // namespace

Magnitudes AllMagnitudes(ElementType type) { return {0, static_cast<uint32_t>(SignBit(type)), 1}; }

void SweepResult::Merge(const SweepResult& other) {
  inputs += other.inputs;
  by_mpfr += other.by_mpfr;
  by_monotony += other.by_monotony;
  mismatches += other.mismatches;
  for (const Mismatch& mismatch : other.first_mismatches) {
    if (first_mismatches.size() < kKept) first_mismatches.push_back(mismatch);
  }
  hash += other.hash;
  tiers.Merge(other.tiers);
  cpu_seconds += other.cpu_seconds;
}

SweepResult Sweep(evaluator::RealFunction function, ElementType type, const Magnitudes& magnitudes,
                  const SweepOptions& options) {
  return Sweeper(function, type, options).Run(magnitudes);
}

SweepResult SweepInputs(evaluator::RealFunction function, ElementType type,
                        const std::vector<uint64_t>& inputs, const SweepOptions& options) {
  return Sweeper(function, type, options).Run(inputs);
}

std::optional<uint64_t> PatternByMpfr(evaluator::RealFunction function, ElementType type,
                                      double x) {
  // Decision F-3 of the catalogue; MPFR has +inf.
  if (function == evaluator::RealFunction::kRsqrt && x == 0) return Infinity(type, std::signbit(x));
  return RoundedByMpfr(type, [&](Mpfr& out) {
    mpfr_set_d(out, x, MPFR_RNDN);
    RowOf(function).oracle(out, out, MPFR_RNDN);
    return false;  // results that MPFR has exactly are no boundaries of rounding
  });
}

double ThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

const char* NameOf(evaluator::RealFunction function) { return RowOf(function).name; }

std::optional<evaluator::RealFunction> FunctionNamed(const char* name) {
  for (const NamedFunction& row : kNamedFunctions) {
    if (std::strcmp(row.name, name) == 0) return row.function;
  }
  return std::nullopt;
}

}  // namespace assay::conformance::prove
