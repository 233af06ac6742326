#include "conformance/enclosure/box.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conformance/enclosure/word_loops.h"
#include "conformance/judge/bounds.h"

namespace assay::conformance {
namespace {

using box_internal::Unbind;

// Not past the end of the line. What overflows to NaN may be one.
template <typename LineType>
uint64_t Moved(const LineType& line, uint64_t bits, int64_t steps, bool* nan) {
  const int64_t from = line.Ordinal(bits);
  if (steps > 0 ? from > line.greatest() - steps : from < line.least() - steps) {
    if (line.overflows_to_nan()) *nan = true;
    return line.Bits(steps > 0 ? line.greatest() : line.least());
  }
  return line.Bits(from + steps);
}

// An end, outwards by so many units in the last place of any value of the interval. Towards zero
// the units of what lies past the next power of two count, if the interval reaches that, and past
// the power of two below two steps make one unit.
template <typename LineType>
inline uint64_t Outward(const LineType& line, uint64_t end, uint64_t other_end, int64_t units,
                        bool up, bool* nan) {
  const int64_t ordinal = line.Ordinal(end);
  int64_t steps = units;
  if ((ordinal < 0) == up) {
    const int64_t one = int64_t{1} << line.significand_bits();
    const auto to_power = static_cast<int64_t>(end & static_cast<uint64_t>(one - 1));
    const int64_t reach = line.Ordinal(other_end);
    const int64_t distance = up ? ordinal - reach : reach - ordinal;
    const bool reaches = distance >= one - to_power;
    if (reaches) {
      steps = 2 * units;
    } else if (units > to_power) {
      steps += units - to_power;
    }
  }
  return Moved(line, end, up ? steps : -steps, nan);
}

// The last value of the type that is not past a double on the way up or down, zeros of both signs
// being one; what is past the largest value may be infinite, or NaN.
template <typename LineType>
uint64_t LastBefore(const LineType& line, double value, bool up, bool* nan) {
  const uint64_t nearest = EncodeFloat(line.type(), value);
  const uint64_t end = line.Bits(up ? line.greatest() : line.least());
  // A type without infinities may make a NaN of what is beyond its values.
  if (line.IsNan(nearest)) {
    *nan = true;
    return end;
  }
  const double most = DecodeFloat(line.type(), MaxFinite(line.type()));
  if (up ? value > most : value < -most) {
    if (line.overflows_to_nan()) *nan = true;
    return end;
  }
  const double rounded = DecodeFloat(line.type(), nearest);
  if (value == 0) return line.Bits(!up && line.signed_zero() ? -1 : 0);
  if (up ? rounded <= value : rounded >= value) return nearest;
  return line.Bits(line.Ordinal(nearest) + (up ? -1 : 1));
}

}  // namespace

Line::Line(ElementType type) : type_(type), is_float_(assay::IsFloat(type)) {
  if (is_float_) {
    const FloatFormat& format = *Info(type).format;
    signed_zero_ = format.signed_zero;
    nan_is_negative_zero_ = format.nan == NanEncoding::kNegativeZero;
    overflows_to_nan_ = format.overflow == Overflow::kNan;
    has_nan_ = format.has_nan();
    has_sign_ = format.has_sign;
    significand_bits_ = format.significand_bits;
    if (format.has_sign) sign_ = uint64_t{1} << (Info(type).bits - 1);
    largest_ = format.has_infinity ? Infinity(type) : MaxFinite(type);
    greatest_ = Ordinal(largest_);
    least_ = Ordinal(format.has_infinity ? Infinity(type, true) : Lowest(type));
    least_normal_ = Ordinal(MinNormal(type));
  } else if (IsSigned(type)) {
    least_ = MinSigned(type);
    greatest_ = MaxSigned(type);
  } else if (IsPred(type) || IsUnsigned(type)) {
    least_ = IntegerOrdinal(0);
    greatest_ = IntegerOrdinal(IsPred(type) ? 1 : MaxUnsigned(type));
  }
}

const Line& Line::Of(ElementType type) {
  static const std::vector<Line>* const lines = [] {
    auto* all =
        new std::vector<Line>(std::numeric_limits<uint8_t>::max(), Line(ElementType::kPred));
    for (const ElementType each : kArrayTypes) {
      if (!IsComplex(each)) (*all)[static_cast<uint8_t>(each)] = Line(each);
    }
    return all;
  }();
  return (*lines)[static_cast<uint8_t>(type)];
}

int64_t Line::IntegerOrdinal(uint64_t bits) const {
  if (IsSigned(type_)) return DecodeSigned(type_, bits);
  const uint64_t value = DecodeUnsigned(type_, bits);
  return static_cast<int64_t>(Info(type_).bits == 64 ? value ^ (uint64_t{1} << 63) : value);
}

uint64_t Line::IntegerBits(int64_t ordinal) const {
  const auto value = static_cast<uint64_t>(ordinal);
  if (IsUnsigned(type_) && Info(type_).bits == 64) return value ^ (uint64_t{1} << 63);
  return EncodeInteger(type_, value);
}

Box Box::Anything(const Shape& shape, const Instruction* open) {
  Box box{Literal::Zeros(shape), {}, {}, open, false};
  box.high = box.low;
  UpdateParts([](const auto& line, Place, Ends* ends) { Unbind(line, ends); }, &box);
  return box;
}

BoxTree BoxTree::Of(std::shared_ptr<const Box> box) {
  BoxTree tree;
  tree.box_ = std::move(box);
  return tree;
}

BoxTree BoxTree::Tuple(std::vector<BoxTree> elements) {
  BoxTree tree;
  tree.elements_ = std::move(elements);
  return tree;
}

BoxTree BoxTree::Point(const Literal& value) {
  if (!value.is_tuple()) {
    Box box = Box::Point(value);
    LookForDenormals(&box);
    return Of(std::move(box));
  }
  std::vector<BoxTree> elements;
  for (const Literal& element : value.elements()) elements.push_back(Point(element));
  return Tuple(std::move(elements));
}

BoxTree BoxTree::Anything(const Shape& shape, const Instruction* open) {
  if (shape.is_tuple()) {
    std::vector<BoxTree> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(Anything(element, open));
    return Tuple(std::move(elements));
  }
  return shape.is_array() ? Of(Box::Anything(shape, open)) : Of(Box::Point(Literal::Token()));
}

std::vector<Box> AnythingOf(const Instruction& instruction) {
  std::vector<Box> boxes;
  for (const Shape* leaf : Leaves(instruction.shape())) {
    boxes.push_back(leaf->is_array() ? Box::Anything(*leaf, &instruction)
                                     : Box::Point(Literal::Token()));
  }
  return boxes;
}

void BoxTree::AppendLeaves(BoxPointers* leaves) const {
  if (!is_tuple()) leaves->push_back(box_.get());
  for (const BoxTree& element : elements_) element.AppendLeaves(leaves);
}

bool BoxTree::is_point() const {
  return is_tuple() ? std::all_of(elements_.begin(), elements_.end(),
                                  [](const BoxTree& element) { return element.is_point(); })
                    : box_->is_point() || box_->shape().is_token();
}

Literal BoxTree::low() const {
  if (!is_tuple()) return box_->low;
  std::vector<Literal> lows;
  for (const BoxTree& element : elements_) lows.push_back(element.low());
  return Literal::Tuple(std::move(lows));
}

const Instruction* BoxTree::open() const {
  if (!is_tuple()) return box_->open;
  for (const BoxTree& element : elements_) {
    if (const Instruction* open = element.open(); open != nullptr) return open;
  }
  return nullptr;
}

Extent HullOfCorners(absl::Span<const Literal> more, Box* box) {
  Extent extent;
  if (HullOfWords(more, box, &extent)) return extent;
  const Literal other = std::exchange(box->high, box->low);
  std::vector<const std::byte*> others;
  if (!other.shares_data_with(box->low)) others.push_back(other.data());
  for (const Literal& corner : more) others.push_back(corner.data());
  if (others.empty()) return extent;
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        int64_t low = line.Ordinal(ends->low), high = low;
        const bool nan = line.IsNan(ends->low);
        bool mixed = false;
        for (const std::byte* other : others) {
          const uint64_t bits = line.Load(other, place.part);
          mixed = mixed || line.IsNan(bits) != nan;
          const int64_t ordinal = line.Ordinal(bits);
          low = std::min(low, ordinal);
          high = std::max(high, ordinal);
        }
        if (mixed) return Unbind(line, ends);
        if (nan) return;
        ends->low = line.Bits(low);
        ends->high = line.Bits(high);
      },
      box);
  return extent;
}

