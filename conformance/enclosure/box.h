// Arrays of intervals: the least and the greatest value that a conforming target may return for
// each element, as values of the element type. Functions that round to nearest are monotone, so
// golden values at the ends are the ends of the result. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_BOX_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_BOX_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The intervals of one array. Floats are ordered with -0 below +0, false is below true, and a
// complex element has an interval for each part. An element that is NaN at both ends is NaN; no
// element is NaN at one end only. An unconstrained element has the ends of its type.
struct Box {
  Literal low, high;  // share their data where every element is one value
  // Bit pattern 1 where the element may be NaN as well, otherwise 0. It has the element type of the
  // box, so that operations that move elements move it too. It has no data if no element may be
  // NaN.
  Literal nan;
  // The first undecided decision (a branch, an index, an order, a comparison whose interval has
  // several outcomes) that these elements depend on; null if there is none.
  const Instruction* open = nullptr;
  // True if every interval with a denormal contains zero.
  bool flushed = false;
  // A bit pattern of NanMark (moved_nans.h): what is known of the element if it is a NaN. It has
  // the element type of the array in the program. It has no data if nothing is known of any
  // element.
  Literal given = {};

  static Box Point(Literal value) { return {value, value, {}, nullptr, false, {}}; }
  // An unconstrained box, because of a decision of the instruction.
  static Box Anything(const Shape& shape, const Instruction* open);

  const Shape& shape() const { return low.shape(); }
  bool has_nan() const { return nan.is_array(); }
  // Returns true if every element is one known value.
  bool is_point() const { return low.shares_data_with(high) && !has_nan(); }
};

// Boxes that are owned elsewhere, such as the operands of an instruction.
using BoxPointers = absl::InlinedVector<const Box*, 4>;
class Boxes {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Box;
    using difference_type = std::ptrdiff_t;
    using pointer = const Box*;
    using reference = const Box&;
    explicit Iterator(const Box* const* at) : at_(at) {}
    const Box& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    const Box* const* at_;
  };
  explicit Boxes(absl::Span<const Box* const> boxes) : boxes_(boxes) {}
  const Box& operator[](size_t i) const { return *boxes_[i]; }
  size_t size() const { return boxes_.size(); }
  bool empty() const { return boxes_.empty(); }
  Boxes subspan(size_t first) const { return Boxes(boxes_.subspan(first)); }
  Iterator begin() const { return Iterator(boxes_.data()); }
  Iterator end() const { return Iterator(boxes_.data() + boxes_.size()); }

 private:
  absl::Span<const Box* const> boxes_;
};

// The intervals of a value: of an array, a tuple of values, or a token. Copies share their boxes.
class BoxTree {
 public:
  static BoxTree Of(Box box) { return Of(std::make_shared<const Box>(std::move(box))); }
  static BoxTree Of(std::shared_ptr<const Box> box);
  static BoxTree Tuple(std::vector<BoxTree> elements);
  static BoxTree Point(const Literal& value);
  static BoxTree Anything(const Shape& shape, const Instruction* open);

  bool is_tuple() const { return box_ == nullptr; }
  // Must not be called on a tuple.
  const Box& box() const { return *box_; }
  absl::Span<const BoxTree> elements() const { return elements_; }
  std::vector<BoxTree> ReleaseElements() && { return std::move(elements_); }

  bool is_point() const;
  // Returns the lower ends, which are the value itself if it is a point.
  Literal low() const;
  const Instruction* open() const;
  void AppendLeaves(BoxPointers* leaves) const;

 private:
  std::shared_ptr<const Box> box_;  // null if the value is a tuple
  std::vector<BoxTree> elements_;
};

// Unconstrained boxes for all leaves of the instruction's result, because of its own decision.
std::vector<Box> AnythingOf(const Instruction& instruction);

// Numbers the values of a real, integer or boolean type in rising order. It maps bit patterns to
// consecutive integers (ordinals) and back. -0 is below +0, so that the mapping is one to one. NaN
// has no ordinal.
class Line {
 public:
  explicit Line(ElementType type);
  // Returns the line of a type, which lives as long as the program.
  static const Line& Of(ElementType type);
  bool is_float() const { return is_float_; }
  bool IsNan(uint64_t bits) const {
    if (!is_float_) return false;
    const uint64_t magnitude = bits & ~sign_;
    return magnitude > largest_ || (nan_is_negative_zero_ && bits == sign_);
  }
  int64_t Ordinal(uint64_t bits) const {
    if (!is_float_) return IntegerOrdinal(bits);
    const auto magnitude = static_cast<int64_t>(bits & ~sign_);
    return (bits & sign_) == 0 ? magnitude : signed_zero_ ? -magnitude - 1 : -magnitude;
  }
  uint64_t Bits(int64_t ordinal) const {
    if (!is_float_) return IntegerBits(ordinal);
    if (ordinal >= 0) return static_cast<uint64_t>(ordinal);
    return sign_ | static_cast<uint64_t>(signed_zero_ ? -(ordinal + 1) : -ordinal);
  }
  // The ends: infinities where the type has them.
  int64_t least() const { return least_; }
  int64_t greatest() const { return greatest_; }
  // The least normal magnitude; a float below it that is no zero is a denormal.
  int64_t least_normal() const { return least_normal_; }
  bool signed_zero() const { return signed_zero_; }
  int significand_bits() const { return significand_bits_; }
  bool overflows_to_nan() const { return overflows_to_nan_; }
  bool has_nan() const { return has_nan_; }
  ElementType type() const { return type_; }
  // Returns part `part` of an array in literal storage. The real parts of complex elements have
  // even numbers.
  uint64_t Load(const std::byte* data, int64_t part) const {
    return LoadElement(type_, data, part).bits;
  }

