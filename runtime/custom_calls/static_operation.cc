// Tests: backends/factory/custom_call_dynamic_test.cc.
#include "runtime/custom_calls/static_operation.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/element/index_value.h"
#include "spec/ops/shape_inference.h"

namespace assay::runtime::custom_calls {
namespace {

// The elements within the current sizes, as an array of these sizes.
absl::StatusOr<Literal> WithoutPadding(const CustomCall& call, const Literal& array) {
  if (!array.shape().is_dynamic()) return array;
  const Dimensions sizes = array.current_sizes();
  absl::StatusOr<Literal> cut = call.Zeros(Shape(array.element_type(), sizes));
  if (cut.ok()) CopyBox(array, sizes, Dimensions(sizes.size(), 0), &*cut);
  return cut;
}

// An array under the declared shape: of its sizes, or with bounds that these do not exceed.
absl::StatusOr<Literal> UnderShape(const CustomCall& call, Literal array, const Shape& declared) {
  const Shape& found = array.shape();
  bool fits = declared.is_array() && declared.element_type() == found.element_type() &&
              declared.rank() == found.rank();
  for (int64_t d = 0; fits && d < found.rank(); ++d) {
    fits = found.dimension(d) == declared.dimension(d) ||
           (declared.is_dynamic_dimension(d) && found.dimension(d) < declared.dimension(d));
  }
  if (!fits) {
    return BadCall(call, absl::StrCat("its operands make the result ", found.ToString(),
                                      ", which is declared ", declared.ToString()));
  }
  if (!declared.is_dynamic()) return array;
  absl::StatusOr<Literal> result = call.Zeros(declared);
  if (!result.ok()) return result;
  const Dimensions sizes = array.current_sizes();
  CopyBox(array, sizes, Dimensions(sizes.size(), 0), &*result);
  for (int64_t d = 0; d < declared.rank(); ++d) {
    if (declared.is_dynamic_dimension(d)) result->set_dynamic_size(d, sizes[d]);
  }
  return result;
}

}  // namespace

StaticOperation::StaticOperation(const CustomCall& call, Opcode opcode)
    : call_(call), op_(std::make_unique<Instruction>(opcode, call.instruction.shape())) {
  op_->set_name(call.instruction.name());
  op_->set_position(call.instruction.position());
}

absl::StatusOr<std::vector<Literal>> StaticOperation::Results(std::vector<Literal> operands) {
  std::vector<std::unique_ptr<Instruction>> parameters;
  std::vector<ArrayRef> inputs;
  for (Literal& operand : operands) {
    if (!operand.is_array()) return BadCall(call_, "its operands must be arrays");
    absl::StatusOr<Literal> array = WithoutPadding(call_, operand);
    if (!array.ok()) return array.status();
    operand = *std::move(array);
    parameters.push_back(std::make_unique<Instruction>(Opcode::kParameter, operand.shape()));
    parameters.back()->set_name(
        call_.instruction.operand(static_cast<int64_t>(parameters.size()) - 1)->name());
    op_->AppendOperand(parameters.back().get());
    inputs.push_back({&operand.shape(), operand.data()});
  }
  absl::StatusOr<Shape> shape = InferShape(*op_);
  if (!shape.ok()) return BadCall(call_, shape.status().message());
  op_->set_shape(*std::move(shape));
  if (absl::Status status = CheckInstruction(*op_); !status.ok()) {
    return BadCall(call_, status.message());
  }
  KernelOr kernel = call_.engine.Prepare(*op_);
  if (!kernel.ok()) return kernel.status();
  std::vector<Literal> results;
  for (const Shape* leaf : Leaves(op_->shape())) {
    absl::StatusOr<Literal> result = call_.Zeros(*leaf);
    if (!result.ok()) return result.status();
    results.push_back(*std::move(result));
  }
  std::vector<MutableArrayRef> outputs;
  for (Literal& result : results) outputs.push_back({&result.shape(), result.mutable_data()});
  absl::Status status = (*kernel)->Execute(inputs, outputs, call_.context);
  if (!status.ok()) return status;
  return results;
}

absl::StatusOr<std::vector<Literal>> StaticOperation::AsDeclared(
    std::vector<Literal> results) const {
  const std::vector<const Shape*> declared = ResultShapes(call_);
  if (declared.size() != results.size()) {
    return BadCall(call_, absl::StrCat("the result is ", op_->shape().ToString()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    absl::StatusOr<Literal> result = UnderShape(call_, std::move(results[i]), *declared[i]);
    if (!result.ok()) return result.status();
    results[i] = *std::move(result);
  }
  return results;
}

absl::StatusOr<Literal> StaticOperation::Run(std::vector<Literal> operands) {
  absl::StatusOr<std::vector<Literal>> results = Results(std::move(operands));
  if (!results.ok()) return results.status();
  results = AsDeclared(*std::move(results));
  if (!results.ok()) return results.status();
  return AsResult(call_, *std::move(results));
}

absl::StatusOr<std::vector<int64_t>> IntegersOf(const CustomCall& call, size_t operand,
                                                const Dimensions& sizes) {
  const Literal& array = call.operands[operand];
  const ElementType type = array.shape().element_type();
  const Shape wanted(type, sizes);
  if (!array.is_array() || !IsInteger(type) || !Shape::Compatible(array.shape(), wanted)) {
    return BadCall(
        call, absl::StrCat("operand ", operand, " must be integers [", absl::StrJoin(sizes, ","),
                           "], found ", array.shape().ToString()));
  }
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < array.element_count(); ++i) {
    integers.push_back(IndexValue(type, array.Get(i)));
  }
  return integers;
}

}  // namespace assay::runtime::custom_calls
