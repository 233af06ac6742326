// dot, and scaled-dot as the dot of scaled factors: out[b, i, j] = sum over c of lhs[b, i, c] *
// rhs[b, j, c], c row-major over the contracting dimensions in list order.
// Source: reference ops_structural.md 7.2, 7.4. Tests: contract_test.cc.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/contract/contract.h"
#include "backends/cpu/contract/converted.h"
#include "backends/cpu/contract/dot_axes.h"
#include "backends/cpu/contract/product.h"
#include "runtime/scratch.h"
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

// Calls visit(i, element, scale) for every element of a factor and the scale of its block.
template <typename Visit>
void ForEachScaled(const ArrayRef& factor, const ArrayRef& scale, Visit visit) {
  const Shape& shape = *factor.shape;
  Dimensions blocks;  // elements in a block of the scale
  for (int64_t d = 0; d < scale.shape->rank(); ++d) {
    blocks.push_back(shape.dimension(d) / std::max<int64_t>(1, scale.shape->dimension(d)));
  }
  // A scalar says that there is no scale.
  const bool is_scaled = !blocks.empty();
  const Dimensions strides = RowMajorStrides(scale.shape->dimensions());
  Dimensions index(shape.rank());
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    const Element element = LoadElement(shape.element_type(), factor.data, i);
    double by = 1;
    if (is_scaled) {
      int64_t at = 0;
      for (int64_t d = 0; d < shape.rank(); ++d) at += index[d] / blocks[d] * strides[d];
      const ElementType type = scale.shape->element_type();
      by = DecodeFloat(type, LoadElement(type, scale.data, at).bits);
    }
    visit(i, DecodeFloat(shape.element_type(), element.bits), by);
    for (int64_t d = shape.rank() - 1; d >= 0 && ++index[d] == shape.dimension(d); --d) {
      index[d] = 0;
    }
  }
}

// The elements of a factor by their scales in f64: exact for factors and scales of up to 32 bits,
// whose product of four lies within its range. Sets `leaves_range` where one of wider numbers is
// too large or too small.
absl::Status Scale(const ArrayRef& factor, const ArrayRef& scale, ConvertedFactor& scaled,
                   bool& leaves_range) {
  const absl::StatusOr<std::byte*> memory =
      scaled.Allocate(ElementType::kF64, factor.shape->element_count());
  if (!memory.ok()) return memory.status();
  ForEachScaled(factor, scale, [&](int64_t i, double element, double by) {
    const double value = element * by;
    const bool exact = element == 0 || by == 0 || !std::isfinite(element) || !std::isfinite(by);
    leaves_range |= !exact && !std::isnormal(value);
    runtime::StoreAt(*memory, i, value);
  });
  return absl::OkStatus();
}

// The same in numbers whose exponents have room for products of four doubles.
class WideFactor {
 public:
  explicit WideFactor(runtime::Context& context) : lease_(context) {}
  absl::Status Set(const ArrayRef& factor, const ArrayRef& scale) {
    const int64_t count = factor.shape->element_count();
    constexpr auto kBytes = static_cast<int64_t>(sizeof(long double));
    if (absl::Status status = lease_.Add(count * kBytes); !status.ok()) return status;
    numbers_.resize(count);
    ForEachScaled(factor, scale, [&](int64_t i, double element, double by) {
      numbers_[i] = static_cast<long double>(element) * by;
    });
    return absl::OkStatus();
  }
  const long double* data() const { return numbers_.data(); }

 private:
  runtime::ScratchLease lease_;
  std::vector<long double> numbers_;
};

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
    bool leaves_range = false;
    absl::Status status = Scale(operands[0], operands[2], lhs, leaves_range);
    if (status.ok()) status = Scale(operands[1], operands[3], rhs, leaves_range);
    if (!status.ok()) return status;
    if (leaves_range) return MultiplyWide(operands, results[0].data, context);
    return Multiply(product_, lhs.data(), rhs.data(), results[0].data, context);
  }

 private:
  // Element by element.
  absl::Status MultiplyWide(absl::Span<const ArrayRef> operands, std::byte* result,
                            runtime::Context& context) const {
    static_assert(std::numeric_limits<long double>::max_exponent > 4 * 1100);
    WideFactor lhs(context), rhs(context);
    absl::Status status = lhs.Set(operands[0], operands[2]);
    if (status.ok()) status = rhs.Set(operands[1], operands[3]);
    const Factor &l = product_.lhs, &r = product_.rhs;
    for (int64_t b = 0; b < l.batch.size() && status.ok(); ++b) {
      for (int64_t row = 0; row < l.outer.size() && status.ok(); ++row) {
        status = context.Charge(r.outer.size() * l.depth.size());
        const long double* x = lhs.data() + l.batch.Offset(b) + l.outer.Offset(row);
        for (int64_t column = 0; column < r.outer.size() && status.ok(); ++column) {
          const long double* y = rhs.data() + r.batch.Offset(b) + r.outer.Offset(column);
          long double sum = 0;
          for (int64_t k = 0; k < l.depth.size(); ++k) {
            sum += x[l.depth.Offset(k)] * y[r.depth.Offset(k)];
          }
          const Element element = {.bits =
                                       EncodeFloat(product_.result_type, static_cast<double>(sum))};
          StoreElement(product_.result_type, element, result,
                       product_.result_batch.Offset(b) + product_.result_rows.Offset(row) +
                           product_.result_columns.Offset(column));
        }
      }
    }
    return status;
  }

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
