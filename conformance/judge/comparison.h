// Compares two values element by element and measures their distance in ulps of the element type.
// The comparison knows no permitted deviations. Tests: comparison_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_COMPARISON_H_
#define ASSAY_CONFORMANCE_JUDGE_COMPARISON_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/literal.h"

namespace assay::conformance {

enum class Agreement {
  kEqual,         // every element has the same bits; NaNs count as equal
  kFloatsDiffer,  // finite float values differ, or zeros in their sign; nothing else does
  kMismatch,      // integers, truth values, infinities or the places of NaNs differ
};
absl::string_view AgreementName(Agreement agreement);

// Returns the number of steps of the type between two floats that are not NaN.
uint64_t UlpDistance(ElementType type, uint64_t left, uint64_t right);

// Distances in ulp, by powers of two: 0, 1, 2, 3-4, 5-8, ..., up to 2^64 - 1.
inline constexpr int kUlpBuckets = 66;
// Return the bucket of a distance and the range of a bucket as text ("5-8").
int UlpBucket(uint64_t distance);
std::string UlpBucketName(int bucket);

// An element that differs: where, and its two values as text.
struct ElementDifference {
  std::vector<int64_t> index;
  std::string left, right;
};

// The comparison of one array. The component with the larger difference represents a complex
// element.
struct ArrayComparison {
  ShapeIndex path;  // in the compared values: {} or {3} or {1,0}
  Shape shape;
  int64_t elements = 0;
  int64_t equal = 0;  // same bits, or NaN on both sides
  int64_t nan_both = 0;
  int64_t nan_left_only = 0;
  int64_t nan_right_only = 0;
  int64_t infinity_differs = 0;  // an infinity against anything else but NaN
  int64_t zero_sign_differs = 0;
  // The largest distance of finite floats, in ulp, and of integers, as the difference of values.
  uint64_t largest_distance = 0;
  std::optional<ElementDifference> largest;  // present if the distance is not 0
  std::optional<ElementDifference> first;    // the first element that is not equal
  // The first element whose difference has no distance: a NaN or an infinity against another value.
  std::optional<ElementDifference> first_special;
  std::array<int64_t, kUlpBuckets> histogram{};
  Agreement agreement = Agreement::kEqual;
};

struct Comparison {
  std::vector<ArrayComparison> arrays;  // leaves in pre-order
  Agreement agreement = Agreement::kEqual;
  uint64_t largest_distance = 0;
  int64_t devices = 1;  // the arrays are those of the first device, then those of the second, ...
};

// Compares two values. Elements beyond the current size of a dynamic dimension are ignored. Returns
// INVALID_ARGUMENT, with both shapes in the message, if the shapes are incompatible or the current
// sizes of dynamic dimensions differ.
absl::StatusOr<Comparison> Compare(const Literal& left, const Literal& right);
// Compares the values of several devices, device by device.
absl::StatusOr<Comparison> CompareByDevice(absl::Span<const Literal> left,
                                           absl::Span<const Literal> right);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_COMPARISON_H_
