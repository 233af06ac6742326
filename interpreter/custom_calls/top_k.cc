// Targets that select the first k elements of every line. TopK: in the descending total order
// (-NaN < -inf < ... < +inf < +NaN), ties by the lower index. ApproxTopK: the exact answer, in the
// order of its comparator, stable; where the declared result is longer than the line, initial
// values follow. The stablehlo.dynamic_* of them take k as their last operand.
// Tests: custom_call_test.cc, custom_call_dynamic_test.cc.
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/merge_sort.h"
#include "evaluator/region/scalar_program.h"
#include "evaluator/scalar/scalar_ops.h"
#include "interpreter/custom_calls/attributes.h"
#include "interpreter/custom_calls/static_operation.h"
#include "interpreter/custom_calls/targets.h"
#include "spec/ir/row_major.h"

namespace assay::custom_calls {
namespace {

// Equal but for the size of one dimension.
bool SameBut(const Shape& a, const Shape& b, int64_t dimension) {
  if (!a.is_array() || a.rank() != b.rank()) return false;
  Shape changed = a;
  changed.set_dimension(dimension, b.dimension(dimension));
  return Shape::SameDimensions(changed, b);
}

absl::StatusOr<std::vector<Literal>> NewResults(const CustomCall& call) {
  std::vector<Literal> results;
  for (const Shape* shape : ResultShapes(call)) {
    absl::StatusOr<Literal> result = call.Zeros(*shape);
    if (!result.ok()) return result.status();
    results.push_back(*std::move(result));
  }
  return results;
}

absl::StatusOr<Literal> TopK(const CustomCall& call) {
  const std::vector<const Shape*> shapes = ResultShapes(call);
  if (call.operands.empty() || !call.operands[0].is_array() || shapes.size() != 2) {
    return BadCall(call, "an array gives values and indices");
  }
  const Literal& data = call.operands[0];
  const ElementType type = data.element_type();
  const int64_t last = data.shape().rank() - 1;
  if (last < 0 || IsComplex(type) || shapes[0]->element_type() != type ||
      !IsInteger(shapes[1]->element_type()) || !Shape::SameDimensions(*shapes[0], *shapes[1]) ||
      !SameBut(data.shape(), *shapes[0], last) ||
      shapes[0]->dimension(last) > data.shape().dimension(last)) {
    return BadCall(call, "values [.., k] and integer indices [.., k] of an array [.., n], k <= n");
  }
  absl::StatusOr<std::vector<Literal>> results = NewResults(call);
  if (!results.ok()) return results.status();
  const bool largest = CallAttributes::Of(call.instruction).Int("largest", 1) != 0;
  const auto direction = largest ? ComparisonDirection::kGt : ComparisonDirection::kLt;
  const AlongDimension from(data.shape().dimensions(), last), to(shapes[0]->dimensions(), last);
  std::vector<int64_t> order(from.size);
  for (int64_t line = 0; line < from.lines(); ++line) {
    if (absl::Status status = call.context.ChargeCostly(from.size); !status.ok()) return status;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return evaluator::Compare(type, direction, ComparisonType::kTotalOrder,
                                data.Get(from.At(line, a)), data.Get(from.At(line, b)));
    });
    for (int64_t k = 0; k < to.size; ++k) {
      (*results)[0].Set(to.At(line, k), data.Get(from.At(line, order[k])));
      const ElementType index = shapes[1]->element_type();
      (*results)[1].Set(to.At(line, k), {EncodeInteger(index, static_cast<uint64_t>(order[k]))});
    }
  }
  return Literal::Tuple(*std::move(results));
}

