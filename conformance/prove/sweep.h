// Proof of a real function over a set of inputs: every golden result is the exact one rounded once.
//
// f32, the quick proof: two unrelated double implementations (references.h) round to the golden
// pattern, lie within 2^-45 of each other and farther than 2^-37 from every boundary of rounding,
// relatively. To err there, both would have to be wrong alike by more than 2^15 units. Where the
// function is monotone and MPFR rounds both ends of a long run of inputs alike, so does everything
// between (saturation, NaN). Every other input, and every input of the other types, is decided by
// MPFR at 128 bits and more. A mismatch is always MPFR's word. Source: reference
// accuracy_design.md 11.3. Tests: prove_test.cc.
#ifndef ASSAY_CONFORMANCE_PROVE_SWEEP_H_
#define ASSAY_CONFORMANCE_PROVE_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/real/real_functions.h"

namespace assay::conformance::prove {

// The magnitudes first, first + stride, ... (patterns without the sign bit), `count` of them, each
// with both signs.
struct Magnitudes {
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t stride = 1;
};
// All magnitudes of f32, f16 or bf16, NaNs included.
Magnitudes AllMagnitudes(ElementType type);

// What is under proof: EvaluateBlock, or something wrong in the tests of the proof.
using BlockFunction = void (*)(evaluator::RealFunction, ElementType, const std::byte*, std::byte*,
                               int64_t, const evaluator::RealContext&);

struct SweepOptions {
  BlockFunction golden = evaluator::EvaluateBlock;
  evaluator::RealTier first_tier = evaluator::RealTier::kExact;
  bool mpfr_alone = false;  // f32 without the quick proof
};

struct Mismatch {
  uint64_t input = 0;
  uint64_t golden = 0;
  uint64_t expected = 0;
};

struct SweepResult {
  uint64_t inputs = 0;
  uint64_t by_mpfr = 0;
  uint64_t by_monotony = 0;
  uint64_t mismatches = 0;
  std::vector<Mismatch> first_mismatches;  // at most kKept
  // Of inputs and golden results (every NaN counts as one), independent of the order: equal hashes,
  // equal functions.
  uint64_t hash = 0;
  evaluator::RealStats tiers;
  double cpu_seconds = 0;

  static constexpr size_t kKept = 8;
  void Merge(const SweepResult& other);
};

// f32, f16 or bf16. Without libmvec, f32 is left to MPFR.
SweepResult Sweep(evaluator::RealFunction function, ElementType type, const Magnitudes& magnitudes,
                  const SweepOptions& options = {});

// Any float type, any inputs (patterns), all by MPFR.
SweepResult SweepInputs(evaluator::RealFunction function, ElementType type,
                        const std::vector<uint64_t>& inputs, const SweepOptions& options = {});

// The pattern that the exact value rounds to, by MPFR. Nothing where 4096 bits do not decide.
std::optional<uint64_t> PatternByMpfr(evaluator::RealFunction function, ElementType type, double x);

// CPU time of the calling thread.
double ThreadSeconds();

const char* NameOf(evaluator::RealFunction function);
std::optional<evaluator::RealFunction> FunctionNamed(const char* name);
inline constexpr int kProvenFunctions = static_cast<int>(evaluator::RealFunction::kTanh) + 1;

}  // namespace assay::conformance::prove

#endif  // ASSAY_CONFORMANCE_PROVE_SWEEP_H_
