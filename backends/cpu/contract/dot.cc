// dot, and scaled-dot as the dot of scaled factors: out[b, i, j] = sum over c of lhs[b, i, c] *
// rhs[b, j, c], c row-major over the contracting dimensions in list order.
// Source: reference ops_structural.md 7.2, 7.4. Tests: contract_test.cc.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/cpu/contract/contract.h"
#include "backends/cpu/contract/converted.h"
#include "backends/cpu/contract/dot_axes.h"
#include "backends/cpu/contract/product.h"
#include "spec/element/element.h"

namespace assay::cpu {
namespace {

using runtime::ArrayRef;
using runtime::MutableArrayRef;

class Dot : public runtime::Kernel {
 public:
  explicit Dot(const Instruction& dot) {
    const Shape& lhs = dot.operand(0)->shape();
    const Shape& rhs = dot.operand(1)->shape();
    const ElementType result = dot.shape().element_type();
    const DotAxes axes(dot);
    product_.lhs = axes.Lhs(FactorType(lhs.element_type(), rhs.element_type(), result));
    product_.rhs = axes.Rhs(FactorType(rhs.element_type(), lhs.element_type(), result));
    product_.result_type = result;
    axes.SetResult(dot.shape().dimensions(), &product_);
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results,
                       runtime::Context& context) const override {
    ConvertedFactor lhs(context), rhs(context);
    const Shape& l = *operands[0].shape;
    const Shape& r = *operands[1].shape;
    absl::Status status =
        lhs.Set(l.element_type(), product_.lhs.type, operands[0].data, l.element_count());
    if (status.ok()) {
      status = rhs.Set(r.element_type(), product_.rhs.type, operands[1].data, r.element_count());
    }
    if (!status.ok()) return status;
    return Multiply(product_, lhs.data(), rhs.data(), results[0].data, context);
  }

 private:
  Product product_;
};

// The elements of a factor by the scales of their blocks, in f64: exact for factors and scales of
// up to 32 bits, whose product of four lies within its range.
absl::Status Scale(const ArrayRef& factor, const ArrayRef& scale, ConvertedFactor& scaled) {
  const Shape& shape = *factor.shape;
  const int64_t count = shape.element_count();
  const absl::StatusOr<std::byte*> memory = scaled.Allocate(ElementType::kF64, count);
  if (!memory.ok()) return memory.status();
  Dimensions blocks;  // elements in a block of the scale
  for (int64_t d = 0; d < scale.shape->rank(); ++d) {
    blocks.push_back(shape.dimension(d) / std::max<int64_t>(1, scale.shape->dimension(d)));
  }
  // A scalar says that there is no scale.
  const bool is_scaled = !blocks.empty();
  const Dimensions strides = RowMajorStrides(scale.shape->dimensions());
  Dimensions index(shape.rank());
  for (int64_t i = 0; i < count; ++i) {
    const Element element = LoadElement(shape.element_type(), factor.data, i);
    double value = DecodeFloat(shape.element_type(), element.bits);
    if (is_scaled) {
      int64_t at = 0;
      for (int64_t d = 0; d < shape.rank(); ++d) at += index[d] / blocks[d] * strides[d];
      const ElementType type = scale.shape->element_type();
      value *= DecodeFloat(type, LoadElement(type, scale.data, at).bits);
    }
    runtime::StoreAt(*memory, i, value);
    for (int64_t d = shape.rank() - 1; d >= 0 && ++index[d] == shape.dimension(d); --d) {
      index[d] = 0;
    }
  }
  return absl::OkStatus();
}

class ScaledDot : public runtime::Kernel {
 public:
  explicit ScaledDot(const Instruction& dot) {
    const DotAxes axes(dot);
    product_.lhs = axes.Lhs(ElementType::kF64);
    product_.rhs = axes.Rhs(ElementType::kF64);
    product_.result_type = dot.shape().element_type();
    axes.SetResult(dot.shape().dimensions(), &product_);
  }

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results,
                       runtime::Context& context) const override {
    ConvertedFactor lhs(context), rhs(context);
    absl::Status status = Scale(operands[0], operands[2], lhs);
    if (status.ok()) status = Scale(operands[1], operands[3], rhs);
    if (!status.ok()) return status;
    return Multiply(product_, lhs.data(), rhs.data(), results[0].data, context);
  }

 private:
  Product product_;
};

}  // namespace

runtime::KernelOr PrepareDot(const Instruction& dot) {
  if (dot.opcode() == Opcode::kRaggedDot) return PrepareRaggedDot(dot);
  if (dot.opcode() == Opcode::kDot) return std::make_unique<Dot>(dot);
  bool floats = IsFloat(dot.shape().element_type());
  for (const Instruction* operand : dot.operands()) {
    floats &= IsFloat(operand->shape().element_type());
  }
  if (!floats) {
    return absl::UnimplementedError(
        absl::StrCat("scaled-dot of other than floats: ", dot.Describe()));
  }
  return std::make_unique<ScaledDot>(dot);
}

}  // namespace assay::cpu