// What ApproxTopK is given: arrays, then as many scalars.
absl::Status CheckApproxTopK(const CustomCall& call, int64_t dimension) {
  const std::vector<const Shape*> shapes = ResultShapes(call);
  const size_t arrays = shapes.size();
  if (arrays == 0 || call.operands.size() != 2 * arrays ||
      call.instruction.called_computations().size() != 1) {
    return BadCall(call, "arrays, as many initial values and a comparator give as many arrays");
  }
  for (size_t i = 0; i < arrays; ++i) {
    const Shape& shape = call.operands[i].shape();
    if (dimension < 0 || dimension >= shape.rank() ||
        !Shape::SameDimensions(shape, call.operands[0].shape()) ||
        !SameBut(shape, *shapes[i], dimension) || !Shape::SameDimensions(*shapes[i], *shapes[0]) ||
        shape.element_type() != shapes[i]->element_type() ||
        !Shape::Compatible(call.operands[arrays + i].shape(),
                           Shape::Scalar(shape.element_type()))) {
      return BadCall(call, "results are the operands with another size of reduction_dim");
    }
  }
  const Computation& comparator = *call.instruction.called_computations()[0];
  if (comparator.parameters().size() != 2 * arrays) {
    return BadCall(call, "the comparator takes two elements of each array");
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> ApproxTopK(const CustomCall& call) {
  const int64_t dimension = CallAttributes::Of(call.instruction).Int("reduction_dim", -1);
  if (absl::Status status = CheckApproxTopK(call, dimension); !status.ok()) return status;
  absl::StatusOr<evaluator::Region> before =
      evaluator::Region::Prepare(*call.instruction.called_computations()[0]);
  if (!before.ok()) return before.status();
  absl::StatusOr<std::vector<Literal>> results = NewResults(call);
  if (!results.ok()) return results.status();
  const size_t arrays = results->size();
  const AlongDimension from(call.operands[0].shape().dimensions(), dimension),
      to((*results)[0].shape().dimensions(), dimension);
  std::vector<Element> arguments(2 * arrays);
  std::vector<int64_t> order(from.size);
  absl::Status status;
  for (int64_t line = 0; line < to.lines(); ++line) {
    std::iota(order.begin(), order.end(), 0);
    evaluator::MergeSort(order, [&](int64_t a, int64_t b) {
      for (size_t i = 0; i < arrays; ++i) {
        arguments[2 * i] = call.operands[i].Get(from.At(line, a));
        arguments[2 * i + 1] = call.operands[i].Get(from.At(line, b));
      }
      Element verdict;
      status.Update(call.context.Charge(1));
      if (!status.ok()) return false;
      status.Update(before->Run(arguments, absl::MakeSpan(&verdict, 1), call.context));
      return verdict.bits != 0;
    });
    if (!status.ok()) return status;
    for (size_t i = 0; i < arrays; ++i) {
      for (int64_t k = 0; k < to.size; ++k) {
        (*results)[i].Set(to.At(line, k), k < from.size
                                              ? call.operands[i].Get(from.At(line, order[k]))
                                              : call.operands[arrays + i].Get(0));
      }
    }
  }
  return AsResult(call, *std::move(results));
}

constexpr int64_t kLast = -2;  // dimension of the results

// The call without its last operand, the k that the results must have along the dimension (where
// results of parts are left as they are: at most).
absl::StatusOr<Literal> WithKnownK(const CustomCall& call, int64_t dimension, bool exactly,
                                   const CustomCallHandler& top_k) {
  if (call.operands.empty() || ResultShapes(call).empty()) {
    return BadCall(call, "its last operand must be k, and there must be results");
  }
  absl::StatusOr<std::vector<int64_t>> k = IntegersOf(call, call.operands.size() - 1, {});
  if (!k.ok()) return k.status();
  const Shape& result = *ResultShapes(call)[0];
  if (dimension == kLast) dimension = result.rank() - 1;
  const int64_t size =
      dimension >= 0 && dimension < result.rank() ? result.dimension(dimension) : -1;
  if (exactly ? size != (*k)[0] : size < (*k)[0]) {
    return BadCall(call, absl::StrCat("its last operand makes k ", (*k)[0], " in dimension ",
                                      dimension, " of the result, which is declared ",
                                      call.instruction.shape().ToString()));
  }
  return top_k({call.instruction, call.operands.first(call.operands.size() - 1), call.process,
                call.grid, call.random_seed, call.context, call.owner});
}

absl::StatusOr<Literal> DynamicTopK(const CustomCall& call) {
  return WithKnownK(call, kLast, true, TopK);
}

absl::StatusOr<Literal> DynamicApproxTopK(const CustomCall& call) {
  const CallAttributes attributes = CallAttributes::Of(call.instruction);
  return WithKnownK(call, attributes.Int("reduction_dim", -1),
                    attributes.Int("aggregate_to_topk", 1) != 0, ApproxTopK);
}

}  // namespace

Targets TopKTargets() {
  return {{"TopK", TopK},
          {"mhlo.topk", TopK},
          {"stablehlo.dynamic_top_k", DynamicTopK},
          {"ApproxTopK", ApproxTopK},
          {"stablehlo.dynamic_approx_top_k", DynamicApproxTopK}};
}

}  // namespace assay::custom_calls