Box HullOfBoxes(absl::Span<const Box* const> boxes) {
  std::vector<Literal> more;
  for (const Box* box : boxes.subspan(1)) {
    more.push_back(box->low);
    more.push_back(box->high);
  }
  Box hull{boxes[0]->low, boxes[0]->high, {}, nullptr, false};
  HullOfCorners(more, &hull);
  hull.flushed =
      std::all_of(boxes.begin(), boxes.end(), [](const Box* box) { return box->flushed; });
  for (const Box* box : boxes) {
    MergeNans(*box, &hull);
    hull.open = hull.open != nullptr ? hull.open : box->open;
  }
  return hull;
}

void JoinNumbers(const Box& other, Box* box) {
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        const uint64_t low = line.Load(other.low.data(), place.part);
        const uint64_t high = line.Load(other.high.data(), place.part);
        if (line.IsNan(low)) return;
        if (line.IsNan(ends->low)) {
          *ends = Ends{low, high, true};
          return;
        }
        if (line.Ordinal(low) < line.Ordinal(ends->low)) ends->low = low;
        if (line.Ordinal(high) > line.Ordinal(ends->high)) ends->high = high;
      },
      box);
  MergeNans(other, box);
}

void Loosen(const Slack& slack, Box* box) {
  box->flushed = box->flushed || slack.flushed;
  if (LoosenWords(slack, box)) return;
  UpdateParts(
      [slack](const auto& line, Place, Ends* ends) {
        if (!line.is_float() || line.IsNan(ends->low)) return;
        if (slack.units > 0) {
          const Ends was = *ends;
          const auto stays = [&](uint64_t bits) {
            return slack.exact_zeros && DecodeFloat(line.type(), bits) == 0;
          };
          if (!stays(was.low)) {
            ends->low = Outward(line, was.low, was.high, slack.units, false, &ends->nan);
          }
          if (!stays(was.high)) {
            ends->high = Outward(line, was.high, was.low, slack.units, true, &ends->nan);
          }
        }
        if (slack.flushed) {
          const int64_t low = line.Ordinal(ends->low), high = line.Ordinal(ends->high);
          const int64_t negative_zero = line.signed_zero() ? -1 : 0;
          const int64_t small = line.least_normal() + (slack.rounded ? 1 : 0);
          if (low >= 0 && low < small && high > 0) ends->low = line.Bits(negative_zero);
          if (high <= negative_zero && high > negative_zero - small && low < negative_zero) {
            ends->high = 0;
          }
        }
        if (slack.zeros && line.signed_zero()) {
          if (ends->low == 0) ends->low = line.Bits(-1);
          if (ends->high == line.Bits(-1)) ends->high = 0;
        }
      },
      box);
}

