#include "conformance/enclosure/folds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conformance/enclosure/orders.h"
#include "conformance/enclosure/radii.h"
#include "conformance/enclosure/selected_sums.h"
#include "conformance/judge/rounds.h"
#include "spec/analysis/isolate.h"
#include "spec/analysis/reducer.h"

namespace assay::conformance {
namespace {

std::vector<Literal> AtEnds(Boxes operands, bool high) {
  std::vector<Literal> ends;
  for (const Box& operand : operands) ends.push_back(high ? operand.high : operand.low);
  return ends;
}

bool HasNans(Boxes operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [](const Box& operand) { return operand.has_nan(); });
}

// Marks the cells that a NaN of an operand may reach, by the fold of marks: `mark` where there may
// be one, `clear` elsewhere, neither of which the fold makes of the other. Operands that tell where
// elements go stay what they are.
absl::Status MarkNans(const Instruction& instruction, Boxes operands, const FoldContext& context,
                      double mark, double clear, Box* box) {
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

// Adds NaN to products of nonnegative factors, among which may be a zero and an infinity.
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

// Whether an error of n units roundoff, for the n terms of a result, is far from the result itself:
// then value and error together still rise with every term, so that what is no less than the golden
// value at the lower ends but for the error there bounds all values between the ends, by whatever
// algorithm. Else the error at the largest magnitudes counts at both ends.
bool RisesWithError(const Instruction& instruction, Boxes operands) {
  constexpr double kFar = 1.0 / 16;
  // Golden's number of terms includes start values that are not zero. It must be the same at both
  // ends.
  const Box& start =
      instruction.opcode() == Opcode::kScatter ? operands[0] : operands[operands.size() - 1];
  if (!start.is_point()) return false;
  double terms = 1;
  for (const Box& operand : operands) terms += static_cast<double>(operand.low.element_count());
  if (instruction.opcode() == Opcode::kReduce) {
    terms =
        2 + terms / static_cast<double>(std::max<int64_t>(1, instruction.shape().element_count()));
  }
  return terms * UnitRoundoff(Info(operands[0].low.element_type()).component) < kFar;
}

// Widens sums or products, whose operands have these ends, by what a profile allows.
absl::Status WidenSums(const Instruction& instruction, Boxes operands, const FoldContext& context,
                       const Literal& low, const Literal& high, Box* box) {
  const std::vector<Literal> lows = AtEnds(operands, false), highs = AtEnds(operands, true);
  Reach below, above;
  if (RisesWithError(instruction, operands)) {
    absl::StatusOr<Reach> about_low = context.reach_about(lows, low);
    if (!about_low.ok()) return about_low.status();
    absl::StatusOr<Reach> about_high = context.reach_about(highs, high);
    if (!about_high.ok()) return about_high.status();
    below = *std::move(about_low);
    above = *std::move(about_high);
  } else {
    absl::StatusOr<Reach> within = context.reach(AllMagnitudes(instruction, operands));
    if (!within.ok()) return within.status();
    below = above = *std::move(within);
  }
  if (below.radii.empty() && above.radii.empty()) return absl::OkStatus();
  // An element that may overflow at one end and then meet the opposite infinity is unconstrained.
  const auto agree = [&](std::vector<double>* one, std::vector<double>* other) {
    const size_t count = std::max(one->size(), other->size());
    one->resize(count);
    other->resize(count);
    for (size_t i = 0; i < one->size(); ++i) {
      if ((*one)[i] == kInfinity || (*other)[i] == kInfinity) (*one)[i] = (*other)[i] = kInfinity;
    }
  };
  if (context.exact && !below.unrounded.empty() && !above.unrounded.empty()) {
    const absl::StatusOr<ExactSums> least = context.exact(lows);
    if (!least.ok()) return least.status();
    const absl::StatusOr<ExactSums> most = context.exact(highs);
    if (!most.ok()) return most.status();
    if (!least->values.empty()) {
      agree(&below.unrounded, &above.unrounded);
      JoinRoundedSums(*least, *most, below.unrounded, above.unrounded, box);
      return absl::OkStatus();
    }
  }
  agree(&below.radii, &above.radii);
  Box lowered = *box;
  WidenByRadii(below.radii, &lowered);
  WidenByRadii(above.radii, box);
  box->low = std::move(lowered.low);
  MergeNans(lowered, box);
  return absl::OkStatus();
}

// A fold that rises with every term.
absl::StatusOr<std::vector<Box>> EncloseRising(const Instruction& instruction, Boxes operands,
                                               const FoldContext& context,
                                               analysis::ReducerKind kind) {
  const bool sums = kind == analysis::ReducerKind::kAdd || kind == analysis::ReducerKind::kMultiply;
  absl::StatusOr<Literal> low = context.evaluate(AtEnds(operands, false));
  if (!low.ok()) return low.status();
  absl::StatusOr<Literal> high = context.evaluate(AtEnds(operands, true));
  if (!high.ok()) return high.status();
  if (low->is_tuple()) return AnythingOf(instruction);
  // Marks are real numbers, with signs that some types lack.
  const FloatFormat* const format = Info(low->element_type()).format;
  if (HasNans(operands) && (format == nullptr || !format->has_sign)) {
    return AnythingOf(instruction);
  }
  Box box = HullOfCorners(*low, *high);
  if (sums && IsRounded(box.low.element_type())) {
    absl::Status widened = WidenSums(instruction, operands, context, *low, *high, &box);
    if (!widened.ok()) return widened;
    AddNansOfInfinities(&box);
    if (kind == analysis::ReducerKind::kMultiply) AddNansOfZeros(&box);
  }
  const double mark = kind == analysis::ReducerKind::kMinimum    ? -1
                      : kind == analysis::ReducerKind::kMultiply ? 0
                                                                 : 1;
  absl::Status status = MarkNans(instruction, operands, context, mark,
                                 kind == analysis::ReducerKind::kMultiply ? 1 : 0, &box);
  if (!status.ok()) return status;
  return std::vector<Box>{std::move(box)};
}

// log(sum exp) rises with every element; what it errs by, with the largest of them.
absl::StatusOr<std::vector<Box>> EncloseLogSums(const Instruction& instruction, Boxes operands,
                                                const FoldContext& context) {
  if (HasNans(operands)) return AnythingOf(instruction);
  std::vector<Literal> ends;
  std::vector<double> radii(instruction.shape().element_count(), 0.0);
  for (const bool high : {false, true}) {
    const std::vector<Literal> values = AtEnds(operands, high);
    absl::StatusOr<Literal> golden = context.evaluate(values);
    if (!golden.ok()) return golden.status();
    const absl::StatusOr<Reach> about = context.reach_about(values, *golden);
    if (!about.ok()) return about.status();
    for (size_t i = 0; i < about->radii.size(); ++i) radii[i] = std::max(radii[i], about->radii[i]);
    ends.push_back(*std::move(golden));
  }
  if (!radii.empty() && *std::min_element(radii.begin(), radii.end()) == kInfinity) {
    return AnythingOf(instruction);
  }
  Box box = HullOfCorners(std::move(ends[0]), std::move(ends[1]));
  WidenByRadii(radii, &box);
  return std::vector<Box>{std::move(box)};
}

// A product whose factors are all positive rises with each.
bool AllPositive(Boxes operands) {
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

// Elements that are handled at a time: their doubles stay in the cache.
constexpr int64_t kPiece = 512;

// Calls piece(first, count) for so many elements each.
template <typename Piece>
void InPieces(int64_t count, Piece piece) {
  for (int64_t first = 0; first < count; first += kPiece) {
    piece(first, std::min(kPiece, count - first));
  }
}

// Elements of an array of floats or integers as doubles, and back.
void Decode(const Literal& literal, int64_t first, int64_t count, double* values) {
  const ElementType type = literal.element_type();
  const std::byte* data = literal.data() + first * Info(type).storage_bytes;
  if (IsFloat(type)) return DecodeFloats(type, data, count, values);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = literal.Get(first + i).bits;
    values[i] = IsSigned(type) ? static_cast<double>(DecodeSigned(type, bits))
                               : static_cast<double>(DecodeUnsigned(type, bits));
  }
}
void Encode(const double* values, int64_t first, int64_t count, Literal* literal) {
  const ElementType type = literal->element_type();
  EncodeFloats(type, values, count, literal->mutable_data() + first * Info(type).storage_bytes);
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
  // Away from zero by more than the rounding to the type takes off.
  const double up = 1 + std::ldexp(1.0, 2 - Info(type).format->precision());
  const double least = std::ldexp(1.0, Info(type).format->min_exponent());
  InPieces(box.low.element_count(), [&](int64_t first, int64_t count) {
    double lows[kPiece], highs[kPiece], centres[kPiece], radii[kPiece], sizes[kPiece];
    Decode(box.low, first, count, lows);
    Decode(box.high, first, count, highs);
    for (int64_t i = 0; i < count; ++i) {
      const bool unbounded = std::isinf(lows[i]) || std::isinf(highs[i]);
      centres[i] = lows[i] == highs[i] ? lows[i] : unbounded ? 0 : lows[i] / 2 + highs[i] / 2;
    }
    Encode(centres, first, count, &centred.centres);
    Decode(centred.centres, first, count, centres);
    for (int64_t i = 0; i < count; ++i) {
      const double radius = std::max(highs[i] - centres[i], centres[i] - lows[i]);
      radii[i] = radius > 0 ? radius * up + least : 0;
      const double size = std::max(std::fabs(lows[i]), std::fabs(highs[i]));
      sizes[i] = size > 0 ? size * up : size;
      centres[i] = std::fabs(centres[i]);
    }
    Encode(radii, first, count, &centred.radii);
    Encode(sizes, first, count, &centred.sizes);
    Encode(centres, first, count, &centred.centre_sizes);
  });
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

// Whatever a NaN is multiplied with, it reaches the cell: those that the NaNs of a factor reach may
// be NaN.
template <typename Products>
absl::Status AddReachedNans(Boxes factors, ElementType inner, const Products& products_of,
                            Box* box) {
  for (int k : {0, 1}) {
    if (!factors[k].has_nan()) continue;
    absl::StatusOr<Literal> reached =
        k == 0 ? products_of(NanMarks(factors[0], inner), Ones(factors[1], inner))
               : products_of(Ones(factors[0], inner), NanMarks(factors[1], inner));
    if (!reached.ok()) return reached.status();
    UpdateParts(
        [&](const Line&, Place place, Ends* ends) {
          if (reached->Get(place.element).bits != 0) ends->nan = true;
        },
        box);
  }
  return absl::OkStatus();
}

// dot, ragged dot and convolution: |xy - cx cy| <= |x| ry + rx |cy|, summed.
absl::StatusOr<std::vector<Box>> EncloseProducts(const Instruction& instruction, Boxes operands,
                                                 const FoldContext& context) {
  const ElementType type = instruction.shape().element_type();
  const bool ragged = instruction.opcode() == Opcode::kRaggedDot;
  if (!IsFloat(type) || operands.size() != (ragged ? 3 : 2)) return AnythingOf(instruction);
  if (ragged && !operands[2].is_point()) return AnythingOf(instruction);
  const auto products_of = [&](Literal left, Literal right) {
    std::vector<Literal> factors = {std::move(left), std::move(right)};
    if (ragged) factors.push_back(operands[2].low);
    return context.evaluate_products(factors);
  };
  const ElementType inner = SumType(instruction);
  const Centred left = Centre(operands[0], inner), right = Centre(operands[1], inner);
  const absl::StatusOr<Literal> middles = products_of(left.centres, right.centres);
  if (!middles.ok()) return middles.status();
  // A product is zero where the radii of a factor are.
  std::vector<Literal> spreads;
  for (const bool of_left : {true, false}) {
    if (operands[of_left ? 0 : 1].is_point()) continue;
    absl::StatusOr<Literal> spread = of_left ? products_of(left.radii, right.centre_sizes)
                                             : products_of(left.sizes, right.radii);
    if (!spread.ok()) return spread.status();
    spreads.push_back(*std::move(spread));
  }
  absl::StatusOr<Reach> reach = context.reach(AllMagnitudes(instruction, operands));
  if (!reach.ok()) return reach.status();
  // The radius is that of the exact sums if they are known, otherwise that of the golden sums,
  // which are rounded as well.
  const bool from_exact = !reach->unrounded.empty();
  const std::vector<double>& widths = from_exact ? reach->unrounded : reach->radii;

  const double u = std::ldexp(1.0, 1 - Info(inner).format->precision());
  const double least = UlpOf(inner, 0);
  const int64_t count = instruction.shape().element_count();
  std::vector<double> lows(count), highs(count);
  Box box = Box::Point(Literal::Zeros(instruction.shape()));
  InPieces(count, [&](int64_t first, int64_t size) {
    double exact[kPiece], rounded[kPiece], radii[kPiece] = {}, more[kPiece];
    Decode(*middles, first, size, exact);
    Encode(exact, first, size, &box.low);
    Decode(box.low, first, size, rounded);
    for (const Literal& spread : spreads) {
      Decode(spread, first, size, more);
      for (int64_t i = 0; i < size; ++i) radii[i] += more[i];
    }
    for (int64_t i = 0; i < size; ++i) {
      const double middle = exact[i], off = from_exact ? 0 : 2 * std::fabs(rounded[i] - middle);
      const double width =
          widths[first + i] + radii[i] * (1 + 4 * u) + 2 * least + u * std::fabs(middle) + off;
      lows[first + i] = middle - width;
      highs[first + i] = middle + width;
      // The element is unconstrained whatever the centres give: zero times infinity is NaN, but a
      // number near zero times infinity is not.
      if (!std::isfinite(width)) box.low.Set(first + i, Element{});
    }
  });
  box.high = box.low;
  JoinRounded(lows, highs, &box);
  AddNansOfInfinities(&box);
  if (absl::Status status = AddReachedNans(operands, inner, products_of, &box); !status.ok()) {
    return status;
  }
  return std::vector<Box>{std::move(box)};
}

// A fold by a recognised reducer; unconstrained by any other.
absl::StatusOr<std::vector<Box>> EncloseByReducer(const Instruction& instruction, Boxes operands,
                                                  const FoldContext& context,
                                                  analysis::ReducerKind kind) {
  const bool complex = IsComplex(operands[0].low.element_type());
  switch (kind) {
    case analysis::ReducerKind::kAdd:
      if (instruction.shape().is_tuple()) return AnythingOf(instruction);
      // Integers wrap. Marks of NaNs are real numbers.
      if (!IsRounded(operands[0].low.element_type()) || (complex && HasNans(operands))) {
        return AnythingOf(instruction);
      }
      return EncloseRising(instruction, operands, context, kind);
    case analysis::ReducerKind::kMultiply:
      if (complex || instruction.shape().is_tuple() || !AllPositive(operands)) {
        return AnythingOf(instruction);
      }
      return EncloseRising(instruction, operands, context, kind);
    case analysis::ReducerKind::kMinimum:
    case analysis::ReducerKind::kMaximum:
      return EncloseRising(instruction, operands, context, kind);
    case analysis::ReducerKind::kAnd:
    case analysis::ReducerKind::kOr:
      if (!IsPred(operands[0].low.element_type())) return AnythingOf(instruction);
      return EncloseRising(instruction, operands, context, kind);
    case analysis::ReducerKind::kArgMinimum:
    case analysis::ReducerKind::kArgMaximum:
      if (instruction.opcode() != Opcode::kReduce) return AnythingOf(instruction);
      return EncloseExtremePlaces(instruction, operands, context.evaluate);
    default:
      return AnythingOf(instruction);
  }
}

}  // namespace

absl::StatusOr<std::vector<Box>> EncloseFold(const Instruction& instruction, Boxes operands,
                                             const FoldContext& context) {
  switch (instruction.opcode()) {
    case Opcode::kDot:
    case Opcode::kRaggedDot:
    case Opcode::kConvolution:
      return EncloseProducts(instruction, operands, context);
    case Opcode::kSort:
      return EncloseSort(instruction, operands, context.evaluate);
    case Opcode::kTopK:
      return EncloseTopK(instruction, operands, context.evaluate);
    case Opcode::kScatter:
      // The positions of the updates must be known.
      if (!operands[operands.size() / 2].is_point()) return AnythingOf(instruction);
      break;
    case Opcode::kSelectAndScatter:
      if (!operands[0].is_point()) return EncloseSelectedSums(instruction, operands, context);
      break;
    default:
      break;
  }
  // Boxes name the instruction itself, not its flat form.
  const std::unique_ptr<Module> flat = analysis::FlattenRegions(instruction);
  const Instruction& form = flat == nullptr ? instruction : *flat->entry()->root();
  const Computation* region = form.opcode() == Opcode::kSelectAndScatter
                                  ? form.GetComputation(Attr::kScatter)
                                  : form.to_apply();
  if (region == nullptr) return AnythingOf(instruction);
  const analysis::ReducerKind kind = analysis::RecogniseReducer(*region).kind;
  if (kind != analysis::ReducerKind::kOther) {
    return EncloseByReducer(instruction, operands, context, kind);
  }
  if (FoldsLogSums(form)) return EncloseLogSums(instruction, operands, context);
  // A scatter that overwrites moves.
  if (instruction.opcode() == Opcode::kScatter && !instruction.shape().is_tuple() &&
      region->root()->opcode() == Opcode::kParameter && region->root()->parameter_number() == 1) {
    return EncloseRising(instruction, operands, context, analysis::ReducerKind::kMaximum);
  }
  return AnythingOf(instruction);
}

}  // namespace assay::conformance
