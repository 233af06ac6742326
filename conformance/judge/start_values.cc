#include "conformance/judge/start_values.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "conformance/judge/rounds.h"

namespace assay {
namespace {

using ComplexValue = std::complex<double>;

ComplexValue Value(const Literal& literal, int64_t i) {
  const ElementType part = PartType(literal);
  const Element element = literal.Get(i);
  return {DecodeFloat(part, element.bits),
          IsComplex(literal.element_type()) ? DecodeFloat(part, element.imag) : 0};
}

// How often the start value may count beyond the once: in each of the folded elements' parts.
struct Times {
  explicit Times(double most) : most(most) {}
  bool Has(double m) const { return m != 0 && m >= -1 && m <= most; }
  double most;
};

bool AddsInteger(uint64_t golden, uint64_t actual, uint64_t start, int bits, const Times& times) {
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  constexpr double kMost = 1 << 16;
  uint64_t sum = golden - start;
  for (double m = -1; m <= std::min(times.most, kMost); ++m, sum += start) {
    if (((sum ^ actual) & mask) == 0) return true;
  }
  return false;
}

// golden + m start, which errs by m additions more.
bool Adds(ComplexValue golden, ComplexValue actual, ComplexValue start, double u, double slack,
          const Times& times) {
  const ComplexValue distance = actual - golden;
  const double m = std::nearbyint((distance * std::conj(start)).real() / std::norm(start));
  const double added = std::abs(m * start);
  return times.Has(m) &&
         std::abs(distance - m * start) <= slack + u * (times.most * added + std::abs(actual));
}

// golden * start^m.
bool Multiplies(double golden, double actual, double start, double u, double slack,
                const Times& times) {
  const double ratio = actual / golden;
  const double m = std::nearbyint(std::log(std::fabs(ratio)) / std::log(std::fabs(start)));
  const double wanted = std::pow(start, m);
  return times.Has(m) && std::fabs(ratio - wanted) <=
                             std::fabs(wanted) * (slack / std::fabs(golden) + u * (times.most + 2));
}

}  // namespace

bool StartCounts(ReducerKind kind, const ElementRange& start) {
  const bool is_float = IsRounded(start.type);
  const auto is = [&](const PartRange& part, double value) {
    return DecodeFloat(part.type, part.low) == value && DecodeFloat(part.type, part.high) == value;
  };
  if (kind == ReducerKind::kAdd) {
    if (!is_float) return start.real.low != 0 || start.real.high != 0;
    return !is(start.real, 0) || (IsComplex(start.type) && !is(start.imag, 0));
  }
  return kind == ReducerKind::kMultiply && IsFloat(start.type) && !is(start.real, 1) &&
         !is(start.real, -1);
}

bool MayCountStart(const Instruction& reduce, const ElementRange& start) {
  return reduce.opcode() == Opcode::kReduce && reduce.operand_count() == 2 &&
         start.type == reduce.shape().element_type() && StartCounts(FoldKind(reduce), start);
}

bool CountsStartOtherwise(const Subject& subject, const Literal& golden, const Literal& actual,
                          int64_t i, double slack) {
  if (subject.operands.size() != 2 || !subject.operands[1].is_array()) return false;
  const Literal& start = subject.operands[1];
  const ElementType type = golden.element_type();
  if (subject.instruction.opcode() != Opcode::kReduce ||
      !MayCountStart(subject.instruction, ElementRange::Of(start.element_type(), start.Get(0)))) {
    return false;
  }
  const ReducerKind kind = FoldKind(subject.instruction);
  const Times times(static_cast<double>(subject.operands[0].element_count()) /
                    static_cast<double>(golden.element_count()));
  if (IsInteger(type)) {
    return kind == ReducerKind::kAdd && AddsInteger(golden.Get(i).bits, actual.Get(i).bits,
                                                    start.Get(0).bits, Info(type).bits, times);
  }
  if (!IsRounded(type)) return false;
  const ComplexValue g = Value(golden, i), a = Value(actual, i), s = Value(start, 0);
  const double u = UnitRoundoff(PartType(golden));
  if (!std::isfinite(std::abs(g)) || !std::isfinite(std::abs(a)) || !std::isfinite(std::abs(s))) {
    return false;
  }
  if (kind == ReducerKind::kAdd) return Adds(g, a, s, u, slack, times);
  return kind == ReducerKind::kMultiply && g != 0.0 && a != 0.0 && s != 0.0 &&
         Multiplies(g.real(), a.real(), s.real(), u, slack, times);
}

}  // namespace assay
