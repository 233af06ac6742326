#include "conformance/enclosure/excess_precision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "conformance/judge/bounds.h"
#include "evaluator/facts/widened_fold.h"
#include "spec/analysis/isolate.h"
#include "spec/analysis/reducer.h"

namespace assay::conformance {
namespace {

constexpr ElementType kWide = ElementType::kF32;

Shape ShapeInF32(const Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(ShapeInF32(element));
    return Shape::Tuple(std::move(elements));
  }
  Shape wide = shape;
  if (shape.is_array() && IsEnclosedInF32(shape.element_type())) {
    wide.set_element_type(kWide);
    wide.ClearLayouts();
  }
  return wide;
}

// Returns the same elements in another type.
template <typename Convert>
Literal Converted(const Literal& from, const Shape& shape, Convert convert) {
  Literal to = Literal::Zeros(shape);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) to.set_dynamic_size(d, from.dynamic_size(d));
  }
  for (int64_t i = 0; i < to.element_count(); ++i) to.Set(i, Element{convert(from.Get(i).bits)});
  return to;
}

Literal Widened(const Literal& narrow) {
  return Converted(narrow, ShapeInF32(narrow.shape()), [&](uint64_t bits) {
    return EncodeFloat(kWide, DecodeFloat(narrow.element_type(), bits));
  });
}

bool AnyLeaf(const Shape& shape) {
  for (const Shape* leaf : Leaves(shape)) {
    if (leaf->is_array() && IsEnclosedInF32(leaf->element_type())) return true;
  }
  return false;
}

Box BoxInF32(const Box& narrow) {
  if (!narrow.low.is_array() || !IsEnclosedInF32(narrow.low.element_type())) return narrow;
  if (narrow.is_point()) {
    Box box = Box::Point(Widened(narrow.low));
    box.open = narrow.open;
    box.given = narrow.given;
    return box;
  }
  const Line& line = Line::Of(narrow.low.element_type());
  Box box{Widened(narrow.low), Widened(narrow.high), {}, narrow.open, narrow.flushed, narrow.given};
  UpdateParts(
      [&](const Line& wide, Place place, Ends* ends) {
        const uint64_t low = narrow.low.Get(place.element).bits;
        const uint64_t high = narrow.high.Get(place.element).bits;
        ends->nan = narrow.has_nan() && narrow.nan.Get(place.element).bits != 0;
        if (line.IsNan(low) || low == high) return;
        const bool least = line.Ordinal(low) == line.least();
        const bool greatest = line.Ordinal(high) == line.greatest();
        if (least) ends->low = wide.Bits(wide.least());
        if (greatest) ends->high = wide.Bits(wide.greatest());
        if (least && greatest) ends->nan = true;
      },
      &box);
  return box;
}

// Zeros count.
bool MayBeDenormal(ElementType type, double low, double high) {
  return low < SmallestNormal(type) && high > -SmallestNormal(type);
}

// What f16 or bf16 makes of a number: the types in which some targets compute narrow ones. f16 has
// not the range of scales.
void JoinCoarser(const Line& line, ElementType type, Ends* ends) {
  if (line.IsNan(ends->low)) return;
  for (const ElementType coarser : {ElementType::kF16, ElementType::kBF16}) {
    if (coarser == ElementType::kF16 && type == ElementType::kF8E8M0FNU) continue;
    const auto round = [&](uint64_t bits) {
      const double value = DecodeFloat(kWide, bits);
      return line.Ordinal(EncodeFloat(kWide, DecodeFloat(coarser, EncodeFloat(coarser, value))));
    };
    const int64_t low = round(ends->low), high = round(ends->high);
    if (low < line.Ordinal(ends->low)) ends->low = line.Bits(low);
    if (high > line.Ordinal(ends->high)) ends->high = line.Bits(high);
  }
}

