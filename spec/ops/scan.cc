// scan: carries values along a dimension, one step per position.
//   scan_c1 0 <= num_carries <= operands
//   scan_c2 operands are arrays
//   scan_c3 the dimension is in range of every input, whose sizes along it are equal
//   scan_c4 to_apply takes inputs without the dimension, then the carries
//   scan_c5 and returns outputs, then carries (shaped as they came in)
//   scan_c6 without inputs, the declared shape says how many steps
//   scan_c7 the dimension fits into every output
// Source: reference ops_structural.md 6.1. Tests: spec/verify/testdata/reduction.cases.
#include "spec/ops/rules.h"

namespace assay {
namespace {

Shape WithoutDimension(const Shape& shape, int64_t dimension) {
  Dimensions sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.erase(sizes.begin() + dimension);
  return Shape(shape.element_type(), sizes);
}

// Sizes of the inputs along the dimension; of the first output where there is no input.
absl::StatusOr<int64_t> StepCount(const Instruction& scan, int64_t inputs, int64_t outputs,
                                  int64_t dimension) {
  for (int64_t k = 0; k < inputs; ++k) {
    const Shape& input = scan.operand(k)->shape();
    ASSAY_RETURN_IF_ERROR(RequireDimension(scan, "scan_c3", "dimensions", dimension, input.rank()));
    ASSAY_REQUIRE(scan, "scan_c3",
                  input.dimension(dimension) == scan.operand(0)->shape().dimension(dimension),
                  "inputs must have equal sizes in dimension ", dimension, ", found ",
                  scan.operand(0)->shape().ToString(), " and ", input.ToString());
  }
  if (inputs > 0) return scan.operand(0)->shape().dimension(dimension);
  const Shape& declared = scan.shape();
  ASSAY_REQUIRE(scan, "scan_c6",
                outputs > 0 && declared.is_tuple() && !declared.tuple_shapes().empty() &&
                    dimension >= 0 && dimension < declared.tuple_shape(0).rank(),
                "there is neither an input nor a declared output to count the steps");
  return declared.tuple_shape(0).dimension(dimension);
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kScan>(const Instruction& scan) {
  const int64_t carries = scan.GetInt(Attr::kNumCarries);
  const int64_t inputs = scan.operand_count() - carries;
  ASSAY_REQUIRE(scan, "scan_c1", carries >= 0 && inputs >= 0, "num_carries must lie in [0, ",
                scan.operand_count(), "], found ", carries);
  ASSAY_RETURN_IF_ERROR(RequireArrays(scan, "scan_c2"));
  const absl::StatusOr<Signature> signature = SignatureOf(scan, scan.to_apply());
  if (!signature.ok()) return signature.status();
  const absl::string_view name = scan.to_apply()->name();
  const Shape& result = *signature->result;
  const int64_t results = static_cast<int64_t>(result.tuple_shapes().size());
  const int64_t outputs = results - carries;
  ASSAY_REQUIRE(scan, "scan_c5", result.is_tuple() && outputs >= 0, name,
                " must return a tuple that ends with ", carries, " carries, found ",
                result.ToString());
  const int64_t dimension = scan.GetInt(Attr::kDimension);
  const absl::StatusOr<int64_t> steps = StepCount(scan, inputs, outputs, dimension);
  if (!steps.ok()) return steps.status();

  const auto& parameters = signature->parameters;
  ASSAY_REQUIRE(scan, "scan_c4", static_cast<int64_t>(parameters.size()) == scan.operand_count(),
                name, " must have ", scan.operand_count(), " parameters, found ",
                parameters.size());
  for (int64_t k = 0; k < scan.operand_count(); ++k) {
    const Shape& operand = scan.operand(k)->shape();
    const Shape expected = k < inputs ? WithoutDimension(operand, dimension) : operand;
    ASSAY_REQUIRE(scan, "scan_c4", Shape::Compatible(*parameters[k], expected), "parameter ", k,
                  " of ", name, " must be ", expected.ToString(), ", found ",
                  parameters[k]->ToString());
  }
  std::vector<Shape> shapes;
  for (int64_t k = 0; k < results; ++k) {
    const Shape& part = result.tuple_shape(k);
    if (k >= outputs) {
      const Shape& carry = scan.operand(inputs + k - outputs)->shape();
      ASSAY_REQUIRE(scan, "scan_c5", Shape::Compatible(part, carry), "carry ", k - outputs,
                    " comes in as ", carry.ToString(), " and leaves as ", part.ToString());
      shapes.push_back(carry);
      continue;
    }
    ASSAY_REQUIRE(scan, "scan_c7", part.is_array() && dimension >= 0 && dimension <= part.rank(),
                  "output ", k, " cannot be stacked along dimension ", dimension, ", found ",
                  part.ToString());
    Dimensions sizes(part.dimensions().begin(), part.dimensions().end());
    sizes.insert(sizes.begin() + dimension, *steps);
    shapes.push_back(Shape(part.element_type(), sizes));
  }
  return Shape::Tuple(std::move(shapes));
}

}  // namespace assay
