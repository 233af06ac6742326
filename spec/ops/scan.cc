// scan: carries values along a dimension, one step per position.
//   scan_c1 0 <= num_carries <= operands
//   scan_c2 operands are arrays
//   scan_c3 the dimension is in range of every input, whose sizes along it are equal
//   scan_c4 to_apply takes inputs without the dimension, then the carries (fp-mix)
//   scan_c5 and returns outputs, then carries (shaped as they came in; fp-mix)
//   scan_c6 without inputs, the declared shape says how many steps
//   scan_c7 the dimension fits into every output
//   scan_c8 (strict) operands, parameters and results are of one precision
// Source: reference ops_structural.md 6.1. Tests: spec/verify/testdata/reduction.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

Shape WithoutDimension(const Shape& shape, int64_t dimension) {
  Dimensions sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.erase(sizes.begin() + dimension);
  return Shape(shape.element_type(), sizes);
}

// The elements of a tuple; a shape that is none stands for itself.
absl::Span<const Shape> Parts(const Shape& shape) {
  return shape.is_tuple() ? shape.tuple_shapes() : absl::MakeConstSpan(&shape, 1);
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
  const absl::Span<const Shape> declared = Parts(scan.shape());
  ASSAY_REQUIRE(
      scan, "scan_c6",
      outputs > 0 && !declared.empty() && dimension >= 0 && dimension < declared[0].rank(),
      "there is neither an input nor a declared output to count the steps");
  return declared[0].dimension(dimension);
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
  const absl::Span<const Shape> parts = Parts(*signature->result);
  const int64_t results = static_cast<int64_t>(parts.size());
  const int64_t outputs = results - carries;
  ASSAY_REQUIRE(scan, "scan_c5", outputs >= 0, name, " must return a tuple that ends with ",
                carries, " carries, found ", signature->result->ToString());
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
    ASSAY_REQUIRE(scan, "scan_c4", TypesMix(*parameters[k], expected), "parameter ", k, " of ",
                  name, " must be ", expected.ToString(), ", found ", parameters[k]->ToString());
  }
  std::vector<Shape> shapes;
  for (int64_t k = 0; k < results; ++k) {
    const Shape& part = parts[k];
    if (k >= outputs) {
      const Shape& carry = scan.operand(inputs + k - outputs)->shape();
      ASSAY_REQUIRE(scan, "scan_c5", TypesMix(part, carry), "carry ", k - outputs, " comes in as ",
                    carry.ToString(), " and leaves as ", part.ToString());
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
  // One result stands alone or in a tuple, as declared.
  const bool alone = results == 1 && !ShapeIsOpen(scan) && !scan.shape().is_tuple();
  return OneOrTuple(std::move(shapes), !alone);
}

absl::Status CheckScanStrictly(const Instruction& scan) {
  const std::vector<Instruction*> parameters = scan.to_apply()->parameters();
  for (size_t k = 0; k < parameters.size(); ++k) {
    const Shape& operand = scan.operand(static_cast<int64_t>(k))->shape();
    ASSAY_REQUIRE(scan, "scan_c8", parameters[k]->shape().element_type() == operand.element_type(),
                  "parameter ", k, " must be of ", Name(operand.element_type()), ", found ",
                  parameters[k]->shape().ToString());
  }
  const int64_t carries = scan.GetInt(Attr::kNumCarries);
  const absl::Span<const Shape> parts = Parts(scan.to_apply()->root()->shape());
  const int64_t first_carry = static_cast<int64_t>(parts.size()) - carries;
  for (int64_t k = 0; k < carries; ++k) {
    const Shape& carry = scan.operand(scan.operand_count() - carries + k)->shape();
    ASSAY_REQUIRE(scan, "scan_c8", Shape::Compatible(parts[first_carry + k], carry), "carry ", k,
                  " comes in as ", carry.ToString(), " and leaves as ",
                  parts[first_carry + k].ToString());
  }
  return absl::OkStatus();
}

}  // namespace assay
