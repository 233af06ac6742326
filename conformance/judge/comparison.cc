#include "conformance/judge/comparison.h"

#include <algorithm>
#include <utility>

#include "absl/numeric/bits.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/row_major.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

// The comparison of one element, or of one component of a complex element.
struct Difference {
  bool equal = false;
  bool nan_left = false, nan_right = false;
  bool infinity = false;
  bool zero_sign = false;
  uint64_t distance = 0;
};

uint64_t AbsoluteDifference(int64_t a, int64_t b) {
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
               : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

Difference CompareFloats(ElementType type, uint64_t left, uint64_t right) {
  Difference difference;
  difference.nan_left = IsNan(type, left);
  difference.nan_right = IsNan(type, right);
  if (difference.nan_left || difference.nan_right) {
    difference.equal = difference.nan_left && difference.nan_right;
    return difference;
  }
  if (left == right) {
    difference.equal = true;
    return difference;
  }
  if (IsInfinity(type, left) || IsInfinity(type, right)) {
    difference.infinity = true;
    return difference;
  }
  difference.distance = UlpDistance(type, left, right);
  difference.zero_sign = difference.distance == 0;
  return difference;
}

Difference CompareIntegers(ElementType type, uint64_t left, uint64_t right) {
  Difference difference;
  if (IsSigned(type)) {
    difference.distance = AbsoluteDifference(DecodeSigned(type, left), DecodeSigned(type, right));
  } else {
    const uint64_t a = DecodeUnsigned(type, left);
    const uint64_t b = DecodeUnsigned(type, right);
    difference.distance = a > b ? a - b : b - a;
  }
  difference.equal = difference.distance == 0;
  return difference;
}

// The worse of two components: a difference that is not a distance counts most.
Difference Worse(const Difference& a, const Difference& b) {
  Difference worse;
  worse.equal = a.equal && b.equal;
  worse.nan_left = a.nan_left || b.nan_left;
  worse.nan_right = a.nan_right || b.nan_right;
  worse.infinity = a.infinity || b.infinity;
  worse.zero_sign = a.zero_sign || b.zero_sign;
  worse.distance = std::max(a.distance, b.distance);
  return worse;
}

Difference CompareElements(ElementType type, Element left, Element right) {
  if (IsComplex(type)) {
    const ElementType part = Info(type).component;
    return Worse(CompareFloats(part, left.bits, right.bits),
                 CompareFloats(part, left.imag, right.imag));
  }
  return IsFloat(type) ? CompareFloats(type, left.bits, right.bits)
                       : CompareIntegers(type, left.bits, right.bits);
}

bool NanDiffers(const Difference& difference) {
  return difference.nan_left != difference.nan_right;
}

bool IsSpecial(const Difference& difference) {
  return NanDiffers(difference) || difference.infinity;
}

void Count(const Difference& difference, bool is_float, ArrayComparison* result) {
  if (difference.nan_left && difference.nan_right) ++result->nan_both;
  if (difference.equal) {
    ++result->equal;
    ++result->histogram[0];
    return;
  }
  if (NanDiffers(difference)) {
    ++(difference.nan_left ? result->nan_left_only : result->nan_right_only);
  }
  if (difference.infinity) ++result->infinity_differs;
  if (difference.zero_sign) ++result->zero_sign_differs;
  if (!IsSpecial(difference)) ++result->histogram[UlpBucket(difference.distance)];
  const Agreement agreement =
      !is_float || IsSpecial(difference) ? Agreement::kMismatch : Agreement::kFloatsDiffer;
  result->agreement = std::max(result->agreement, agreement);
}

ArrayComparison CompareArrays(const Literal& left, const Literal& right, ShapeIndex path) {
  ArrayComparison result;
  result.path = std::move(path);
  result.shape = left.shape();
  if (!left.is_array()) return result;
  const ElementType type = left.element_type();
  const bool is_float = IsFloat(type) || IsComplex(type);
  result.elements = left.element_count();
  for (int64_t i = 0; i < result.elements; ++i) {
    const Element a = left.Get(i);
    const Element b = right.Get(i);
    const Difference difference = CompareElements(type, a, b);
    Count(difference, is_float, &result);
    if (difference.equal) continue;
    const auto here = [&] {
      const Dimensions index = RowMajorIndex(i, left.shape().dimensions());
      return ElementDifference{
          {index.begin(), index.end()}, PrintElement(type, a), PrintElement(type, b)};
    };
    if (!result.first) result.first = here();
    if (!result.first_special && IsSpecial(difference)) result.first_special = here();
    if (difference.distance > result.largest_distance) {
      result.largest_distance = difference.distance;
      result.largest = here();
    }
  }
  return result;
}

void CompareLeaves(const Literal& left, const Literal& right, ShapeIndex* path,
                   Comparison* comparison) {
  if (!left.is_tuple()) {
    comparison->arrays.push_back(CompareArrays(left, right, *path));
    return;
  }
  for (size_t i = 0; i < left.elements().size(); ++i) {
    path->push_back(static_cast<int64_t>(i));
    CompareLeaves(left.element(i), right.element(i), path, comparison);
    path->pop_back();
  }
}

}  // namespace

absl::string_view AgreementName(Agreement agreement) {
  switch (agreement) {
    case Agreement::kEqual:
      return "equal";
    case Agreement::kFloatsDiffer:
      return "floats differ";
    case Agreement::kMismatch:
      return "mismatch";
  }
  return "";
}

uint64_t UlpDistance(ElementType type, uint64_t left, uint64_t right) {
  return AbsoluteDifference(FloatOrdinal(type, left), FloatOrdinal(type, right));
}

int UlpBucket(uint64_t distance) {
  if (distance == 0) return 0;
  return 1 + (64 - absl::countl_zero(distance - 1));
}

std::string UlpBucketName(int bucket) {
  if (bucket <= 2) return absl::StrCat(bucket);
  const uint64_t low = (uint64_t{1} << (bucket - 2)) + 1;
  const uint64_t high = bucket == kUlpBuckets - 1 ? UINT64_MAX : uint64_t{1} << (bucket - 1);
  return absl::StrCat(low, "-", high);
}

absl::StatusOr<Comparison> Compare(const Literal& left, const Literal& right) {
  return CompareByDevice({left}, {right});
}

absl::StatusOr<Comparison> CompareByDevice(absl::Span<const Literal> left,
                                           absl::Span<const Literal> right) {
  if (left.size() != right.size()) {
    return absl::InvalidArgumentError(absl::StrCat("values of ", left.size(), " and of ",
                                                   right.size(), " devices cannot be compared"));
  }
  Comparison comparison;
  comparison.devices = static_cast<int64_t>(left.size());
  for (size_t device = 0; device < left.size(); ++device) {
    // Only elements within the current sizes of dynamic dimensions have a value.
    const Literal a = ValidBox(left[device]), b = ValidBox(right[device]);
    if (!Shape::Compatible(a.shape(), b.shape())) {
      return absl::InvalidArgumentError(absl::StrCat("values of shapes ", a.shape().ToString(),
                                                     " and ", b.shape().ToString(),
                                                     " cannot be compared"));
    }
    ShapeIndex path;
    CompareLeaves(a, b, &path, &comparison);
  }
  for (const ArrayComparison& array : comparison.arrays) {
    comparison.agreement = std::max(comparison.agreement, array.agreement);
    comparison.largest_distance = std::max(comparison.largest_distance, array.largest_distance);
  }
  return comparison;
}

}  // namespace assay::conformance
