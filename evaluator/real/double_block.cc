// Vectors of four (AVX2) or eight (AVX-512) doubles, chosen by the CPU at run time. The library's
// vector functions differ from its scalar ones by at most 4 units on all f32 arguments (reference
// accuracy_design.md 4); the bound of the tier is 256. Tests: function_blocks_test.cc.
#include "evaluator/real/double_block.h"

#include <algorithm>

#include "evaluator/real/hardware_tiers.h"
#include "runtime/processor.h"

// Defined by the build where the library has the functions. ASSAY_PORTABLE: see hardware_tiers.h.
#if defined(ASSAY_HAS_VECTOR_FUNCTIONS) && !defined(ASSAY_PORTABLE)
#define ASSAY_USE_VECTOR_FUNCTIONS
#endif

namespace assay::evaluator::real {
namespace {

void OneByOne(RealFunction function, double* x, int64_t count) {
  const DoubleFunction f = DoubleFunctionOf(function);
  for (int64_t i = 0; i < count; ++i) x[i] = f(x[i]);
}
void OneByOne(RealFunction2 function, double* a, const double* b, int64_t count) {
  const DoubleFunction2 f = DoubleFunctionOf(function);
  for (int64_t i = 0; i < count; ++i) a[i] = f(a[i], b[i]);
}

}  // namespace

#if defined(ASSAY_USE_VECTOR_FUNCTIONS)

namespace {

int64_t WholeVectors(int64_t count) { return (count + kMostLanes - 1) / kMostLanes * kMostLanes; }
// An argument in the domain of every function, and a fast one.
void Pad(double* x, int64_t count) { std::fill(x + count, x + WholeVectors(count), 1.0); }

}  // namespace

Lanes MostLanes() {
  if (runtime::Supports(runtime::InstructionSet::kAvx512)) return Lanes::kEight;
  return runtime::Supports(runtime::InstructionSet::kAvx2) ? Lanes::kFour : Lanes::kOne;
}

void DoubleBlock(RealFunction function, Lanes lanes, double* x, int64_t count) {
  if (lanes == Lanes::kOne) return OneByOne(function, x, count);
  Pad(x, count);
  if (lanes == Lanes::kFour) return Block4(function, x, WholeVectors(count));
  Block8(function, x, WholeVectors(count));
}

void DoubleBlock(RealFunction2 function, Lanes lanes, double* a, double* b, int64_t count) {
  if (lanes == Lanes::kOne) return OneByOne(function, a, b, count);
  Pad(a, count);
  Pad(b, count);
  if (lanes == Lanes::kFour) return Block4(function, a, b, WholeVectors(count));
  Block8(function, a, b, WholeVectors(count));
}

#else

Lanes MostLanes() { return Lanes::kOne; }

void DoubleBlock(RealFunction function, Lanes, double* x, int64_t count) {
  OneByOne(function, x, count);
}
void DoubleBlock(RealFunction2 function, Lanes, double* a, double* b, int64_t count) {
  OneByOne(function, a, b, count);
}

#endif

}  // namespace assay::evaluator::real
