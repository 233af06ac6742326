// Elementary functions on bit patterns of elements, correctly rounded: the exact real result of the
// exact operands, rounded once to the type by the rule of the type's row.
//
// A tier computes the value with a proven relative error bound. If both ends of the enclosure round
// to the same bit pattern the result is decided, otherwise the next, more precise tier runs. Every
// tier returns the same bits; only the speed differs. Source: reference accuracy_design.md, special
// values from ops_elementwise_and_types.md 6.10 to 6.12 and 7.5. The bounds are the rows of
// tiers.def. Tests: real_functions_test.cc, complex_functions_test.cc, function_blocks_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_REAL_FUNCTIONS_H_
#define ASSAY_EVALUATOR_REAL_REAL_FUNCTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "spec/element/element.h"
#include "spec/element/element_type.h"

namespace assay::evaluator {

// Functions of one operand.
enum class RealFunction : uint8_t {
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtanh,
  kCbrt,
  kCos,
  kCosh,
  kErf,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kLogistic,
  kRsqrt,
  kSin,
  kSinh,
  kSqrt,
  kTan,
  kTanh,
  kAbs,   // complex only: the modulus, a real element of the component type
  kSign,  // complex only: z / |z|
};
inline constexpr int kRealFunctionCount = static_cast<int>(RealFunction::kSign) + 1;

// Functions of two operands, in HLO's operand order: kAtan2 takes (y, x), kPower (base, exponent).
// kMultiply and kDivide are for complex operands: each component of the exact result, rounded once.
enum class RealFunction2 : uint8_t { kAtan2, kPower, kMultiply, kDivide };

// The tiers in order of precision. An element is counted at the tier that decided it.
enum class RealTier : uint8_t {
  kExact,     // special values, tables, exact cases, integer decisions
  kDouble,    // types of at most 32 bits: the C library in double; f64: sums of two doubles
  kExtended,  // f64: x87 long double, where the platform has it
  kQuad,      // binary128, where the platform has it
  kBig192,
  kBig384,
  kBig768,
  kBig1536,
  kUndecided,  // not decided by kBig1536: rounded from the middle of the enclosure
};
inline constexpr int kRealTierCount = static_cast<int>(RealTier::kUndecided) + 1;

// Counts of components (a complex element has two), by deciding tier.
struct RealStats {
  std::array<int64_t, kRealTierCount> decided{};
  int64_t undecided() const { return decided[static_cast<int>(RealTier::kUndecided)]; }
  void Merge(const RealStats& other) {
    for (int i = 0; i < kRealTierCount; ++i) decided[i] += other.decided[i];
  }
};

// An enclosure of a result that 1536 bits did not decide: the correctly rounded value is `low` or
// `high` (neighbours in the type, in numerical order), component by component. For a decided
// component the two are equal.
struct RealEnclosure {
  bool undecided = false;
  Element low;
  Element high;
};

// Optional inputs and outputs of an evaluation. Must not be shared between threads.
struct RealContext {
  RealStats* stats = nullptr;
  RealEnclosure* enclosure = nullptr;  // written by calls for one element, not for blocks
  // Tiers before this one are skipped (special values and exact cases are not). No result depends
  // on it; tests use it to force every tier. Tables, and vectors in place of the C library's scalar
  // functions, are used only when it is kExact. forced_tier.h does the same for a whole process.
  RealTier first_tier = RealTier::kExact;
};

// Evaluates a real function (not kAbs or kSign) of an element of the float `type`.
Element EvaluateReal(RealFunction function, ElementType type, Element x,
                     const RealContext& context = {});
// Evaluates kAtan2 or kPower of elements of the float `type`.
Element EvaluateReal2(RealFunction2 function, ElementType type, Element a, Element b,
                      const RealContext& context = {});
// Evaluates any function but kErf of an element of `type`, which is c64 or c128. kAbs returns a
// real element (`imag` is zero).
Element EvaluateComplex(RealFunction function, ElementType type, Element z,
                        const RealContext& context = {});
Element EvaluateComplex2(RealFunction2 function, ElementType type, Element a, Element b,
                         const RealContext& context = {});

// Evaluates `count` elements of dense literal storage, real or complex; `out` may be `x`. This is
// faster than element by element, because dispatch, environment and tables are looked up once.
void EvaluateBlock(RealFunction function, ElementType type, const std::byte* x, std::byte* out,
                   int64_t count, const RealContext& context = {});
void EvaluateBlock2(RealFunction2 function, ElementType type, const std::byte* a,
                    const std::byte* b, std::byte* out, int64_t count,
                    const RealContext& context = {});

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_REAL_REAL_FUNCTIONS_H_