 protected:
  bool FillsWords(int64_t bits) const {
    return is_float_ && signed_zero_ && has_sign_ && Info(type_).bits == bits;
  }
  uint64_t largest() const { return largest_; }

 private:
  int64_t IntegerOrdinal(uint64_t bits) const;
  uint64_t IntegerBits(int64_t ordinal) const;
  ElementType type_;
  bool is_float_, signed_zero_ = false, nan_is_negative_zero_ = false, overflows_to_nan_ = false,
                  has_nan_ = false, has_sign_ = false;
  int significand_bits_ = 0;
  uint64_t sign_ = 0, largest_ = 0;
  int64_t least_ = 0, greatest_ = 0, least_normal_ = 0;
};

// The line of float types with signed zeros whose bit patterns fill machine words (f64, f32, bf16,
// f16 and some of 8 bits). It computes the same ordinals as Line without branches.
template <typename Word>
class WordLine : public Line {
 public:
  explicit WordLine(const Line& line) : Line(line) {}
  bool applies() const { return FillsWords(std::numeric_limits<Word>::digits); }
  static constexpr bool is_float() { return true; }
  bool IsNan(uint64_t bits) const { return (bits & kMagnitude) > largest(); }
  int64_t Ordinal(uint64_t bits) const {
    const int64_t pattern = static_cast<Signed>(bits);
    return pattern ^ ((pattern >> 63) & kMagnitude);
  }
  uint64_t Bits(int64_t ordinal) const {
    return static_cast<Word>(ordinal ^ ((ordinal >> 63) & kMagnitude));
  }
  static constexpr bool signed_zero() { return true; }
  uint64_t Load(const std::byte* data, int64_t part) const {
    return reinterpret_cast<const Word*>(data)[part];
  }

 private:
  using Signed = std::make_signed_t<Word>;
  static constexpr int64_t kMagnitude = std::numeric_limits<Signed>::max();
};

// The bit patterns of the ends of one part of an element while they are changed.
struct Ends {
  uint64_t low = 0, high = 0;
  bool nan = false;
};
// Identifies a part of an element.
struct Place {
  int64_t element = 0;
  bool imaginary = false;
  int64_t part = 0;  // among the parts of all elements
};
// Calls update(line, place, ends) for every part of every element and stores the updated ends.
// `line` is the line of the parts' type, a WordLine if the type has one. Shared storage is copied
// only if an end changes.
template <typename Update>
void UpdateParts(Update update, Box* box);

// The outermost ends of all intervals of an array.
struct Extent {
  int64_t least = std::numeric_limits<int64_t>::min();  // ordinals on the line
  int64_t greatest = std::numeric_limits<int64_t>::max();
  bool nan = true;  // an element may be NaN

  bool is_unbounded(const Box& box) const {
    const Line& line = Line::Of(Info(box.low.element_type()).component);
    return nan || (least <= line.least() && greatest >= line.greatest());
  }
};

// Computes the interval hull of several values of one shape: results of an operation whose operands
// are at the corners of their intervals. Two of these values are the ends of the box. A part that
// is NaN at some corners and a number at others is unconstrained. Returns the extent of the hull,
// or a larger one.
Extent HullOfCorners(absl::Span<const Literal> more, Box* box);
inline Box HullOfCorners(Literal one, Literal other) {
  Box box{std::move(one), std::move(other), {}, nullptr, false};
  HullOfCorners({}, &box);
  return box;
}

// Computes the interval hull of several boxes of one shape.
Box HullOfBoxes(absl::Span<const Box* const> boxes);

// Joins the intervals of another box of the same shape, including their NaNs. An element stays as
// it is if it is NaN in the other box; a NaN element also gets the numbers of the other box.
void JoinNumbers(const Box& other, Box* box);