// The patterns of a type that what is between the ends of a box of f32 may be narrowed to.
class Narrowed {
 public:
  Narrowed(const Line& line, const TargetProfile& profile, const Ends& ends, bool may_twice = true)
      : line_(line), twice_(may_twice && profile.Admits(DecisionPoint::kConvertTwice)) {
    const double least = DecodeFloat(line.type(), line.Bits(line.least()));
    const double greatest = DecodeFloat(line.type(), line.Bits(line.greatest()));
    const double low = DecodeFloat(kWide, ends.low), high = DecodeFloat(kWide, ends.high);
    if (ends.nan || std::isnan(low)) Join(CanonicalNan(line.type()));
    if ((ends.nan || std::isnan(low)) && !line.has_nan()) {  // N-5: any encoding
      Join(line.Bits(line.least()));
      Join(line.Bits(line.greatest()));
    }
    if (std::isnan(low)) return;
    Narrow(low);
    Narrow(high);
    // Beyond one end or both.
    if (low < least && high >= least) Join(line.Bits(line.least()));
    if (high > greatest && low <= greatest) Join(line.Bits(line.greatest()));
    if (line.type() == ElementType::kF8E8M0FNU) {
      if (low <= 0 && high >= 0) nan_ = true;
      if (low <= 0 && high >= 0 && profile.Admits(DecisionPoint::kZeroScale)) Join(0);
      if (low <= least && profile.Admits(DecisionPoint::kLeastScale)) nan_ = true;
    } else if (profile.MayFlushResults(line.type()) && MayBeDenormal(line.type(), low, high)) {
      Narrow(0.0);
      Narrow(-0.0);
    }
  }
  bool nan() const { return nan_; }
  bool numbers() const { return low_ <= high_; }
  uint64_t low() const { return line_.Bits(low_); }
  uint64_t high() const { return line_.Bits(high_); }

 private:
  void Join(uint64_t bits) {
    if (line_.IsNan(bits)) {
      nan_ = true;
      return;
    }
    low_ = std::min(low_, line_.Ordinal(bits));
    high_ = std::max(high_, line_.Ordinal(bits));
  }
  // Joins the value after one conversion from f32, and after two by way of f16 (V-2).
  void Narrow(double value) {
    Join(EncodeFloat(line_.type(), value));
    if (!twice_) return;
    constexpr ElementType kHalf = ElementType::kF16;
    Join(EncodeFloat(line_.type(), DecodeFloat(kHalf, EncodeFloat(kHalf, value))));
  }

  const Line& line_;
  const bool twice_;
  int64_t low_ = std::numeric_limits<int64_t>::max();
  int64_t high_ = std::numeric_limits<int64_t>::min();
  bool nan_ = false;
};

uint64_t Directed(const Line& line, double value, bool up) {
  const uint64_t nearest = EncodeFloat(line.type(), value);
  const double rounded = DecodeFloat(line.type(), nearest);
  if (up ? rounded >= value : rounded <= value) return nearest;
  return line.Bits(line.Ordinal(nearest) + (up ? 1 : -1));
}

template <typename LeafFunction>
BoxTree MapLeaves(const BoxTree& tree, const Shape& shape, LeafFunction leaf) {
  if (!tree.is_tuple()) return leaf(tree, shape);
  std::vector<BoxTree> elements;
  for (size_t k = 0; k < tree.elements().size(); ++k) {
    elements.push_back(MapLeaves(tree.elements()[k], shape.tuple_shapes()[k], leaf));
  }
  return BoxTree::Tuple(std::move(elements));
}

// By what its elements may be narrowed to, in two conversions if so.
Box NarrowedBox(ElementType type, const TargetProfile& profile, const Box& wide, bool may_twice) {
  const Line& line = Line::Of(type);
  Box box = Around(type, wide).box;
  UpdateParts(
      [&](const Line&, Place place, Ends* ends) {
        const int64_t i = place.element;
        const bool nan = wide.has_nan() && wide.nan.Get(i).bits != 0;
        const Narrowed narrowed(line, profile, {wide.low.Get(i).bits, wide.high.Get(i).bits, nan},
                                may_twice);
        const uint64_t canonical = CanonicalNan(type);
        *ends = narrowed.numbers() ? Ends{narrowed.low(), narrowed.high(), narrowed.nan()}
                                   : Ends{canonical, canonical, false};
      },
      &box);
  return box;
}

}  // namespace

bool IsEnclosedInF32(ElementType type) { return IsFloat(type) && Info(type).bits <= 8; }

bool HasTypesInF32(const Instruction& instruction) {
  return AnyLeaf(instruction.shape()) ||
         std::any_of(instruction.operands().begin(), instruction.operands().end(),
                     [](const Instruction* operand) { return AnyLeaf(operand->shape()); });
}

bool HasF32Form(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kReducePrecision:
    case Opcode::kStochasticConvert:
    case Opcode::kConstant:
      return false;
    case Opcode::kSort:
    case Opcode::kTopK:
      return true;
    default:
      break;
  }
  const Family family = instruction.info().family;
  if (evaluator::FoldKind(instruction) == analysis::ReducerKind::kAdd)
    return evaluator::FactorsAreOperands(instruction);
  if (instruction.opcode() == Opcode::kReduce || instruction.opcode() == Opcode::kReduceWindow ||
      instruction.opcode() == Opcode::kScatter) {
    const analysis::ReducerKind kind = analysis::RecogniseReducer(*instruction.to_apply()).kind;
    return kind == analysis::ReducerKind::kMinimum || kind == analysis::ReducerKind::kMaximum;
  }
  return instruction.info().elementwise() || family == Family::kMovement ||
         (family == Family::kIndexing && instruction.opcode() != Opcode::kScatter);
}

