#include "conformance/enclosure/folds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conformance/enclosure/orders.h"
#include "conformance/enclosure/radii.h"
#include "evaluator/facts/widened_fold.h"
#include "evaluator/region/reducer.h"

namespace assay {
namespace {

std::vector<Literal> AtEnds(absl::Span<const Box> operands, bool high) {
  std::vector<Literal> ends;
  for (const Box& operand : operands) ends.push_back(high ? operand.high : operand.low);
  return ends;
}

bool HasNans(absl::Span<const Box> operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [](const Box& operand) { return operand.has_nan(); });
}

// Marks the cells that a NaN of an operand may reach, by the fold of marks: `mark` where there may
// be one, `clear` elsewhere, neither of which the fold makes of the other. Operands that tell where
// elements go stay what they are.
absl::Status MarkNans(const Instruction& instruction, absl::Span<const Box> operands,
                      const FoldContext& context, double mark, double clear, Box* box) {
  if (!HasNans(operands)) return absl::OkStatus();
  std::vector<Literal> marks;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Box& operand = operands[k];
    const ElementType type = operand.shape().element_type();
    const bool places =
        !IsFloat(type) || (instruction.opcode() == Opcode::kSelectAndScatter && k == 0);
    if (places) {
      marks.push_back(operand.low);
      continue;
    }
    const Element set{EncodeFloat(type, mark)}, unset{EncodeFloat(type, clear)};
    Literal values = Literal::Zeros(operand.shape());
    for (int64_t i = 0; i < values.element_count(); ++i) {
      values.Set(i, operand.has_nan() && operand.nan.Get(i).bits != 0 ? set : unset);
    }
    marks.push_back(std::move(values));
  }
  absl::StatusOr<Literal> reached = context.evaluate(marks);
  if (!reached.ok()) return reached.status();
  UpdateParts(
      [&](const Line& line, Place place, Ends* ends) {
        const uint64_t bits = reached->Get(place.element).bits;
        if (line.IsNan(bits) || DecodeFloat(line.type(), bits) != clear) ends->nan = true;
      },
      box);
  return absl::OkStatus();
}

// Of products of what is not negative: zero and infinity may be among the factors.
void AddNansOfZeros(Box* box) {
  UpdateParts(
      [](const Line& line, Place, Ends* ends) {
        if (line.IsNan(ends->low) || ends->low == ends->high) return;
        if (line.Ordinal(ends->low) <= 0 && line.Ordinal(ends->high) == line.greatest()) {
          ends->nan = line.has_nan();
        }
      },
      box);
}

// A fold that rises with every term.
absl::StatusOr<std::vector<Box>> EncloseRising(const Instruction& instruction,
                                               absl::Span<const Box> operands,
                                               const FoldContext& context, ReducerKind kind) {
  const bool sums = kind == ReducerKind::kAdd || kind == ReducerKind::kMultiply;
  absl::StatusOr<Literal> low = context.evaluate(AtEnds(operands, false));
  if (!low.ok()) return low.status();
  absl::StatusOr<Literal> high = context.evaluate(AtEnds(operands, true));
  if (!high.ok()) return high.status();
  if (low->is_tuple()) return AnythingOf(instruction);
  // Marks are numbers that some types lack.
  if (HasNans(operands) && !Info(low->element_type()).format->has_sign) {
    return AnythingOf(instruction);
  }
  Box box = HullOfCorners({*low, *high});
  if (sums && IsFloat(box.low.element_type())) {
    absl::StatusOr<std::vector<double>> radii = context.radii(AllMagnitudes(instruction, operands));
    if (!radii.ok()) return radii.status();
    WidenByRadii(*radii, &box);
    AddNansOfInfinities(&box);
    if (kind == ReducerKind::kMultiply) AddNansOfZeros(&box);
  }
  const double mark = kind == ReducerKind::kMinimum ? -1 : kind == ReducerKind::kMultiply ? 0 : 1;
  absl::Status status =
      MarkNans(instruction, operands, context, mark, kind == ReducerKind::kMultiply ? 1 : 0, &box);
  if (!status.ok()) return status;
  return std::vector<Box>{std::move(box)};
}

// A product whose factors are all positive rises with each.
bool AllPositive(absl::Span<const Box> operands) {
  for (const Box& operand : operands) {
    const ElementType type = operand.low.element_type();
    if (!IsFloat(type)) return false;
    for (int64_t i = 0; i < operand.low.element_count(); ++i) {
      const uint64_t low = operand.low.Get(i).bits;
      if (IsNan(type, low) || IsNegative(type, low)) return false;
    }
  }
  return true;
}

// Centres and radii, such that every value of the box is within the radius of the centre, and the
// magnitudes of the centres and of all values; as arrays of f32 or f64.
struct Centred {
  Literal centres, radii, centre_sizes, sizes;
};

