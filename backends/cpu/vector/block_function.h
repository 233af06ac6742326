// Elementwise operations on blocks of elements: one function object per instruction, for every
// elementwise opcode and every element type that it admits.
//
// Basic operations (add, multiply, divide, convert ...) are rounded correctly. Elementary functions
// have the errors of docs/cpu_accuracy.md. A result does not depend on how the elements are split
// into calls, on alignment, or on the instruction set. The floating-point environment must be that
// of runtime/float_environment.h. Tests: block_function_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_BLOCK_FUNCTION_H_
#define ASSAY_BACKENDS_CPU_VECTOR_BLOCK_FUNCTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cpu/vector/block_program.h"
#include "spec/ir/module.h"

namespace assay::cpu {

// Cheap to copy; safe from several threads.
class BlockFunction {
 public:
  // Computes `n` elements. Operands and result are dense in the storage of their types (types
  // narrower than a byte take one each) and need not be aligned. The result may be exactly the
  // storage of an operand, but must not overlap one otherwise. An operand that is a scalar where
  // the result is an array (the predicate of select, the bounds of clamp) is one element.
  void operator()(absl::Span<const std::byte* const> operands, std::byte* result, int64_t n) const;

 private:
  friend absl::StatusOr<BlockFunction> FindBlockFunction(const Instruction& instruction);
  explicit BlockFunction(std::shared_ptr<const BlockProgram> program)
      : program_(std::move(program)) {}
  // The results of all 256 bytes, for functions of one operand of 8 bits or less, which are
  // computed in double.
  void MakeTable();

  std::shared_ptr<const BlockProgram> program_;
  std::shared_ptr<const std::array<std::byte, 256>> table_;
};

// The function of an elementwise instruction, of copy, or of a bitcast-convert between types of
// equal width. The instruction need not outlive the function. UNIMPLEMENTED names an instruction
// that has none.
absl::StatusOr<BlockFunction> FindBlockFunction(const Instruction& instruction);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_BLOCK_FUNCTION_H_