std::unique_ptr<Module> F32Form(const Instruction& instruction) {
  std::unique_ptr<Module> module = analysis::IsolateInstruction(instruction);
  for (const auto& computation : module->computations()) {
    for (const auto& each : computation->instructions()) {
      each->set_shape(ShapeInF32(each->shape()));
      if (each->literal() != nullptr && IsEnclosedInF32(each->literal()->element_type())) {
        each->set_literal(Widened(*each->literal()));
      }
    }
  }
  return module;
}

Box InF32(const Box& box) {
  if (!box.low.is_array() || !IsEnclosedInF32(box.low.element_type())) return box;
  Box wide{Widened(box.low), {}, {}, box.open, box.flushed};
  wide.high = box.low.shares_data_with(box.high) ? wide.low : Widened(box.high);
  if (box.has_nan()) {
    wide.nan = Converted(box.nan, wide.low.shape(), [](uint64_t mark) { return mark; });
  }
  return wide;
}

BoxTree TreeInF32(const BoxTree& tree) {
  if (tree.is_tuple()) {
    std::vector<BoxTree> elements;
    for (const BoxTree& element : tree.elements()) elements.push_back(TreeInF32(element));
    return BoxTree::Tuple(std::move(elements));
  }
  const Box& box = tree.box();
  if (!box.low.is_array() || !IsEnclosedInF32(box.low.element_type())) return tree;
  return BoxTree::Of(BoxInF32(box));
}

NarrowBox Around(ElementType type, const Box& wide) {
  Shape shape = wide.shape();
  shape.set_element_type(type);
  const Line& line = Line::Of(type);
  const double least = DecodeFloat(type, line.Bits(line.least()));
  const double greatest = DecodeFloat(type, line.Bits(line.greatest()));
  NarrowBox around;
  const auto convert = [&](const Literal& ends, bool up) {
    return Converted(ends, shape, [&](uint64_t bits) {
      const double value = DecodeFloat(kWide, bits);
      if (std::isnan(value)) {
        around.holds = around.holds && line.has_nan();
        return EncodeFloat(type, value);
      }
      if (value < least || value > greatest) around.holds = false;
      return Directed(line, std::clamp(value, least, greatest), up);
    });
  };
  around.box.low = convert(wide.low, false);
  around.box.high = convert(wide.high, true);
  if (Literal::BitEqual(around.box.low, around.box.high)) around.box.high = around.box.low;
  if (wide.has_nan()) {
    around.holds = around.holds && line.has_nan();
    around.box.nan = Converted(wide.nan, shape, [](uint64_t mark) { return mark; });
  }
  around.box.open = wide.open;
  around.box.flushed = wide.flushed;
  around.box.given = wide.given;
  return around;
}

void WidenByNarrowBudget(const ElementRule& rule, Box* wide) {
  const UlpBudget& budget = rule.budget();
  constexpr double kMostHalf = 65504;
  // In ulps of f16, of bf16 beyond what that holds.
  const auto reach = [&](double size) {
    if (rule.has_tolerance()) return rule.BoundAt(size);
    const ElementType wide = size <= kMostHalf ? ElementType::kF16 : ElementType::kBF16;
    return budget.ulps * UlpOf(wide, size) + budget.absolute;
  };
  // How far past an end of the least magnitude a value may lie, towards zero: it is off by as much
  // as a larger one of the interval, whose ulps are larger.
  const auto inward = [&](double size, double largest) {
    double most = reach(size);
    if (size == 0) return std::max(most, reach(largest) - largest);
    for (const double step :
         {std::exp2(std::ceil(std::log2(size))), std::nextafter(kMostHalf, 1e9)}) {
      if (step > size && step <= largest) most = std::max(most, reach(step) - (step - size));
    }
    return most;
  };
  UpdateParts(
      [&](const Line& line, Place, Ends* ends) {
        const double low = DecodeFloat(kWide, ends->low), high = DecodeFloat(kWide, ends->high);
        if (std::isnan(low)) return;
        const double largest = std::max(std::fabs(low), std::fabs(high));
        const auto outwards = [&](double end, bool up) {
          if (!std::isfinite(end)) return;
          const double size = std::fabs(end);
          const double by = rule.has_tolerance()      ? reach(largest)
                            : std::signbit(end) == up ? inward(size, largest)
                                                      : reach(size);
          (up ? ends->high : ends->low) = Directed(line, up ? end + by : end - by, up);
        };
        outwards(low, false);
        outwards(high, true);
      },
      wide);
}

