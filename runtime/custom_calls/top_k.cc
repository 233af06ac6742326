// Targets that select the first k elements of every line. TopK: in the descending total order
// (-NaN < -inf < ... < +inf < +NaN), ties by the lower index. ApproxTopK: the exact answer, in the
// order of its comparator, stable; where the declared result is longer than the line, initial
// values follow. The stablehlo.dynamic_* of them take k as their last operand.
// Tests: backends/factory/custom_call_test.cc, custom_call_dynamic_test.cc.
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/custom_calls/attributes.h"
#include "runtime/custom_calls/static_operation.h"
#include "runtime/custom_calls/targets.h"
#include "spec/ir/row_major.h"

namespace assay::runtime::custom_calls {
namespace {

// Equal but for the size of one dimension.
bool SameBut(const Shape& a, const Shape& b, int64_t dimension) {
  if (!a.is_array() || a.rank() != b.rank()) return false;
  Shape changed = a;
  changed.set_dimension(dimension, b.dimension(dimension));
  return Shape::SameDimensions(changed, b);
}

// Integers as those of another type, modulo its size.
absl::StatusOr<Literal> WithType(const CustomCall& call, Literal integers, ElementType to) {
  const ElementType from = integers.element_type();
  if (from == to) return integers;
  absl::StatusOr<Literal> result = call.Zeros(Shape(to, integers.shape().dimensions()));
  for (int64_t i = 0; result.ok() && i < integers.element_count(); ++i) {
    const int64_t value = DecodeSigned(from, integers.Get(i).bits);
    result->Set(i, {EncodeInteger(to, static_cast<uint64_t>(value))});
  }
  return result;
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
  StaticOperation top_k(call, Opcode::kTopK);
  top_k.Set(Attr::kK, shapes[0]->dimension(last));
  top_k.Set(Attr::kLargest, CallAttributes::Of(call.instruction).Int("largest", 1) != 0);
  absl::StatusOr<std::vector<Literal>> results = top_k.Results({data});
  if (!results.ok()) return results.status();
  absl::StatusOr<Literal> indices =
      WithType(call, std::move((*results)[1]), shapes[1]->element_type());
  if (!indices.ok()) return indices;
  (*results)[1] = *std::move(indices);
  results = top_k.AsDeclared(*std::move(results));
  if (!results.ok()) return results.status();
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
  const std::vector<const Shape*> shapes = ResultShapes(call);
  for (const Literal& operand : call.operands) {
    if (operand.shape().is_dynamic()) return BadCall(call, "its operands must have static sizes");
  }
  StaticOperation sort(call, Opcode::kSort);
  sort.Set(Attr::kDimension, dimension);
  sort.Set(Attr::kIsStable, true);
  sort.Set(Attr::kToApply, call.instruction.called_computations()[0]);
  absl::StatusOr<std::vector<Literal>> sorted =
      sort.Results({call.operands.begin(), call.operands.begin() + shapes.size()});
  if (!sorted.ok()) return sorted.status();
  std::vector<Literal> results;
  for (size_t i = 0; i < shapes.size(); ++i) {
    absl::StatusOr<Literal> result = call.Zeros(*shapes[i]);
    if (!result.ok()) return result;
    const AlongDimension from((*sorted)[i].shape().dimensions(), dimension),
        to(shapes[i]->dimensions(), dimension);
    const Element initial = call.operands[shapes.size() + i].Get(0);
    for (int64_t line = 0; line < to.lines(); ++line) {
      for (int64_t k = 0; k < to.size; ++k) {
        const bool within = k < from.size;
        result->Set(to.At(line, k), within ? (*sorted)[i].Get(from.At(line, k)) : initial);
      }
    }
    results.push_back(*std::move(result));
  }
  return AsResult(call, std::move(results));
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
                call.grid, call.random_seed, call.engine, call.context, call.owner,
                call.is_off_device});
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

}  // namespace assay::runtime::custom_calls