void LookForDenormals(Box* box) {
  if (!box->low.is_array() || !box->is_point()) return;
  Box flushed = *box;
  Loosen({.flushed = true}, &flushed);
  box->flushed = flushed.is_point();
}

void WidenByRadii(absl::Span<const double> radii, Box* box) {
  if (WidenWords(radii, box)) return;
  const bool by_part = static_cast<int64_t>(radii.size()) != box->low.element_count();
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        const double radius = radii[by_part ? place.part : place.element];
        if (std::isnan(radius)) return Unbind(line, ends);
        if (radius == 0 || !line.is_float() || line.IsNan(ends->low)) return;
        if (!(radius < kInfinity)) return Unbind(line, ends);
        const double low = DecodeFloat(line.type(), ends->low);
        const double high = DecodeFloat(line.type(), ends->high);
        // Doubles are rounded to nearest, which no value of the type lies between.
        if (std::isfinite(low)) {
          ends->low = LastBefore(line, low - radius, false, &ends->nan);
        }
        if (std::isfinite(high)) {
          ends->high = LastBefore(line, high + radius, true, &ends->nan);
        }
      },
      box);
}

namespace {

// The same of whole arrays, where every end is finite and no element of the box is NaN.
bool JoinRoundedArrays(absl::Span<const double> lows, absl::Span<const double> highs, Box* box) {
  const ElementType type = box->low.element_type();
  if (!IsFloat(type) || !HasWordLoops(type)) return false;
  const auto finite = [](absl::Span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  };
  if (!finite(lows) || !finite(highs)) return false;
  std::vector<Literal> ends;
  for (const absl::Span<const double> values : {lows, highs}) {
    Literal& end = ends.emplace_back(Literal::Zeros(box->shape()));
    EncodeFloats(type, values.data(), end.element_count(), end.mutable_data());
  }
  Extent extent;
  return HullOfWords(ends, box, &extent);
}

}  // namespace

void JoinRounded(absl::Span<const double> lows, absl::Span<const double> highs, Box* box) {
  if (JoinRoundedArrays(lows, highs, box)) return;
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        const double low = lows[place.part], high = highs[place.part];
        if (low == high || !line.is_float() || line.IsNan(ends->low)) return;
        if (!std::isfinite(low) || !std::isfinite(high)) return Unbind(line, ends);
        const auto join = [&](double value, bool up) {
          uint64_t bits = EncodeFloat(line.type(), value);
          if (line.IsNan(bits)) {
            ends->nan = true;
            bits = line.Bits(value > 0 ? line.greatest() : line.least());
          }
          uint64_t* const end = up ? &ends->high : &ends->low;
          const int64_t ordinal = line.Ordinal(bits);
          if (up ? ordinal > line.Ordinal(*end) : ordinal < line.Ordinal(*end)) *end = bits;
        };
        join(low, false);
        join(high, true);
      },
      box);
}

void AddNansOfInfinities(Box* box) {
  const Line& parts = Line::Of(Info(box->low.element_type()).component);
  if (box->is_point() || !AnyLiesIn({parts.least(), parts.greatest()}, *box)) return;
  UpdateParts(
      [](const auto& line, Place, Ends* ends) {
        if (!line.is_float() || ends->low == ends->high || line.IsNan(ends->low)) return;
        if (line.Ordinal(ends->low) == line.least() &&
            line.Ordinal(ends->high) == line.greatest()) {
          ends->nan = line.has_nan();
        }
      },
      box);
}

bool IsNanForCertain(const Box& box, int64_t element) {
  const ElementType type = box.low.element_type();
  const int64_t i = box.low.element_count() == 1 ? 0 : element;
  return IsFloat(type) && IsNan(type, box.low.Get(i).bits);
}

void MergeNans(const Box& from, Box* box) {
  if (!from.has_nan()) return;
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        const int64_t element = from.nan.element_count() == 1 ? 0 : place.element;
        if (line.is_float() && !(from.nan.Get(element) == Element{})) ends->nan = true;
      },
      box);
}

}  // namespace assay::conformance