Centred Centre(const Box& box, ElementType type) {
  Shape shape = box.shape();
  shape.set_element_type(type);
  shape.ClearLayouts();
  Centred centred{Literal::Zeros(shape), Literal::Zeros(shape), Literal::Zeros(shape),
                  Literal::Zeros(shape)};
  const int64_t count = box.low.element_count();
  std::vector<double> lows(count), highs(count), centres(count), radii(count), sizes(count);
  auto decode = [&](const Literal& literal, std::vector<double>* values) {
    if (IsFloat(literal.element_type())) {
      return DecodeFloats(literal.element_type(), literal.data(), count, values->data());
    }
    for (int64_t i = 0; i < count; ++i) {
      (*values)[i] =
          IsSigned(literal.element_type())
              ? static_cast<double>(DecodeSigned(literal.element_type(), literal.Get(i).bits))
              : static_cast<double>(DecodeUnsigned(literal.element_type(), literal.Get(i).bits));
    }
  };
  decode(box.low, &lows);
  decode(box.high, &highs);
  for (int64_t i = 0; i < count; ++i) {
    const bool unbounded = std::isinf(lows[i]) || std::isinf(highs[i]);
    centres[i] = lows[i] == highs[i] ? lows[i] : unbounded ? 0 : lows[i] / 2 + highs[i] / 2;
  }
  EncodeFloats(type, centres.data(), count, centred.centres.mutable_data());
  DecodeFloats(type, centred.centres.data(), count, centres.data());
  // Away from zero by more than the rounding to the type takes off.
  const double up = 1 + std::ldexp(1.0, 2 - Info(type).format->precision());
  const double least = std::ldexp(1.0, Info(type).format->min_exponent());
  for (int64_t i = 0; i < count; ++i) {
    const double radius = std::max(highs[i] - centres[i], centres[i] - lows[i]);
    radii[i] = radius > 0 ? radius * up + least : 0;
    sizes[i] = std::max(std::fabs(lows[i]), std::fabs(highs[i]));
    if (sizes[i] > 0) sizes[i] = sizes[i] * up;
    centres[i] = std::fabs(centres[i]);
  }
  EncodeFloats(type, radii.data(), count, centred.radii.mutable_data());
  EncodeFloats(type, sizes.data(), count, centred.sizes.mutable_data());
  EncodeFloats(type, centres.data(), count, centred.centre_sizes.mutable_data());
  return centred;
}

Literal Filled(const Box& box, ElementType type, double (*value)(const Box&, int64_t)) {
  Shape shape = box.shape();
  shape.set_element_type(type);
  shape.ClearLayouts();
  Literal filled = Literal::Zeros(shape);
  for (int64_t i = 0; i < filled.element_count(); ++i) {
    filled.Set(i, Element{EncodeFloat(type, value(box, i))});
  }
  return filled;
}
Literal NanMarks(const Box& box, ElementType type) {
  return Filled(box, type,
                [](const Box& of, int64_t i) { return of.nan.Get(i).bits != 0 ? 1.0 : 0.0; });
}
Literal Ones(const Box& box, ElementType type) {
  return Filled(box, type, [](const Box&, int64_t) { return 1.0; });
}

