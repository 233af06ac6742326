// Targets that turn arrays of dynamic size into data and sizes, and back. Tests:
// custom_call_test.cc.
#include "absl/strings/str_cat.h"
#include "runtime/custom_calls/targets.h"

namespace assay::runtime::custom_calls {
namespace {

// The sizes are the last `rank` of operands or results, each an integer scalar.
bool AreSizes(absl::Span<const Shape* const> shapes, int64_t rank) {
  if (static_cast<int64_t>(shapes.size()) != rank) return false;
  for (const Shape* shape : shapes) {
    if (!shape->is_scalar() || !IsInteger(shape->element_type())) return false;
  }
  return true;
}

absl::StatusOr<Literal> PadToStatic(const CustomCall& call) {
  if (absl::Status status = WantOperands(call, 1); !status.ok()) return status;
  const Literal& data = call.operands[0];
  const std::vector<const Shape*> shapes = ResultShapes(call);
  if (!data.is_array() || !Shape::Compatible(data.shape(), *shapes[0]) || shapes[0]->is_dynamic() ||
      !AreSizes(absl::MakeConstSpan(shapes).subspan(1), data.shape().rank())) {
    return BadCall(call, "the result is the array of the bounds and a size for each dimension");
  }
  absl::StatusOr<Literal> padded = call.Zeros(*shapes[0]);
  if (!padded.ok()) return padded;
  const Dimensions sizes = data.current_sizes();
  CopyBox(data, sizes, Dimensions(sizes.size(), 0), &*padded);
  std::vector<Literal> results = {*std::move(padded)};
  for (size_t d = 0; d < sizes.size(); ++d) {
    const ElementType type = shapes[d + 1]->element_type();
    results.push_back(
        Literal::Scalar(type, {EncodeInteger(type, static_cast<uint64_t>(sizes[d]))}));
  }
  return AsResult(call, std::move(results));
}

absl::StatusOr<Literal> SliceToDynamic(const CustomCall& call) {
  const Shape& shape = call.instruction.shape();
  std::vector<const Shape*> given;
  for (const Literal& operand : call.operands) given.push_back(&operand.shape());
  if (!shape.is_array() || given.empty() || !Shape::Compatible(*given[0], shape) ||
      !AreSizes(absl::MakeConstSpan(given).subspan(1), shape.rank())) {
    return BadCall(call, "an array and a size for each dimension give an array of dynamic size");
  }
  Dimensions sizes;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const Literal& operand = call.operands[d + 1];
    const int64_t size = DecodeSigned(operand.element_type(), operand.Get(0).bits);
    if (size < 0 || size > shape.dimension(d) ||
        (!shape.is_dynamic_dimension(d) && size != shape.dimension(d))) {
      return BadCall(call, absl::StrCat("dimension ", d, " cannot have ", size, " elements"));
    }
    sizes.push_back(size);
  }
  absl::StatusOr<Literal> result = call.Zeros(shape);
  if (!result.ok()) return result;
  CopyBox(call.operands[0], sizes, Dimensions(sizes.size(), 0), &*result);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (shape.is_dynamic_dimension(d)) result->set_dynamic_size(d, sizes[d]);
  }
  return result;
}

// The bounds are those of the declared shape.
absl::StatusOr<Literal> SetBound(const CustomCall& call) {
  if (call.operands.empty() ||
      !Shape::Compatible(call.operands[0].shape(), call.instruction.shape())) {
    return BadCall(call, "the result is the first operand");
  }
  return call.operands[0];
}

}  // namespace

Targets DynamicSizeTargets() {
  return {{"PadToStatic", PadToStatic}, {"SliceToDynamic", SliceToDynamic}, {"SetBound", SetBound}};
}

}  // namespace assay::runtime::custom_calls
