// The second tier compiles lane code to machine code, for chains of cheap operations, whose values
// then stay in registers, and for loops on few elements. Compiling takes microseconds, and the code
// gives the bits of the block kernels. All functions return null if the CPU lacks AVX2 or memory
// may not be made executable; the kernels then do all the work. Tests: native_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_NATIVE_NATIVE_CODE_H_
#define ASSAY_BACKENDS_CPU_VECTOR_NATIVE_NATIVE_CODE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/vector/native/lane_code.h"

namespace assay::cpu {

// A piece of compiled code. Thread-safe.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  // The number of elements of a vector. A call processes whole vectors.
  virtual int64_t elements() const = 0;
  // A straight line computes n elements at the addresses of the arrays; n is a multiple of
  // elements(). A loop runs at most n iterations on elements() elements, with the arrays of the
  // state first, and returns the number of iterations that ran, which is less than n if the
  // condition became false.
  virtual int64_t Call(const std::byte* const* arrays, int64_t n) const = 0;
};

// Returns true if this CPU supports compiled code.
bool NativeCodeRuns();
// The number of elements of one vector of the code.
int64_t VectorElements(const LaneCode& code);

std::unique_ptr<const NativeCode> CompileLine(const LaneCode& code);

// A loop whose state has `state` arrays of whole vectors. Values of kind kState are its leaves. The
// first `condition_steps` steps compute `condition`, whose first element decides; `next` has the
// value that each leaf gets.
struct LaneLoop {
  LaneCode code;
  int32_t condition = 0;
  int32_t condition_steps = 0;
  std::vector<int32_t> state;  // the value of each leaf
  std::vector<int32_t> next;
};
// `vectors`: of the lanes of a call, 1 or 2.
std::unique_ptr<const NativeCode> CompileLoop(const LaneLoop& loop, int vectors);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_NATIVE_NATIVE_CODE_H_
