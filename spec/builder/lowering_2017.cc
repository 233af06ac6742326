// What these functions demand beyond the rules of the operations that they make (spec/ops). Tests:
// builder_clauses_test.cc.
//   dynamic_slice_2017_c1 in 2017 slice sizes are 1 or more
//   dynamic_update_slice_2017_c1 in 2017 no dimension of an update is empty
//   sort_c8 keys without a comparator have an order
//   infeed_2017_c1 in 2017 the infeeds of a program are in a total order, across computations too
#include "spec/builder/lowering_2017.h"

#include <algorithm>

#include "spec/builder/control.h"
#include "spec/builder/elementwise.h"
#include "spec/builder/movement.h"
#include "spec/verify/feed_order.h"

namespace assay {
namespace builder_internal {
namespace {

Op SliceOf(Maker& maker, const Op& operand, int64_t dimension, int64_t start, int64_t limit) {
  const Shape& shape = maker.ShapeOf(operand);
  Slices ranges(shape.rank());
  for (int64_t d = 0; d < shape.rank(); ++d) ranges[d].limit = shape.dimension(d);
  ranges[dimension] = {start, limit, 1};
  return maker.Make(Opcode::kSlice, {operand}, {{Attr::kSlice, std::move(ranges)}});
}

// The starts as s64 scalars within [0, size): a start is taken modulo the size it is an index of,
// which its own type need not hold.
std::vector<Op> WrappedStarts(Maker& maker, const Shape& shape, Ops start_indices) {
  std::vector<Op> starts = ScalarStarts(maker, shape, start_indices);
  for (int64_t d = 0; d < shape.rank() && maker.ok(); ++d) {
    const bool is_signed = IsSigned(maker.ShapeOf(starts[d]).element_type());
    const ElementType wide = is_signed ? ElementType::kS64 : ElementType::kU64;
    const Op size = maker.Constant(wide, shape.dimension(d));
    const Op start = maker.Make(Opcode::kConvert, {starts[d]}, {}, Shape::Scalar(wide));
    Op wrapped = maker.Make(Opcode::kRemainder, {start, size});
    if (is_signed) {
      // The remainder has the sign of the start.
      wrapped = maker.Make(Opcode::kAdd, {wrapped, size});
      wrapped = maker.Make(Opcode::kRemainder, {wrapped, size});
    }
    starts[d] = maker.Make(Opcode::kConvert, {wrapped}, {}, Shape::Scalar(ElementType::kS64));
  }
  return starts;
}

// operand[(start + i) mod size] for i in [0, count), along one dimension; start in [0, size).
Op WrappedSlice(Maker& maker, const Op& operand, int64_t dimension, const Op& start,
                int64_t count) {
  if (!maker.ok()) return operand;
  const Shape shape = maker.ShapeOf(operand);
  Op extended = operand;
  if (count > 1) {
    const Op head = SliceOf(maker, operand, dimension, 0, count - 1);
    extended = maker.Make(Opcode::kConcatenate, {operand, head}, {{Attr::kDimension, dimension}});
  }
  std::vector<Op> operands = {extended};
  const Op zero = maker.Constant(ElementType::kS64, 0);
  for (int64_t d = 0; d < shape.rank(); ++d) operands.push_back(d == dimension ? start : zero);
  std::vector<int64_t> sizes = ToVector(shape.dimensions());
  sizes[dimension] = count;
  return maker.Make(Opcode::kDynamicSlice, operands, {{Attr::kDynamicSliceSizes, sizes}});
}

Op Less(absl::Span<const Op> parameters, CallSite site) {
  return LtTotalOrder(parameters[0], parameters[1], {}, site);
}

Op HandOn(absl::Span<const Op> parameters, CallSite) { return parameters[0]; }

}  // namespace

std::vector<Op> ScalarStarts(Maker& maker, const Shape& operand, Ops start_indices) {
  std::vector<Op> starts(start_indices.begin(), start_indices.end());
  if (!maker.ok() || starts.size() != 1) return starts;
  const Op vector = starts[0];
  const Shape shape = maker.ShapeOf(vector);
  // Of another length: left to the rule, which refuses it.
  if (shape.rank() != 1 || shape.dimension(0) != operand.rank()) return starts;
  starts.clear();
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const Op one = SliceOf(maker, vector, 0, d, d + 1);
    starts.push_back(maker.Make(Opcode::kReshape, {one}, {}, Shape::Scalar(shape.element_type())));
  }
  return starts;
}

Op DynamicSlice2017(Maker& maker, const Op& operand, Ops start_indices,
                    absl::Span<const int64_t> slice_sizes) {
  if (!maker.Accepts(Opcode::kDynamicSlice, Join({{operand}, start_indices}),
                     {{Attr::kDynamicSliceSizes, ToVector(slice_sizes)}})) {
    return maker.Wrap(nullptr);
  }
  for (int64_t size : slice_sizes) {
    ASSAY_MAKER_REQUIRE(maker, "dynamic_slice_2017_c1", size > 0,
                        "in 2017 slice sizes must be at least 1, found ", ListText(slice_sizes));
  }
  const Shape shape = maker.ShapeOf(operand);
  const std::vector<Op> starts = WrappedStarts(maker, shape, start_indices);
  Op result = operand;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    result = WrappedSlice(maker, result, d, starts[d], slice_sizes[d]);
  }
  return result;
}

