// Builds block programs: it lowers instructions to kernels on registers and assigns places to
// registers. Tests: block_program_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_PROGRAM_BUILDER_H_
#define ASSAY_BACKENDS_CPU_VECTOR_PROGRAM_BUILDER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cpu/vector/block_program.h"
#include "backends/cpu/vector/kernel_table.h"
#include "spec/element/element.h"
#include "spec/ir/module.h"

namespace assay::cpu {

class ProgramBuilder {
 public:
  // The number of an element in a program: an input, a constant, or the result of an instruction.
  using Value = int32_t;

  explicit ProgramBuilder(const KernelTable& kernels) : kernels_(kernels) {}

  // Inputs are numbered in the order of the calls. A uniform input is one element for a whole run.
  Value AddInput(ElementType type, bool uniform = false);
  Value AddConstant(ElementType type, Element element);
  // Adds an instruction. Returns UNIMPLEMENTED if there is no kernel for it.
  absl::StatusOr<Value> AddInstruction(const Instruction& instruction,
                                       absl::Span<const Value> operands);
  void AddOutput(Value value) { outputs_.push_back(value); }

  // Returns the program. The builder must not be used afterwards.
  std::unique_ptr<BlockProgram> Build();

 private:
  using Register = int32_t;
  static constexpr Register kNone = -1;

  // An element may be at hand as a lane, in the form of its storage, or both.
  struct ValueForms {
    ElementType type;
    Register lane = kNone;
    Register storage = kNone;
  };
  struct RegisterInfo {
    int32_t bytes = 0;  // of an element
    bool uniform = false;
    bool placed = false;
    Place place;
    int32_t constant = kNone;  // the number of the constant that fills it
  };
  struct Step {
    BlockKernel kernel = nullptr;
    KernelParameters parameters;
    absl::InlinedVector<Register, 3> operands;
    Register result = kNone;
    int32_t multiplicity = 1;
  };

  Register NewRegister(int32_t bytes, bool uniform);
  Register Emit(BlockKernel kernel, absl::Span<const Register> operands, int32_t result_bytes,
                const KernelParameters& parameters = {}, int32_t multiplicity = 1);
  Value NewValue(ElementType type, Register lane, Register storage);
  Register LaneForm(Value value);
  Register StorageForm(Value value);
  // A kernel's result as a lane of the type: rounded or wrapped where the type is narrower.
  Value Normalised(ElementType type, Register result);
  Register Converted(Lane to, Lane from, Register operand, int32_t bits);
  Register OddFloat(Lane from, Register operand);

  absl::StatusOr<Value> Unimplemented(const Instruction& instruction) const;
  absl::StatusOr<Value> AddGeneric(const Instruction& instruction,
                                   absl::Span<const Value> operands);
  absl::StatusOr<Value> AddByDouble(const Instruction& instruction,
                                    absl::Span<const Value> operands);
  absl::StatusOr<Value> AddBitcast(const Instruction& instruction, Value operand);
  absl::StatusOr<Value> AddSelect(absl::Span<const Value> operands);
  absl::StatusOr<Value> AddCompare(const Instruction& instruction,
                                   absl::Span<const Value> operands);
  absl::StatusOr<Value> AddStochasticConvert(const Instruction& instruction,
                                             absl::Span<const Value> operands);
  Value AddConvert(Value operand, ElementType to);
  Value AddReducePrecision(const Instruction& instruction, Value operand);

  std::vector<Step> LiveSteps();
  void PlaceRegisters(absl::Span<const Step> steps);
  BoundStep Bind(const Step& step) const;
  // The runs of steps that the second tier may compile (native/); null where there are none.
  // `steps`: those of a block, with places.
  std::unique_ptr<const NativeProgram> FindNativeRuns(absl::Span<const Step> steps) const;
  friend class NativeRunBuilder;

  const KernelTable& kernels_;
  std::vector<ValueForms> values_;
  std::vector<RegisterInfo> registers_;
  std::vector<Step> steps_;
  std::vector<Value> outputs_;
  std::vector<std::array<std::byte, 16>> constants_;
  std::vector<BlockProgram::Input> inputs_;
  std::vector<std::shared_ptr<const PrecisionRule>> rules_;
  int64_t scratch_bytes_per_element_ = 0;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_PROGRAM_BUILDER_H_
