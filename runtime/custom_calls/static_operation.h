// Calls that stand for an operation of HLO. Those of StableHLO whose sizes, windows or paddings are
// operands are one on arrays of static sizes when these are known. Tests:
// backends/factory/custom_call_dynamic_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_STATIC_OPERATION_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_STATIC_OPERATION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/custom_calls/targets.h"
#include "spec/ir/module.h"

namespace assay::runtime::custom_calls {

// An operation that stands for a call, run once.
class StaticOperation {
 public:
  // Its shape is the declared one of the call until another is set: rules look at it.
  StaticOperation(const CustomCall& call, Opcode opcode);

  void Set(Attr attr, AttributeValue value) { op_->SetAttribute(attr, std::move(value)); }
  void set_shape(Shape shape) { op_->set_shape(std::move(shape)); }
  // The results of the operation for the arrays, which may have sizes below their bounds.
  // INVALID_ARGUMENT where the rule of the operation refuses them.
  absl::StatusOr<std::vector<Literal>> Results(std::vector<Literal> operands);
  // Such results under the declared shapes of the call: of their sizes, or with bounds that these
  // do not exceed.
  absl::StatusOr<std::vector<Literal>> AsDeclared(std::vector<Literal> results) const;
  // The value of the call: these results. INVALID_ARGUMENT, too, where they do not have the
  // declared shape; shows both.
  absl::StatusOr<Literal> Run(std::vector<Literal> operands);

 private:
  const CustomCall& call_;
  std::unique_ptr<Instruction> op_;
};

// The elements of an operand of these sizes, which must be integers.
absl::StatusOr<std::vector<int64_t>> IntegersOf(const CustomCall& call, size_t operand,
                                                const Dimensions& sizes);

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_STATIC_OPERATION_H_
