// The widths of rules that fold and contract, against enumerated operands and orders:
// width_testing.h.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/width_testing.h"

namespace assay::conformance {
namespace {

using enum ElementType;

TEST_F(WidthsTest, Sums) {
  for (const ElementType type : kWidthTypes) {
    const Places places(type);
    // Of f32 golden's own rounding comes to the bound.
    const int64_t most = type == kF32 ? 1 : 0;
    const auto summed = [&](int64_t, const Reals& x) { return Summed(places, x, false); };
    const auto products = [&](int64_t, const Reals& x) {
      Reals terms;
      for (size_t k = 0; k < x.size(); k += 2) terms.push_back(x[k] * x[k + 1]);
      return Summed(places, terms, true);
    };
    const auto row = [](int64_t i) {
      return std::vector<OperandPart>{{0, 3 * i}, {0, 3 * i + 1}, {0, 3 * i + 2}};
    };
    MeasuredRule reduce{"reduce (add)",
                        type,
                        "T[300]",
                        "reduce(x0, zero), dimensions={1}, to_apply=add",
                        {"T[300,3]"},
                        kAdder,
                        row,
                        summed,
                        most};
    reduce.attains = [&](int64_t, const Reals& x) { return RangeOfValues(places, SumsOf(x)); };
    MeasureBoth(reduce);
    MeasureBoth({"reduce-window (add)",
                 type,
                 "T[300,3]",
                 "reduce-window(x0, zero), window={size=1x2}, to_apply=add",
                 {"T[300,4]"},
                 kAdder,
                 [](int64_t i) {
                   const int64_t at = i / 3 * 4 + i % 3;
                   return std::vector<OperandPart>{{0, at}, {0, at + 1}};
                 },
                 summed,
                 most},
                2, 1);
    MeasuredRule dot{
        "dot",
        type,
        "T[300]",
        "dot(x0, x1), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
        "rhs_contracting_dims={1}",
        {"T[300,2]", "T[300,2]"},
        "",
        [](int64_t i) {
          return std::vector<OperandPart>{{0, 2 * i}, {1, 2 * i}, {0, 2 * i + 1}, {1, 2 * i + 1}};
        },
        products,
        most};
    dot.attains = [&](int64_t, const Reals& x) { return RangeOfValues(places, DotsOf(x)); };
    MeasureBoth(dot, 1, type == kF32 ? 5 : 2);
    MeasureBoth({"convolution",
                 type,
                 "T[100,3,1]",
                 "convolution(x0, x1), window={size=2}, dim_labels=b0f_0io->b0f",
                 {"T[100,4,1]", "T[2,1,1]"},
                 "",
                 [](int64_t i) {
                   const int64_t at = i / 3 * 4 + i % 3;
                   return std::vector<OperandPart>{{0, at}, {1, 0}, {0, at + 1}, {1, 1}};
                 },
                 products,
                 most},
                1, type == kF32 ? 5 : 2);
    MeasureBoth({"scatter (add)",
                 type,
                 "T[100]",
                 "scatter(x0, places, x1), update_window_dims={1}, inserted_window_dims={},"
                 " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
                 {"T[100]", "T[2,100]"},
                 kAdder,
                 [](int64_t i) {
                   return std::vector<OperandPart>{{0, i}, {1, i}, {1, 100 + i}};
                 },
                 summed,
                 most},
                2, most);
    MeasureBoth(
        {"select-and-scatter (add)",
         type,
         "T[200]",
         "select-and-scatter(keys, x0, zero), window={size=2 stride=2}, select=ge, "
         "scatter=add",
         {"T[100]"},
         kAdder,
         [](int64_t i) {
           return i % 2 == 0 ? std::vector<OperandPart>{{0, i / 2}} : std::vector<OperandPart>{};
         },
         summed,
         most});
    MeasureBoth({"reduce (minimum)",
                 type,
                 "T[300]",
                 "reduce(x0, most), dimensions={1}, to_apply=least",
                 {"T[300,3]"},
                 kAdder,
                 row,
                 [&](int64_t, const Reals& x) {
                   return Rounded(places, *std::min_element(x.begin(), x.end()), 0);
                 }});
  }
}

}  // namespace
}  // namespace assay::conformance