// dot and convolution: |xy - cx cy| <= |x| ry + rx |cy|, summed. Types of fewer than 32 bits, and
// whatever takes two types, are computed in f64.
absl::StatusOr<std::vector<Box>> EncloseProducts(const Instruction& instruction,
                                                 absl::Span<const Box> operands,
                                                 const FoldContext& context) {
  const ElementType type = instruction.shape().element_type();
  if (!IsFloat(type) || operands.size() != 2) return AnythingOf(instruction);
  const bool alone = (type == ElementType::kF32 || type == ElementType::kF64) &&
                     operands[0].shape().element_type() == type &&
                     operands[1].shape().element_type() == type;
  const ElementType inner = alone ? type : ElementType::kF64;
  const Centred left = Centre(operands[0], inner), right = Centre(operands[1], inner);
  const std::unique_ptr<Module> wide = alone ? nullptr : WidenFold(instruction, Opcode::kAdd);
  auto product = [&](const Literal& a, const Literal& b) {
    return alone ? context.evaluate({a, b}) : context.evaluate_module(*wide, {a, b});
  };
  const int64_t count = instruction.shape().element_count();
  // Of a product that is zero because the radii of a factor are: nothing.
  auto decoded = [&](const Literal& a, const Literal& b,
                     bool zero) -> absl::StatusOr<std::vector<double>> {
    std::vector<double> values(count, 0.0);
    if (zero) return values;
    absl::StatusOr<Literal> value = product(a, b);
    if (!value.ok()) return value.status();
    DecodeFloats(inner, value->data(), count, values.data());
    return values;
  };
  const auto middles = decoded(left.centres, right.centres, false);
  if (!middles.ok()) return middles.status();
  const auto rights = decoded(left.sizes, right.radii, operands[1].is_point());
  if (!rights.ok()) return rights.status();
  const auto lefts = decoded(left.radii, right.centre_sizes, operands[0].is_point());
  if (!lefts.ok()) return lefts.status();
  absl::StatusOr<std::vector<double>> bounds = context.radii(AllMagnitudes(instruction, operands));
  if (!bounds.ok()) return bounds.status();

  const double u = std::ldexp(1.0, 1 - Info(inner).format->precision());
  const double least = std::ldexp(1.0, Info(inner).format->min_exponent());
  Box box = Box::Point(Literal::Zeros(instruction.shape()));
  EncodeFloats(type, middles->data(), count, box.low.mutable_data());
  std::vector<double> rounded(count), widths(count);
  DecodeFloats(type, box.low.data(), count, rounded.data());
  for (int64_t i = 0; i < count; ++i) {
    const double middle = (*middles)[i], off = rounded[i] - middle;
    const double radius = ((*rights)[i] + (*lefts)[i]) * (1 + 4 * u) + least;
    widths[i] = (*bounds)[i] + radius + u * std::fabs(middle) + 2 * std::fabs(off);
    if (std::isfinite(widths[i])) continue;
    // Nothing is known, whatever the centres gave: zero times infinity is NaN, and near it is not.
    widths[i] = kInfinity;
    box.low.Set(i, Element{});
  }
  box.high = box.low;
  WidenByRadii(widths, &box);
  // Whatever a NaN is multiplied with, it reaches the cell.
  for (int k : {0, 1}) {
    if (!operands[k].has_nan()) continue;
    absl::StatusOr<Literal> reached =
        k == 0 ? product(NanMarks(operands[0], inner), Ones(operands[1], inner))
               : product(Ones(operands[0], inner), NanMarks(operands[1], inner));
    if (!reached.ok()) return reached.status();
    UpdateParts(
        [&](const Line&, Place place, Ends* ends) {
          if (reached->Get(place.element).bits != 0) ends->nan = true;
        },
        &box);
  }
  return std::vector<Box>{std::move(box)};
}

}  // namespace

absl::StatusOr<std::vector<Box>> EncloseFold(const Instruction& instruction,
                                             absl::Span<const Box> operands,
                                             const FoldContext& context) {
  switch (instruction.opcode()) {
    case Opcode::kDot:
    case Opcode::kConvolution:
      return EncloseProducts(instruction, operands, context);
    case Opcode::kSort:
      return EncloseSort(instruction, operands, context.evaluate);
    case Opcode::kTopK:
      return EncloseTopK(instruction, operands, context.evaluate);
    case Opcode::kScatter:
      // Where the updates go must be known.
      if (!operands[operands.size() / 2].is_point()) return AnythingOf(instruction);
      break;
    case Opcode::kSelectAndScatter:
      if (!operands[0].is_point()) return AnythingOf(instruction);
      break;
    default:
      break;
  }
  const Computation* region = instruction.opcode() == Opcode::kSelectAndScatter
                                  ? instruction.GetComputation(Attr::kScatter)
                                  : instruction.to_apply();
  if (region == nullptr) return AnythingOf(instruction);
  const bool complex = IsComplex(operands[0].low.element_type());
  const ReducerKind kind = RecogniseReducer(*region).kind;
  switch (kind) {
    case ReducerKind::kAdd:
      if (complex || instruction.shape().is_tuple()) return AnythingOf(instruction);
      // Integers wrap.
      if (!IsFloat(operands[0].low.element_type())) return AnythingOf(instruction);
      return EncloseRising(instruction, operands, context, kind);
    case ReducerKind::kMultiply:
      if (complex || instruction.shape().is_tuple() || !AllPositive(operands)) {
        return AnythingOf(instruction);
      }
      return EncloseRising(instruction, operands, context, kind);
    case ReducerKind::kMinimum:
    case ReducerKind::kMaximum:
      return EncloseRising(instruction, operands, context, kind);
    case ReducerKind::kAnd:
    case ReducerKind::kOr:
      if (!IsPred(operands[0].low.element_type())) return AnythingOf(instruction);
      return EncloseRising(instruction, operands, context, kind);
    case ReducerKind::kArgMinimum:
    case ReducerKind::kArgMaximum:
      if (instruction.opcode() != Opcode::kReduce) return AnythingOf(instruction);
      return EncloseExtremePlaces(instruction, operands, context.evaluate);
    default:
      break;
  }
  // A scatter that overwrites moves.
  if (instruction.opcode() == Opcode::kScatter && !instruction.shape().is_tuple() &&
      region->root()->opcode() == Opcode::kParameter && region->root()->parameter_number() == 1) {
    return EncloseRising(instruction, operands, context, ReducerKind::kMaximum);
  }
  return AnythingOf(instruction);
}

}  // namespace assay
