#include "spec/layout/dimensions.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace assay {

int64_t TrueRank(const Shape& array) {
  const auto sizes = array.dimensions();
  return std::count_if(sizes.begin(), sizes.end(), [](int64_t size) { return size > 1; });
}

absl::StatusOr<int64_t> DimensionNumber(int64_t number, int64_t rank) {
  if (number < -rank || number >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no dimension ", number, " in an array of rank ", rank));
  }
  return number < 0 ? number + rank : number;
}

absl::string_view DimensionLetter(int64_t dimension, int64_t rank) {
  constexpr absl::string_view kLetters = "pzyx";
  if (rank < 2 || rank > 4 || dimension < 0 || dimension >= rank) return "";
  return kLetters.substr(4 - rank + dimension, 1);
}

absl::StatusOr<int64_t> SizeOfDimension(const Shape& array, int64_t number) {
  absl::StatusOr<int64_t> dimension = DimensionNumber(number, array.rank());
  if (!dimension.ok()) return dimension.status();
  return array.dimension(*dimension);
}

}  // namespace assay
