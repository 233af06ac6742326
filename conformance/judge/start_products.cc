#include "conformance/judge/start_products.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::conformance {
namespace {

// A number as mantissa * 2^exponent, with a mantissa around 1 and zero, infinities and NaNs as
// they are.
std::pair<double, double> MantissaAndExponent(double value) {
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);
  if (value == 0 || !std::isfinite(value)) return {value, 0};
  if (std::fabs(mantissa) < M_SQRT1_2) {
    mantissa *= 2;
    --exponent;
  }
  return {mantissa, exponent};
}

// Returns true if a product of mantissas has all its digits, with room for more factors.
bool IsKnown(double product) {
  return std::fabs(product) > 0x1p-1000 && std::fabs(product) < 0x1p1000;
}

double LogarithmOf(double value) {
  return value == 0 || !std::isfinite(value) ? 0 : std::log2(std::fabs(value));
}

}  // namespace

absl::StatusOr<StartProducts> StartProducts::Of(const Subject& subject, ElementType type,
                                                double start) {
  StartProducts products(type, subject.profile.MayFlushResults(type), start);
  const evaluator::TermMap mantissa = [](double value, bool init) {
    return init ? 1 : MantissaAndExponent(value).first;
  };
  const evaluator::TermMap exponent = [](double value, bool init) {
    return init ? 0 : MantissaAndExponent(value).second;
  };
  const evaluator::TermMap count = [](double, bool init) { return init ? 0 : 1; };
  const evaluator::TermMap above = [](double value, bool init) {
    return init ? 0 : std::max(0.0, LogarithmOf(value));
  };
  const evaluator::TermMap below = [](double value, bool init) {
    return init ? 0 : std::min(0.0, LogarithmOf(value));
  };
  const auto fold = [&](Opcode opcode, const evaluator::TermMap& map, std::vector<double>* values) {
    absl::StatusOr<std::vector<double>> found = FoldTerms(subject, opcode, map);
    if (found.ok()) *values = *std::move(found);
    return found.status();
  };
  const evaluator::TermMap special = [](double value, bool init) {
    return init || (value != 0 && std::isfinite(value)) ? 0 : 1;
  };
  absl::Status status = fold(Opcode::kMultiply, mantissa, &products.mantissas_);
  status.Update(fold(Opcode::kAdd, exponent, &products.exponents_));
  status.Update(fold(Opcode::kAdd, count, &products.counts_));
  status.Update(fold(Opcode::kAdd, above, &products.largest_));
  status.Update(fold(Opcode::kAdd, below, &products.smallest_));
  status.Update(fold(Opcode::kAdd, special, &products.specials_));
  if (!status.ok()) return status;
  return products;
}

StartProducts::Product StartProducts::OfUses(int64_t i, double uses) const {
  Product product;
  const double logarithm = LogarithmOf(start_) * uses;
  product.count = counts_[i] + uses;
  product.largest = largest_[i] + std::max(0.0, logarithm);
  product.smallest = smallest_[i] + std::min(0.0, logarithm);
  // The logarithms and their sums are rounded.
  product.unsure = (product.count + 1) * 0x1p-43;
  // The power and the product of the mantissas are rounded in f64.
  product.relative = Gamma(product.count, UnitRoundoff(type_)) + 0x1p-50;
  SetValue(i, uses, &product);
  return product;
}

void StartProducts::SetValue(int64_t i, double uses, Product* product) const {
  const auto [mantissa, exponent] = MantissaAndExponent(start_);
  const double power = std::pow(mantissa, uses);
  if (specials_[i] > 0) {
    product->mantissa = std::copysign(1, power) * mantissas_[i];
  } else if (IsKnown(power) && IsKnown(mantissas_[i])) {
    const auto [rest, more] = MantissaAndExponent(power);
    product->mantissa = mantissas_[i] * rest;
    product->exponent = exponents_[i] + exponent * uses + more;
  } else {
    // Products of thousands of mantissas may leave the range of f64. The logarithms tell less.
    const double size = product->largest + product->smallest;
    product->exponent = std::nearbyint(size);
    product->mantissa =
        std::copysign(std::exp2(size - product->exponent), std::copysign(1, power) * mantissas_[i]);
    product->relative += product->unsure;
  }
}

StartAnswer StartProducts::Explain(int64_t i, uint64_t actual, double most) const {
  StartAnswer answer = StartAnswer::kNo;
  for (double uses = 2; uses <= most && answer != StartAnswer::kYes; ++uses) {
    answer = std::max(answer, Decide(OfUses(i, uses), actual));
  }
  return answer;
}

double StartProducts::Lost(const Product& product) const {
  // Roundings may take a partial product below the normal numbers.
  const double unsure = product.unsure + std::log2(1 + product.relative);
  const int least = Info(type_).format->min_exponent();
  if (product.count < 2 || product.smallest - unsure >= least) return 0;
  // One partial product errs by half a denormal's distance, or is flushed. The other factors
  // enlarge that.
  const double each = flushes_ ? SmallestNormal(type_) : UlpOf(type_, 0) / 2;
  const double size = std::log2(std::fabs(product.mantissa)) + product.exponent;
  return product.count * std::exp2(std::log2(each) + product.largest - size);
}

StartAnswer StartProducts::Decide(const Product& product, uint64_t actual) const {
  const double value = DecodeFloat(type_, actual);
  const FloatFormat& format = *Info(type_).format;
  const double largest = DecodeFloat(type_, MaxFinite(type_));
  const bool overflows =
      product.largest + product.unsure + std::log2(1 + product.relative) >= std::log2(largest);
  const auto answer = [](bool yes) { return yes ? StartAnswer::kYes : StartAnswer::kNo; };
  if (product.mantissa == 0) return answer(value == 0 || (std::isnan(value) && overflows));
  if (!std::isfinite(product.mantissa)) {
    return answer(value == product.mantissa ||
                  (std::isnan(value) && product.smallest < format.min_exponent()));
  }
  const double lost = Lost(product);
  // Overflow in one order and underflow in another meet as a NaN.
  if (std::isnan(value)) {
    return answer(overflows && (lost >= 1 || format.overflow == Overflow::kNan));
  }
  if (std::signbit(value) != std::signbit(product.mantissa) && value != 0) return StartAnswer::kNo;
  if (std::isinf(value)) return answer(overflows);
  // A partial product that saturates is as good as any.
  if (overflows && format.overflow == Overflow::kSaturate) return StartAnswer::kVacuous;
  // So many roundings bound nothing.
  if (!(product.relative < kInfinity)) return StartAnswer::kVacuous;
  return DecideFinite(product, value);
}

StartAnswer StartProducts::DecideFinite(const Product& product, double actual) const {
  const double lost = Lost(product);
  if (actual == 0) return lost * (1 + product.relative) >= 1 ? StartAnswer::kYes : StartAnswer::kNo;
  const auto [mantissa, exponent] = MantissaAndExponent(actual);
  const double ratio =
      std::ldexp(mantissa / product.mantissa,
                 static_cast<int>(std::clamp(exponent - product.exponent, -1e6, 1e6)));
  const double distance = std::fabs(ratio - 1);
  if (distance <= product.relative + (lost < 1 ? lost : 0)) return StartAnswer::kYes;
  // A rounding to a denormal number at most doubles what it does not take away.
  const double by_size = (1 + product.relative) * std::exp2(product.count - 1);
  const bool vacuous = distance <= product.relative + std::min(lost, by_size);
  return vacuous ? StartAnswer::kVacuous : StartAnswer::kNo;
}

}  // namespace assay::conformance
