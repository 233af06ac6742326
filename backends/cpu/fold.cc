#include "backends/cpu/fold.h"

#include <algorithm>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "backends/defect.h"
#include "runtime/arrays.h"
#include "spec/analysis/mixed_move.h"

namespace assay::cpu {
namespace {

// The type of the accumulators of a known operation.
ElementType AccumulatorType(const analysis::Reducer& reducer, ElementType type) {
  const bool sums = reducer.kind == analysis::ReducerKind::kAdd ||
                    reducer.kind == analysis::ReducerKind::kMultiply;
  if (!sums) return type;
  // On their way products leave the range of f32 far sooner than sums.
  const bool multiplies = reducer.kind == analysis::ReducerKind::kMultiply;
  ElementType wide = WideType(type);
  if (multiplies && IsFloat(type)) wide = ElementType::kF64;
  if (multiplies && IsComplex(type)) wide = ElementType::kC128;
  const ElementType inner = reducer.inner_type;
  if (inner == ElementType::kInvalid || inner == type) return wide;
  return runtime::StorageBytes(inner) > runtime::StorageBytes(wide) ? inner : wide;
}

// Whether the reducer returns element k as result k, whatever was there.
bool ReturnsElements(const Computation& reducer, int64_t arrays) {
  const Instruction* root = reducer.root();
  const auto is_element = [&](const Instruction* value, int64_t k) {
    return value->opcode() == Opcode::kParameter && value->parameter_number() == arrays + k;
  };
  if (root->opcode() != Opcode::kTuple) return arrays == 1 && is_element(root, 0);
  for (int64_t k = 0; k < root->operand_count(); ++k) {
    if (!is_element(root->operand(k), k)) return false;
  }
  return true;
}

absl::Status Assign(absl::StatusOr<FoldConversion> made, FoldConversion* conversion) {
  if (!made.ok()) return made.status();
  *conversion = *std::move(made);
  return absl::OkStatus();
}

}  // namespace

Workspace::Workspace(int64_t bytes)
    : storage_(std::max<int64_t>(64, Rounded(bytes))), bytes_(Rounded(bytes)) {}

std::byte* Workspace::Take(int64_t bytes) {
  std::byte* taken = data() + taken_;
  taken_ += Rounded(bytes);
  return taken;
}

std::vector<analysis::Reducer> Fold::PartsOf(const Computation& reducer, size_t arrays) {
  std::vector<analysis::Reducer> parts = {analysis::RecogniseReducer(reducer)};
  if (arrays > 1) parts = analysis::RecogniseParts(reducer);
  parts.resize(arrays);
  return parts;
}

absl::Status Fold::Part::Recognise(const analysis::Reducer& reducer, ElementType type) {
  own = accumulator = type;
  acc_bytes = runtime::StorageBytes(type);
  const std::optional<Opcode> opcode = analysis::OperationOf(reducer.kind);
  if (!opcode.has_value()) return absl::OkStatus();
  accumulator = AccumulatorType(reducer, own);
  if (opcode == Opcode::kMultiply && (own == ElementType::kF64 || own == ElementType::kC128)) {
    const ScaledFunctions& scaled = ScaledFunctionsOf(own);
    multiply = scaled.multiply;
    if (own == ElementType::kF64) cells = MultiplyScaledCells;
    acc_bytes = scaled.bytes;
    return absl::OkStatus();
  }
  absl::StatusOr<BlockFunction> function = BinaryFunction(*opcode, accumulator);
  if (!function.ok()) return function.status();
  combine.emplace(*std::move(function));
  acc_bytes = runtime::StorageBytes(accumulator);
  rows = FindRowFunctions(*opcode, accumulator);
  cells = FindCellFunction(*opcode, own, accumulator);
  return absl::OkStatus();
}

absl::Status Fold::Part::Convert(ElementType element, ElementType init, ElementType result) {
  element_bytes = runtime::StorageBytes(element);
  x_bytes = recognised() ? acc_bytes : element_bytes;
  result_bytes = runtime::StorageBytes(result);
  rounds_results = analysis::Narrows(result, own);
  if (element != own) cells = nullptr;
  const auto to = multiply != nullptr ? FoldConversion::ToScaled : FoldConversion::Create;
  const auto from = multiply != nullptr ? FoldConversion::FromScaled : FoldConversion::Create;
  absl::Status status;
  if (recognised()) status = Assign(to(element, own, accumulator), &widen);
  if (status.ok()) status = Assign(to(init, own, accumulator), &widen_init);
  if (status.ok()) status = Assign(to(result, own, accumulator), &widen_result);
  if (status.ok()) status = Assign(from(accumulator, own, result), &narrow);
  if (multiply != nullptr && element == ElementType::kF64) {
    rows = {FoldScaledRow, ScaledFunctionsOf(own).multiply};
  }
  return status;
}

absl::StatusOr<std::shared_ptr<const Fold>> Fold::Create(const Computation& reducer,
                                                         absl::Span<const ElementType> elements,
                                                         absl::Span<const ElementType> inits,
                                                         absl::Span<const ElementType> results) {
  auto fold = std::make_shared<Fold>();
  const int64_t arrays = static_cast<int64_t>(elements.size());
  std::vector<ElementType> own;
  for (const Shape* leaf : Leaves(reducer.root()->shape())) own.push_back(leaf->element_type());
  const std::vector<analysis::Reducer> parts = PartsOf(reducer, own.size());
  // Where a factor is not finite, products of complex numbers depend on the order.
  bool complex_product = false;
  fold->functions_ = true;
  fold->parts_.resize(arrays);
  // Elements go into the region as they are, but for those whose results Combine drops.
  std::vector<ElementType> given = own;
  for (int64_t k = 0; k < arrays; ++k) {
    Part& part = fold->parts_[k];
    absl::Status status = part.Recognise(parts[k], own[k]);
    if (status.ok()) status = part.Convert(elements[k], inits[k], results[k]);
    if (!status.ok()) return status;
    given.push_back(part.recognised() ? own[k] : elements[k]);
    fold->functions_ &= part.recognised();
    fold->scratch_bytes_ += Workspace::Rounded(kBlockElements * part.acc_bytes);
    complex_product |= parts[k].kind == analysis::ReducerKind::kMultiply && IsComplex(own[k]);
  }
  for (Part& part : fold->parts_) {
    if (!fold->functions_) part.rows = {};
  }
  fold->overwrites_ = ReturnsElements(reducer, arrays) &&
                      std::equal(own.begin(), own.end(), elements.begin(), elements.end()) &&
                      std::equal(own.begin(), own.end(), results.begin(), results.end());
  fold->region_ = std::make_unique<Region>(reducer, given);
  fold->scratch_bytes_ += Workspace::Rounded(fold->region_->scratch_bytes());
  const analysis::ReducerKind kind = analysis::RecogniseReducer(reducer).kind;
  if (fold->functions_ && !complex_product) {
    fold->order_ = FoldOrder::kAny;
  } else if ((kind == analysis::ReducerKind::kArgMinimum ||
              kind == analysis::ReducerKind::kArgMaximum) &&
             std::equal(own.begin(), own.end(), elements.begin(), elements.end())) {
    fold->order_ = FoldOrder::kNeighbours;
  }
  return fold;
}

absl::StatusOr<std::shared_ptr<const Fold>> Fold::OfReducer(const analysis::Reducer& reducer,
                                                            ElementType type) {
  Part part;
  absl::Status status = part.Recognise(reducer, type);
  if (status.ok() && !part.recognised()) {
    status = absl::InvalidArgumentError("the reducer is no known operation");
  }
  if (status.ok()) status = part.Convert(type, type, type);
  if (!status.ok()) return status;
  auto fold = std::make_shared<Fold>();
  fold->functions_ = true;
  const bool complex_product = reducer.kind == analysis::ReducerKind::kMultiply && IsComplex(type);
  fold->order_ = complex_product ? FoldOrder::kSequential : FoldOrder::kAny;
  fold->parts_.push_back(std::move(part));
  return fold;
}

void Fold::Narrow(int64_t k, const std::byte* acc, int64_t n, std::byte* out) const {
  if (parts_[k].narrow.converts()) {
    parts_[k].narrow.Run(acc, n, out);
  } else if (acc != out) {
    std::memcpy(out, acc, n * parts_[k].result_bytes);
  }
}

absl::Status Fold::Combine(absl::Span<std::byte* const> acc, absl::Span<const std::byte* const> x,
                           int64_t n, std::byte* scratch, runtime::Context& context) const {
  // A recognised part depends on no other array, and no other on it. What the region computes of it
  // from its accumulators, which may be wider than the region's elements, means nothing.
  for (size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    const std::byte* operands[] = {acc[k], x[k]};
    if (part.combine.has_value()) (*part.combine)(operands, acc[k], n);
    if (part.multiply != nullptr) part.multiply(acc[k], x[k], n);
  }
  if (functions_) return absl::OkStatus();
  const int64_t arrays = this->arrays();
  absl::InlinedVector<std::byte*, 4> outputs(arrays);
  for (int64_t k = 0; k < arrays; ++k) {
    outputs[k] = scratch;
    scratch += Workspace::Rounded(kBlockElements * parts_[k].acc_bytes);
  }
  absl::InlinedVector<const std::byte*, 8> inputs(2 * arrays);
  for (int64_t first = 0; first < n; first += kBlockElements) {
    const int64_t count = std::min(kBlockElements, n - first);
    for (int64_t k = 0; k < arrays; ++k) {
      inputs[k] = acc[k] + first * parts_[k].acc_bytes;
      inputs[arrays + k] = x[k] + first * parts_[k].x_bytes;
    }
    absl::Status status = region_->Run(inputs, outputs, count, scratch, context);
    if (!status.ok()) return status;
    for (int64_t k = 0; k < arrays; ++k) {
      if (parts_[k].recognised()) continue;
      std::memcpy(acc[k] + first * parts_[k].acc_bytes, outputs[k], count * parts_[k].acc_bytes);
    }
  }
  return absl::OkStatus();
}

void FillCells(const std::byte* value, int64_t bytes, int64_t n, std::byte* out) {
  WithCell(bytes, [&](auto word) {
    std::memcpy(&word, value, sizeof word);
    for (int64_t i = 0; i < n; ++i) std::memcpy(out + i * sizeof word, &word, sizeof word);
  });
}

absl::Status FoldNeighbours(const Fold& fold, absl::Span<std::byte* const> rows,
                            absl::Span<std::byte* const> spare, int64_t steps, int64_t width,
                            std::byte* scratch, runtime::Context& context) {
  absl::InlinedVector<const std::byte*, 4> odd(spare.begin(), spare.end());
  while (steps > 1) {
    const int64_t half = steps / 2;
    for (size_t k = 0; k < rows.size(); ++k) {
      const int64_t bytes = width * fold.acc_bytes(k);
      for (int64_t i = 0; i < half; ++i) {
        std::memcpy(spare[k] + i * bytes, rows[k] + (2 * i + 1) * bytes, bytes);
        if (i > 0) std::memcpy(rows[k] + i * bytes, rows[k] + 2 * i * bytes, bytes);
      }
    }
    absl::Status status = fold.Combine(rows, odd, half * width, scratch, context);
    if (!status.ok()) return status;
    if (ASSAY_DEFECT(4, steps % 2 != 0, false)) {
      for (size_t k = 0; k < rows.size(); ++k) {
        const int64_t bytes = width * fold.acc_bytes(k);
        std::memcpy(rows[k] + half * bytes, rows[k] + (steps - 1) * bytes, bytes);
      }
    }
    steps = steps - half;
  }
  return absl::OkStatus();
}

absl::Status FoldRows(const Fold& fold, absl::Span<std::byte* const> rows, int64_t steps,
                      int64_t width, std::byte* scratch, runtime::Context& context) {
  absl::InlinedVector<const std::byte*, 4> upper(rows.size());
  while (steps > 1) {
    const int64_t half = steps / 2, kept = steps - half;
    for (size_t k = 0; k < rows.size(); ++k) {
      upper[k] = rows[k] + ASSAY_DEFECT(3, kept, half) * width * fold.acc_bytes(k);
    }
    absl::Status status = fold.Combine(rows, upper, half * width, scratch, context);
    if (!status.ok()) return status;
    steps = kept;
  }
  return absl::OkStatus();
}

}  // namespace assay::cpu