Op DynamicUpdateSlice2017(Maker& maker, const Op& operand, const Op& update, Ops start_indices) {
  if (!maker.Accepts(Opcode::kDynamicUpdateSlice, Join({{operand, update}, start_indices}))) {
    return maker.Wrap(nullptr);
  }
  const Shape shape = maker.ShapeOf(operand);
  for (int64_t size : maker.ShapeOf(update).dimensions()) {
    ASSAY_MAKER_REQUIRE(maker, "dynamic_update_slice_2017_c1", size > 0,
                        "in 2017 no dimension of an update may be empty, found ",
                        maker.ShapeOf(update).ToString());
  }
  const std::vector<Op> starts = WrappedStarts(maker, shape, start_indices);
  // Turned so that the update begins at 0, and back.
  Op turned = operand;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    turned = WrappedSlice(maker, turned, d, starts[d], shape.dimension(d));
  }
  const Op zero = maker.Constant(ElementType::kS64, 0);
  std::vector<Op> operands = {turned, update};
  operands.resize(2 + shape.rank(), zero);
  Op result = maker.Make(Opcode::kDynamicUpdateSlice, operands);
  for (int64_t d = 0; d < shape.rank() && maker.ok(); ++d) {
    const Op size = maker.Constant(ElementType::kS64, shape.dimension(d));
    const Op back = maker.Make(Opcode::kSubtract, {size, starts[d]});
    const Op start = maker.Make(Opcode::kRemainder, {back, size});
    result = WrappedSlice(maker, result, d, start, shape.dimension(d));
  }
  return result;
}

Op SortKeys(Maker& maker, Ops operands, int64_t dimension) {
  if (!maker.ok() || operands.empty()) return maker.Wrap(nullptr);
  const ElementType type = maker.ShapeOf(operands[0]).element_type();
  ASSAY_MAKER_REQUIRE(maker, "sort_c8", IsArray(type) && !IsComplex(type), "there is no order of ",
                      maker.ShapeOf(operands[0]).ToString());
  std::vector<Shape> parameters;
  for (const Op& operand : operands) {
    parameters.insert(parameters.end(), 2, Shape::Scalar(maker.ShapeOf(operand).element_type()));
  }
  Computation* less = maker.Import(maker.SubComputation("less", parameters, &Less));
  return maker.Make(Opcode::kSort, operands,
                    {{Attr::kDimension, dimension}, {Attr::kIsStable, true}}, Shape(),
                    {{Attr::kToApply, less}});
}

Op SelectWhole(Maker& maker, const Op& pred, const Op& on_true, const Op& on_false) {
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Callee same = maker.SubComputation("selected", {maker.ShapeOf(on_true)}, &HandOn);
  Computation* branch = maker.Import(same);
  Computation* other =
      maker.Import(maker.SubComputation("selected", {maker.ShapeOf(on_false)}, &HandOn));
  return maker.Make(Opcode::kConditional, {pred, on_true, on_false}, {}, Shape(),
                    {{Attr::kTrueComputation, branch}, {Attr::kFalseComputation, other}});
}

