#include "tools/cli/report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "tools/cli/terminal.h"

namespace assay {
namespace {

bool IsFloatArray(const ArrayComparison& array) {
  return array.shape.is_array() &&
         (IsFloat(array.shape.element_type()) || IsComplex(array.shape.element_type()));
}

std::string Place(const std::vector<int64_t>& index) {
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
}

std::string Verdict(const ArrayComparison& array, uint64_t max_ulp) {
  switch (array.agreement) {
    case Agreement::kEqual:
      return Coloured(Colour::kGreen, "equal");
    case Agreement::kFloatsDiffer:
      if (Accepted(array, max_ulp)) {
        return Coloured(Colour::kGreen, absl::StrCat("within ", max_ulp, " ulp"));
      }
      return Coloured(Colour::kYellow, array.largest_distance == 0
                                           ? "floats differ in the sign of zeros"
                                           : absl::StrCat("floats differ by up to ",
                                                          array.largest_distance, " ulp"));
    case Agreement::kMismatch:
      return Coloured(Colour::kRed, "MISMATCH");
  }
  return "";
}

std::string Histogram(const ArrayComparison& array) {
  std::string text;
  const int64_t most = *std::max_element(array.histogram.begin(), array.histogram.end());
  for (int bucket = 0; bucket < kUlpBuckets; ++bucket) {
    const int64_t count = array.histogram[bucket];
    if (count == 0) continue;
    constexpr int kWidth = 40;
    const auto bar = static_cast<size_t>((count * kWidth + most - 1) / most);
    absl::StrAppendFormat(&text, "      %12s %s  %10d  %s\n", UlpBucketName(bucket),
                          IsFloatArray(array) ? "ulp" : "off", count, std::string(bar, '#'));
  }
  return text;
}

void AppendArray(size_t number, const ArrayComparison& array, absl::string_view left,
                 absl::string_view right, uint64_t max_ulp, std::string* text) {
  absl::StrAppend(text, "  ", Coloured(Colour::kBold, absl::StrCat("out", number)), " ",
                  array.shape.ToString(), ": ", array.equal, " of ", array.elements, " equal, ",
                  Verdict(array, max_ulp), "\n");
  if (array.nan_both + array.nan_left_only + array.nan_right_only > 0) {
    absl::StrAppend(text, "    NaN: ", array.nan_both, " in both, ", array.nan_left_only,
                    " only in ", left, ", ", array.nan_right_only, " only in ", right, "\n");
  }
  if (array.infinity_differs > 0) {
    absl::StrAppend(text, "    infinities against other values: ", array.infinity_differs, "\n");
  }
  if (array.zero_sign_differs > 0) {
    absl::StrAppend(text, "    zeros of different sign: ", array.zero_sign_differs, "\n");
  }
  if (array.agreement == Agreement::kEqual) return;
  absl::StrAppend(text, "    largest distance: ", array.largest_distance,
                  IsFloatArray(array) ? " ulp" : "", " at ", Place(array.largest_index), ": ",
                  array.largest_values->first, " in ", left, ", ", array.largest_values->second,
                  " in ", right, "; first difference at ", Place(array.first_index), "\n",
                  Histogram(array));
}

}  // namespace

bool Accepted(const ArrayComparison& array, uint64_t max_ulp) {
  return array.agreement == Agreement::kEqual || (array.agreement == Agreement::kFloatsDiffer &&
                                                  max_ulp > 0 && array.largest_distance <= max_ulp);
}

bool Accepted(const Comparison& comparison, uint64_t max_ulp) {
  return std::all_of(comparison.arrays.begin(), comparison.arrays.end(),
                     [&](const ArrayComparison& array) { return Accepted(array, max_ulp); });
}

std::string ReportText(const Comparison& comparison, absl::string_view left,
                       absl::string_view right, uint64_t max_ulp) {
  std::string text = absl::StrCat(left, " against ", right, ":\n");
  int64_t elements = 0, equal = 0;
  for (size_t i = 0; i < comparison.arrays.size(); ++i) {
    const ArrayComparison& array = comparison.arrays[i];
    AppendArray(i, array, left, right, max_ulp, &text);
    elements += array.elements;
    equal += array.equal;
  }
  std::string verdict;
  if (comparison.agreement == Agreement::kEqual) {
    verdict = Coloured(Colour::kGreen, "equal in every element");
  } else if (comparison.agreement == Agreement::kMismatch) {
    verdict = Coloured(Colour::kRed, "MISMATCH in integers, truth values, infinities or NaNs");
  } else {
    verdict = Coloured(Accepted(comparison, max_ulp) ? Colour::kGreen : Colour::kYellow,
                       absl::StrCat("floats differ by up to ", comparison.largest_distance,
                                    " ulp; integers, truth values, infinities and NaNs agree"));
  }
  absl::StrAppend(&text, "verdict: ", verdict, " (", equal, " of ", elements, " elements equal)\n");
  return text;
}

nlohmann::json ReportJson(const Comparison& comparison, uint64_t max_ulp) {
  nlohmann::json outputs = nlohmann::json::array();
  for (size_t i = 0; i < comparison.arrays.size(); ++i) {
    const ArrayComparison& array = comparison.arrays[i];
    nlohmann::json histogram = nlohmann::json::object();
    for (int bucket = 0; bucket < kUlpBuckets; ++bucket) {
      if (array.histogram[bucket] > 0) histogram[UlpBucketName(bucket)] = array.histogram[bucket];
    }
    nlohmann::json output = {{"name", absl::StrCat("out", i)},
                             {"shape", array.shape.ToString()},
                             {"elements", array.elements},
                             {"equal", array.equal},
                             {"nan_both", array.nan_both},
                             {"nan_left_only", array.nan_left_only},
                             {"nan_right_only", array.nan_right_only},
                             {"infinity_differs", array.infinity_differs},
                             {"zero_sign_differs", array.zero_sign_differs},
                             {"largest_distance", array.largest_distance},
                             {"histogram", histogram},
                             {"verdict", std::string(AgreementName(array.agreement))},
                             {"accepted", Accepted(array, max_ulp)}};
    if (array.largest_values) {
      output["largest_at"] = array.largest_index;
      output["first_at"] = array.first_index;
      output["left"] = array.largest_values->first;
      output["right"] = array.largest_values->second;
    }
    outputs.push_back(std::move(output));
  }
  return {{"verdict", std::string(AgreementName(comparison.agreement))},
          {"accepted", Accepted(comparison, max_ulp)},
          {"largest_distance", comparison.largest_distance},
          {"outputs", std::move(outputs)}};
}

}  // namespace assay
