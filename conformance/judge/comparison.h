// How far two values are apart: element by element, in units in the last place of the type. It
// counts and measures; it excuses nothing. Tests: comparison_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_COMPARISON_H_
#define ASSAY_CONFORMANCE_JUDGE_COMPARISON_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/ir/literal.h"

namespace assay {

enum class Agreement {
  kEqual,         // every element has the same bits; NaNs count as equal
  kFloatsDiffer,  // finite float values differ, or zeros in their sign; nothing else does
  kMismatch,      // integers, truth values, infinities or the places of NaNs differ
};
absl::string_view AgreementName(Agreement agreement);

// Distances in ulp, by powers of two: 0, 1, 2, 3-4, 5-8, ..., the last bucket is open.
inline constexpr int kUlpBuckets = 20;
// The bucket of a distance, and its range as text ("5-8").
int UlpBucket(uint64_t distance);
std::string UlpBucketName(int bucket);

// Of one array. A complex element differs by its worse component.
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
  // Of the finite float elements and of integers (as the difference of values).
  uint64_t largest_distance = 0;
  std::vector<int64_t> largest_index;  // where; empty for a scalar or when all are equal
  std::optional<std::pair<std::string, std::string>> largest_values;  // left, right
  // Of the first element that is not equal.
  std::vector<int64_t> first_index;
  std::array<int64_t, kUlpBuckets> histogram{};
  Agreement agreement = Agreement::kEqual;
};

struct Comparison {
  std::vector<ArrayComparison> arrays;  // leaves in pre-order
  Agreement agreement = Agreement::kEqual;
  uint64_t largest_distance = 0;
};

// INVALID_ARGUMENT, saying both, when the shapes are not compatible.
absl::StatusOr<Comparison> Compare(const Literal& left, const Literal& right);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_COMPARISON_H_
