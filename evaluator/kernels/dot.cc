// Kernels of dot and scaled-dot: both operands are read as [rows][contracted] and
// [contracted][columns] for each batch, whatever their own order. Source: reference
// ops_structural.md 7.2, 7.4. Tests: contraction_kernels_test.cc.
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

#include "evaluator/kernels/contraction.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/ops/block_scale.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::evaluator::kernels {
namespace {

int64_t SizeOf(const Shape& shape, absl::Span<const int64_t> dimensions) {
  int64_t size = 1;
  for (const int64_t d : dimensions) size *= shape.dimension(d);
  return size;
}

// The dimensions of the operands in the order that contractions have them in.
Dimensions Order(std::initializer_list<absl::Span<const int64_t>> lists) {
  Dimensions order;
  for (absl::Span<const int64_t> list : lists) order.insert(order.end(), list.begin(), list.end());
  return order;
}

// The scales of one side, if it has any.
std::optional<BlockScales> ScalesOf(const Instruction& dot, int64_t side, const Dimensions& order) {
  const BlockScale scale(dot, side);
  if (!scale.exists()) return std::nullopt;
  const Shape& shape = dot.operand(scale.operand())->shape();
  const Dimensions strides = RowMajorStrides(shape.dimensions());
  BlockScales scales = {
      scale.operand(), dot.operand(side)->shape().element_type(), shape.element_type(), {}, {}};
  for (const int64_t d : order) {
    scales.blocks.push_back(scale.block_sizes()[d]);
    scales.strides.push_back(strides[d]);
  }
  return scales;
}

class DotKernel : public Kernel {
 public:
  DotKernel(const ContractionTypes& types, Contraction contraction, int64_t scratch)
      : types_(types), contraction_(std::move(contraction)), scratch_(scratch) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    Contraction::Rooms rooms(types_, scratch_);
    return contraction_.Run(operands, results[0].data, rooms, context);
  }

 private:
  ContractionTypes types_;
  Contraction contraction_;
  int64_t scratch_;
};

// `types` of the operands after scaling, if there are scales.
KernelOrNull Prepare(const Instruction& instruction, absl::Span<const View> views,
                     const std::optional<ContractionTypes>& types) {
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  if (!types.has_value()) return nullptr;
  const bool scaled = instruction.opcode() == Opcode::kScaledDot;
  const auto arranged = [&](int64_t k, const Dimensions& order) {
    const View view =
        views.empty() ? View::Dense(instruction.operand(k)->shape().dimensions(), k) : views[k];
    return view.Transpose(order);
  };
  const DotDimensions dims = DotDimensionsOf(instruction);
  const auto batch = static_cast<int64_t>(dims.lhs_batch.size());
  const auto contracted = static_cast<int64_t>(dims.lhs_contracting.size());
  // The result has the dimensions of the batch, the rows and the columns in this order.
  const Dimensions strides = RowMajorStrides(instruction.shape().dimensions());
  const auto rows = strides.begin() + batch;
  const Dimensions lhs_order = Order({dims.lhs_batch, dims.lhs_free, dims.lhs_contracting});
  const Dimensions rhs_order = Order({dims.rhs_batch, dims.rhs_contracting, dims.rhs_free});
  Contraction contraction(
      *types, arranged(0, lhs_order), arranged(1, rhs_order), batch, contracted,
      {Dimensions(strides.begin(), rows), Dimensions(rows, rows + dims.lhs_free.size()), 1},
      scaled ? ScalesOf(instruction, 0, lhs_order) : std::nullopt,
      scaled ? ScalesOf(instruction, 1, rhs_order) : std::nullopt);
  const int64_t scratch = Contraction::MostScratch(*types, SizeOf(lhs, dims.lhs_free),
                                                   SizeOf(lhs, dims.lhs_contracting),
                                                   SizeOf(rhs, dims.rhs_free), scaled);
  return std::make_unique<DotKernel>(*types, std::move(contraction), scratch);
}

}  // namespace

KernelOrNull PrepareDot(const Instruction& instruction, absl::Span<const View> views) {
  return Prepare(instruction, views,
                 ContractionTypes::For(instruction.operand(0)->shape().element_type(),
                                       instruction.operand(1)->shape().element_type(),
                                       instruction.shape().element_type()));
}

KernelOrNull PrepareScaledDot(const Instruction& instruction) {
  ElementType types[2];
  int precision = 0;  // of the product of all four
  for (const int64_t side : {0, 1}) {
    types[side] = instruction.operand(side)->shape().element_type();
    if (!IsFloat(types[side])) return nullptr;
    precision += Info(types[side]).format->precision();
    const BlockScale scale(instruction, side);
    if (!scale.exists()) continue;
    // The product of an element and its scale has to be a double.
    const ElementType factor = instruction.operand(scale.operand())->shape().element_type();
    for (const ElementType type : {types[side], factor}) {
      if (!IsFloat(type) || FactorWidthOf(type) == FactorWidth::k64Bits) return nullptr;
    }
    precision += Info(factor).format->precision();
    types[side] = ElementType::kF64;
  }
  std::optional<ContractionTypes> scaled =
      ContractionTypes::For(types[0], types[1], instruction.shape().element_type());
  // A product of at most 53 bits of two 32-bit numbers is a double.
  if (scaled.has_value() && precision <= 53) scaled->width = FactorWidth::kUpTo32Bits;
  return Prepare(instruction, {}, scaled);
}

}  // namespace assay::evaluator::kernels