namespace {

// (i, result, operands..., static operands...), operands and result flat.
Op MapStep(absl::Span<const Op> state_parameter, const Callee& computation, size_t operand_count,
           size_t part_count, CallSite site) {
  const Op state = state_parameter[0];
  std::vector<Op> parts;
  for (size_t k = 0; k < part_count; ++k) parts.push_back(GetTupleElement(state, k, site));
  const Op i = parts[0];
  std::vector<Op> arguments(parts.begin() + 2, parts.end());
  for (size_t k = 0; k < operand_count; ++k) {
    arguments[k] = Reshape(DynamicSlice(arguments[k], i, {1}, site), {}, site);
  }
  const Op value = Reshape(Call(computation, arguments, site), {1}, site);
  Maker maker("Map", site, {i});
  parts[0] = Add(i, maker.Constant(ElementType::kS64, 1), {}, site);
  parts[1] = DynamicUpdateSlice(parts[1], value, i, site);
  return Tuple(parts, site);
}

}  // namespace

Op MapOneByOne(Maker& maker, Ops operands, const Callee& computation, Ops static_operands) {
  const Computation* mapped = maker.Import(computation);
  if (!maker.ok() || operands.empty()) return maker.Wrap(nullptr);
  const Shape shape = maker.ShapeOf(operands[0]);
  const absl::StatusOr<int64_t> count = shape.ElementCount();
  if (!count.ok()) return maker.Fail(count.status());
  const Shape element = mapped->root()->shape();
  ASSAY_MAKER_REQUIRE(maker, "map_c4", element.is_scalar(), mapped->name(),
                      " must return a scalar, found ", element.ToString());
  std::vector<Op> parts = {maker.Constant(ElementType::kS64, 0)};
  const Op zero = maker.Constant(element.element_type(), 0);
  parts.push_back(maker.Make(Opcode::kBroadcast, {zero},
                             {{Attr::kDimensions, std::vector<int64_t>{}}},
                             Shape(element.element_type(), {*count})));
  for (const Op& operand : operands) {
    parts.push_back(maker.Make(Opcode::kReshape, {operand}, {},
                               Shape(maker.ShapeOf(operand).element_type(), {*count})));
  }
  parts.insert(parts.end(), static_operands.begin(), static_operands.end());
  const Op init = maker.Make(Opcode::kTuple, parts);
  const Shape state = maker.ShapeOf(init);
  Computation* condition = maker.Import(maker.SubComputation(
      "elements_left", {state}, [&](absl::Span<const Op> parameters, CallSite site) {
        const Op i = GetTupleElement(parameters[0], 0, site);
        return Lt(i, Maker("Map", site, {i}).Constant(ElementType::kS64, *count), {}, site);
      }));
  Computation* body = maker.Import(maker.SubComputation(
      "map_element", {state}, [&](absl::Span<const Op> parameters, CallSite site) {
        return MapStep(parameters, computation, operands.size(), parts.size(), site);
      }));
  const Op loop = maker.Make(Opcode::kWhile, {init}, {}, Shape(),
                             {{Attr::kCondition, condition}, {Attr::kBody, body}});
  const Op flat = maker.Make(Opcode::kGetTupleElement, {loop}, {{Attr::kIndex, int64_t{1}}});
  return maker.Make(Opcode::kReshape, {flat}, {},
                    Shape(element.element_type(), shape.dimensions()));
}

int64_t ContractedOfRhs2017(const Shape& rhs) { return std::max<int64_t>(rhs.rank() - 2, 0); }

absl::Status CheckInfeeds2017(const Module& module) {
  const std::vector<UnorderedFeeds> found = FindUnorderedFeeds(module, Opcode::kInfeed);
  if (found.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "[infeed_2017_c1] in 2017 there must be a total order among the infeeds of a program, found "
      "no path between ",
      found[0].first->Describe(), " and ", found[0].second->Describe()));
}

bool Rng2017Takes(RandomDistribution distribution, ElementType type) {
  if (type == ElementType::kF32) return true;
  return distribution == RandomDistribution::kUniform &&
         (type == ElementType::kS32 || type == ElementType::kU32);
}

}  // namespace builder_internal
}  // namespace assay
