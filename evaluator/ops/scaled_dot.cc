// scaled-dot: out[b, i, j] = sum over c of lhs * scale of its block * rhs * scale of its block, the
// exact products summed exactly and rounded once. Source: ops_structural.md 7.4.
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "evaluator/ops/block_scale.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/special_elements.h"
#include "evaluator/real/exact_sum.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::evaluator {
namespace {

using boost::multiprecision::cpp_int;

// A sum of products of four doubles. The product of two values of up to 32 bits is a double, and
// ExactSum takes products of two; wider factors are multiplied as integers.
class FourfoldSum {
 public:
  explicit FourfoldSum(bool wide) : wide_(wide) {}

  void Clear() {
    narrow_.Clear();
    integer_ = 0;
  }

  void Add(const double (&factors)[4]) {
    if (!wide_) return narrow_.AddProduct(factors[0] * factors[1], factors[2] * factors[3]);
    const double special =
        ClassOf(factors[0]) * ClassOf(factors[1]) * ClassOf(factors[2]) * ClassOf(factors[3]);
    if (special == 0 || !std::isfinite(special)) return narrow_.Add(special);
    narrow_.Add(0.0);  // a sum of such products is no negative zero
    cpp_int product = 1;
    int exponent = -kUnit;
    for (const double factor : factors) {
      int power;
      product *= static_cast<int64_t>(std::ldexp(std::frexp(factor, &power), 53));
      exponent += power - 53;
    }
    integer_ += product << exponent;
  }

  uint64_t Round(ElementType type) const {
    const double special = DecodeFloat(ElementType::kF64, narrow_.Round(ElementType::kF64));
    if (!wide_ || integer_ == 0 || !std::isfinite(special)) return narrow_.Round(type);
    Unrounded value;
    value.negative = signbit(integer_);
    // Every product is a multiple of 2^(4 * -1074), or 2^208 units: there are bits to cut.
    const cpp_int magnitude = abs(integer_);
    const auto cut = static_cast<int>(msb(magnitude)) - 127;
    const cpp_int kept = magnitude >> cut;
    value.sticky = (kept << cut) != magnitude;
    value.significand = static_cast<unsigned __int128>(kept);
    value.exponent = cut + kUnit;
    return RoundToFloat(type, value);
  }

 private:
  // integer_ counts multiples of 2^kUnit: four times the least exponent of a 53-bit significand.
  static constexpr int kUnit = 4 * (-1073 - 53);

  const bool wide_;
  ExactSum narrow_;  // everything, or what is zero or not finite
  cpp_int integer_;
};

class ScaledDot : public Definition {
 public:
  explicit ScaledDot(const Instruction& dot)
      : dot_(dot),
        dims_(DotDimensionsOf(dot)),
        scales_{BlockScale(dot, 0), BlockScale(dot, 1)},
        sum_(HasWideFactor(dot)) {}

  absl::StatusOr<Element> At(int64_t, Index out, OperandElements& operands,
                             EvaluationContext& context) override {
    Dimensions at[2] = {Dimensions(OperandShape(dot_, 0).rank()),
                        Dimensions(OperandShape(dot_, 1).rank())};
    auto next = out.begin();
    for (size_t k = 0; k < dims_.lhs_batch.size(); ++k) {
      at[0][dims_.lhs_batch[k]] = at[1][dims_.rhs_batch[k]] = *next++;
    }
    for (int64_t d : dims_.lhs_free) at[0][d] = *next++;
    for (int64_t d : dims_.rhs_free) at[1][d] = *next++;

    sum_.Clear();
    // There is one contracting dimension (scaled_dot_c4).
    const int64_t l = dims_.lhs_contracting.front(), r = dims_.rhs_contracting.front();
    for (int64_t c = 0; c < OperandShape(dot_, 0).dimension(l); ++c) {
      at[0][l] = at[1][r] = c;
      double factors[4];
      for (int64_t side = 0; side < 2; ++side) {
        const BlockScale& scale = scales_[side];
        const absl::StatusOr<double> value = Read(side, at[side], operands);
        if (!value.ok()) return value.status();
        const absl::StatusOr<double> by =
            scale.exists() ? Read(scale.operand(), scale.IndexFor(at[side]), operands) : 1.0;
        if (!by.ok()) return by.status();
        factors[2 * side] = *value;
        factors[2 * side + 1] = *by;
      }
      sum_.Add(factors);
      if (absl::Status status = context.Charge(1); !status.ok()) return status;
    }
    return Element{sum_.Round(dot_.shape().element_type())};
  }

 private:
  static bool HasWideFactor(const Instruction& dot) {
    return absl::c_any_of(dot.operands(), [](const Instruction* factor) {
      return factor->shape().element_type() == ElementType::kF64;
    });
  }

  absl::StatusOr<double> Read(int64_t k, Index index, OperandElements& operands) const {
    absl::StatusOr<Element> element = operands.At(k, index);
    if (!element.ok()) return element.status();
    return DecodeFloat(OperandType(dot_, k), element->bits);
  }

  const Instruction& dot_;
  const DotDimensions dims_;
  const BlockScale scales_[2];
  FourfoldSum sum_;
};

}  // namespace

DefinitionOr DefineScaledDot(const Instruction& dot) { return std::make_unique<ScaledDot>(dot); }

}  // namespace assay::evaluator