void JoinFlushed(ElementType type, Box* wide) {
  UpdateParts(
      [&](const Line& line, Place, Ends* ends) {
        const double low = DecodeFloat(kWide, ends->low), high = DecodeFloat(kWide, ends->high);
        if (!MayBeDenormal(type, low, high)) return;
        if (low > 0) ends->low = line.Bits(line.Ordinal(0) - 1);
        if (high < 0) ends->high = 0;
      },
      wide);
}

void JoinNarrowed(ElementType type, const TargetProfile& profile, Box* wide) {
  const Line& narrow = Line::Of(type);
  UpdateParts(
      [&](const Line& line, Place, Ends* ends) {
        JoinCoarser(line, type, ends);
        const Narrowed narrowed(narrow, profile, *ends);
        const auto in_f32 = [&](uint64_t bits) {
          return EncodeFloat(kWide, DecodeFloat(type, bits));
        };
        if (line.IsNan(ends->low)) {
          if (narrowed.numbers()) *ends = {in_f32(narrowed.low()), in_f32(narrowed.high()), true};
          return;
        }
        ends->nan = ends->nan || narrowed.nan();
        if (!narrowed.numbers()) return;
        const uint64_t low = in_f32(narrowed.low()), high = in_f32(narrowed.high());
        if (line.Ordinal(low) < line.Ordinal(ends->low)) ends->low = low;
        if (line.Ordinal(high) > line.Ordinal(ends->high)) ends->high = high;
      },
      wide);
}

void JoinDifferences(const Box& narrowed, const Box& decided, Box* wide) {
  const ElementType type = decided.low.element_type();
  const Line& narrow = Line::Of(type);
  const auto is_nan = [](const Box& box, int64_t i) {
    return box.has_nan() && box.nan.Get(i).bits != 0;
  };
  bool differs = false;
  UpdateParts(
      [&](const Line& line, Place place, Ends* ends) {
        const int64_t i = place.element;
        const uint64_t low = decided.low.Get(i).bits, high = decided.high.Get(i).bits;
        if (low == narrowed.low.Get(i).bits && high == narrowed.high.Get(i).bits &&
            is_nan(decided, i) == is_nan(narrowed, i)) {
          return;
        }
        differs = true;
        const bool everything =
            narrow.Ordinal(low) == narrow.least() && narrow.Ordinal(high) == narrow.greatest();
        if (everything || line.IsNan(ends->low) || narrow.IsNan(low)) {
          return box_internal::Unbind(line, ends);
        }
        ends->nan = ends->nan || is_nan(decided, i);
        const int64_t least = line.Ordinal(EncodeFloat(kWide, DecodeFloat(type, low)));
        const int64_t greatest = line.Ordinal(EncodeFloat(kWide, DecodeFloat(type, high)));
        ends->low = line.Bits(std::min(line.Ordinal(ends->low), least));
        ends->high = line.Bits(std::max(line.Ordinal(ends->high), greatest));
      },
      wide);
  if (differs && wide->open == nullptr) wide->open = decided.open;
}

void JoinOverflows(ElementType type, const std::vector<bool>& overflows, Box* wide) {
  const Line& narrow = Line::Of(type);
  const double least = DecodeFloat(type, narrow.Bits(narrow.least()));
  const double greatest = DecodeFloat(type, narrow.Bits(narrow.greatest()));
  UpdateParts(
      [&](const Line& line, Place place, Ends* ends) {
        if (overflows.empty() || !overflows[place.element] || line.IsNan(ends->low)) return;
        if (narrow.overflows_to_nan()) {
          ends->nan = true;
          return;
        }
        if (DecodeFloat(kWide, ends->low) > least) ends->low = EncodeFloat(kWide, least);
        if (DecodeFloat(kWide, ends->high) < greatest) ends->high = EncodeFloat(kWide, greatest);
      },
      wide);
}

Box RoundedOnce(ElementType type, const TargetProfile& profile, const Box& wide) {
  return NarrowedBox(type, profile, wide, /*may_twice=*/false);
}

BoxTree Returned(const Shape& shape, const TargetProfile& profile, const BoxTree& wide) {
  return MapLeaves(wide, shape, [&](const BoxTree& leaf, const Shape& of) {
    if (!of.is_array() || !IsEnclosedInF32(of.element_type())) return leaf;
    return BoxTree::Of(NarrowedBox(of.element_type(), profile, leaf.box(), /*may_twice=*/true));
  });
}

}  // namespace assay::conformance