// The values that Loosen joins to float parts that are not NaN.
struct Slack {
  int64_t units = 0;     // the number of ulps by which each end moves outwards
  bool zeros = false;    // the zero of the other sign, if an end is zero
  bool flushed = false;  // zero of either sign, if the interval has a denormal
  // True if the ends have been rounded, so that the least normal value may have been a denormal
  // before.
  bool rounded = false;
  bool exact_zeros = false;  // true if `units` does not move an end that is zero
};
void Loosen(const Slack& slack, Box* box);
// Marks a point without denormals as flushed, so that it is not searched again.
void LookForDenormals(Box* box);
// The distance that makes an element unconstrained, even if it is NaN.
inline constexpr double kUnconstrained = std::numeric_limits<double>::quiet_NaN();
// Widens each element to the values of its type within a distance of its ends. Beyond the largest
// value the element may be infinite. An infinite distance makes the element unconstrained, unless
// it is NaN; kUnconstrained does so in any case. There is a distance for each element, or for each
// part of complex ones.
void WidenByRadii(absl::Span<const double> radii, Box* box);
// Joins, part by part, the values to which the numbers from `lows` to `highs` round. Equal ends
// change nothing, because the part has their value already. Otherwise an end that is not finite
// makes the part unconstrained.
void JoinRounded(absl::Span<const double> lows, absl::Span<const double> highs, Box* box);
// Joins NaN to elements of a sum or product whose interval reaches both infinities: opposite
// infinities, or zero and infinity, may meet inside the operands' intervals although no corner is
// NaN.
void AddNansOfInfinities(Box* box);
// Returns true if an element of a float box is NaN for all operands. A box of one element is
// broadcast.
bool IsNanForCertain(const Box& box, int64_t element);
// Joins the NaNs of another box, which has the same sizes or one element.
void MergeNans(const Box& from, Box* box);
// Makes unconstrained the elements for which the predicate returns true. It is called with the line
// of the parts, the place and its ends.
template <typename Predicate>
void UnconstrainWhere(Predicate predicate, Box* box);

namespace box_internal {

// Makes the part unconstrained.
inline void Unbind(const Line& line, Ends* ends) {
  ends->low = line.Bits(line.least());
  ends->high = line.Bits(line.greatest());
  ends->nan = line.has_nan();
}

template <typename Word, typename LineType, typename Update>
void UpdateOnLine(const LineType& line, Update& update, Box* box) {
  const bool complex = IsComplex(box->low.element_type());
  const int64_t count = box->low.element_count() * (complex ? 2 : 1);
  // Storage that both ends share is copied when the first of them changes. An element is read
  // before its new ends are written.
  const auto* lows = reinterpret_cast<const Word*>(box->low.data());
  const auto* highs = reinterpret_cast<const Word*>(box->high.data());
  const auto* nans = reinterpret_cast<const Word*>(box->nan.data());
  Word *new_lows = nullptr, *new_highs = nullptr, *new_nans = nullptr;
  for (int64_t i = 0; i < count; ++i) {
    const Ends was{lows[i], highs[i], nans != nullptr && nans[i] != 0};
    Ends ends = was;
    update(line, Place{complex ? i / 2 : i, complex && i % 2 != 0, i}, &ends);
    if (ends.low != was.low) {
      if (new_lows == nullptr) new_lows = reinterpret_cast<Word*>(box->low.mutable_data());
      new_lows[i] = static_cast<Word>(ends.low);
    }
    if (ends.high != was.high) {
      if (new_highs == nullptr) new_highs = reinterpret_cast<Word*>(box->high.mutable_data());
      new_highs[i] = static_cast<Word>(ends.high);
    }
    if (ends.nan != was.nan) {
      if (new_nans == nullptr) {
        if (!box->has_nan()) box->nan = Literal::Zeros(box->low.shape());
        new_nans = reinterpret_cast<Word*>(box->nan.mutable_data());
      }
      new_nans[i] = ends.nan ? 1 : 0;
    }
  }
}

template <typename Word, typename Update>
void UpdateWords(Update& update, Box* box) {
  const Line& line = Line::Of(Info(box->low.element_type()).component);
  const WordLine<Word> words(line);
  if (words.applies()) return UpdateOnLine<Word>(words, update, box);
  UpdateOnLine<Word>(line, update, box);
}

}  // namespace box_internal

template <typename Predicate>
void UnconstrainWhere(Predicate predicate, Box* box) {
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        if (predicate(line, place, *ends)) box_internal::Unbind(line, ends);
      },
      box);
}

template <typename Update>
void UpdateParts(Update update, Box* box) {
  switch (Info(Info(box->low.element_type()).component).storage_bytes) {
    case 1:
      return box_internal::UpdateWords<uint8_t>(update, box);
    case 2:
      return box_internal::UpdateWords<uint16_t>(update, box);
    case 4:
      return box_internal::UpdateWords<uint32_t>(update, box);
    default:
      return box_internal::UpdateWords<uint64_t>(update, box);
  }
}

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_BOX_H_
