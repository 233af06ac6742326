// Operations of StableHLO whose sizes, windows or paddings are operands: when these are known, the
// call is an operation of HLO on arrays of static sizes. Tests: custom_call_dynamic_test.cc.
#ifndef ASSAY_INTERPRETER_CUSTOM_CALLS_STATIC_OPERATION_H_
#define ASSAY_INTERPRETER_CUSTOM_CALLS_STATIC_OPERATION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "interpreter/custom_calls/targets.h"
#include "spec/ir/module.h"

namespace assay::custom_calls {

// An operation that stands for a call, run once.
class StaticOperation {
 public:
  // Its shape is the declared one of the call until another is set: rules look at it.
  StaticOperation(const CustomCall& call, Opcode opcode);

  void Set(Attr attr, AttributeValue value) { op_->SetAttribute(attr, std::move(value)); }
  void set_shape(Shape shape) { op_->set_shape(std::move(shape)); }
  // The value of the call: what the operation gives for the arrays, which may have sizes below
  // their bounds. INVALID_ARGUMENT where the rule of the operation refuses them, and where its
  // result does not have the declared shape; shows both.
  absl::StatusOr<Literal> Run(std::vector<Literal> operands);

 private:
  const CustomCall& call_;
  std::unique_ptr<Instruction> op_;
};

// The elements of an operand of these sizes, which must be integers.
absl::StatusOr<std::vector<int64_t>> IntegersOf(const CustomCall& call, size_t operand,
                                                const Dimensions& sizes);

}  // namespace assay::custom_calls

#endif  // ASSAY_INTERPRETER_CUSTOM_CALLS_STATIC_OPERATION_H_
