// The suite examined: every planted defect is found in the tier that its row names, under profiles
// that grant much too but for what they grant; no conforming variant is accused there under its
// profile, and each is seen under profile golden.
#include "conformance/mutants/score.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/corpus/all_cases.h"
#include "conformance/corpus/selection.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

std::vector<CorpusCase> CasesOf(Tier tier) {
  CaseFilter filter;
  filter.tier = tier;
  auto cases = SelectCases(AllCases(), filter);
  EXPECT_TRUE(cases.ok()) << cases.status();
  return *std::move(cases);
}

std::vector<CorpusCase> QuickTier() { return CasesOf(Tier::kQuick); }

std::vector<const Mutant*> Those(bool conforming, Tier tier = Tier::kQuick) {
  std::vector<const Mutant*> those;
  for (const Mutant& mutant : Mutants()) {
    if (mutant.conforming() == conforming && mutant.tier == tier) those.push_back(&mutant);
  }
  return those;
}

void ExpectAllFound(const std::vector<const Mutant*>& mutants,
                    const std::vector<CorpusCase>& cases) {
  const auto scores = ScoreMutants(mutants, cases, {});
  ASSERT_TRUE(scores.ok()) << scores.status();
  for (const MutantScore& score : *scores) {
    EXPECT_TRUE(score.caught()) << score.mutant->target() << ": " << score.mutant->description;
    EXPECT_EQ(score.broken, "") << score.mutant->target();
  }
}

TEST(ScoreTest, EveryDefectIsFound) { ExpectAllFound(Those(/*conforming=*/false), QuickTier()); }

// Those that large arrays, rare combinations and narrow ranges alone show.
TEST(ScoreTest, EveryRareDefectIsFoundInTheStandardTier) {
  const std::vector<const Mutant*> rare = Those(/*conforming=*/false, Tier::kStandard);
  EXPECT_GE(rare.size(), 140u);
  ExpectAllFound(rare, CasesOf(Tier::kStandard));
}

// What a profile grants: the values of a matrix that is not positive definite, the order in which a
// reducer of one's own gets its elements, partial sums in bf16, dots of f32 by TF32, and that a
// start value does not count (W-12: a reduction that forgets it). And the known deviations that
// profiles of XLA's back ends list: I-8, N-9, P-2, P-3, V-2 and X-8. Each step of a scan gives a
// value of the carry's type. Zeros of either sign (signed_zero), -1 to a negative power (P-1),
// denormals that count as zero, functions of narrow types within their budgets. Of
// rewrites of programs: zeros of either sign, and what lies within the intervals of the program.
const std::set<std::string> kLegalOnCpus = {"cholesky/indefinite_is_zero",
                                            "dot/zero_of_f32_is_negative",
                                            "logistic/steps_of_bf16",
                                            "multiply/complex_by_three_products",
                                            "power/minus_one_to_negative",
                                            "programs/negated_difference_is_exchanged",
                                            "programs/plus_zero_is_the_operand",
                                            "programs/zero_minus_is_negate",
                                            "reduce-window/zero_of_f32_is_positive",
                                            "reduce/arguments_exchanged",
                                            "reduce/zero_of_f32_is_positive",
                                            "remainder/zero_of_f64_is_positive",
                                            "scan/sums_narrow_beside_another"};
const std::set<std::string> kLegalOnXlaCpu = {"abs/complex_infinity_and_nan",
                                              "atan2/denormal_quotient",
                                              "cholesky/indefinite_is_zero",
                                              "convert/f64_to_bf16_by_f32",
                                              "convert/f64_to_f16_by_f32",
                                              "convert/f64_to_float8_by_f16",
                                              "convert/s32_to_bf16_by_f32",
                                              "convert/u64_to_bf16_by_f32",
                                              "convolution/accumulates_in_bf16",
                                              "dot/accumulates_in_bf16",
                                              "dot/accumulates_in_f16",
                                              "dot/zero_of_f32_is_negative",
                                              "log/denormals_of_f64",
                                              "logistic/steps_of_bf16",
                                              "logistic/zero_below_minus_88",
                                              "minimum/least_scale_is_nan",
                                              "multiply/complex_by_three_products",
                                              "popcnt/s4_counted_in_8_bits",
                                              "power/low_6_bits_of_the_exponent",
                                              "power/minus_one_to_negative",
                                              "power/unsigned_exponent_as_signed",
                                              "programs/added_and_subtracted_cancels",
                                              "programs/common_factor_is_taken_out",
                                              "programs/division_by_a_constant_is_a_product",
                                              "programs/factors_are_multiplied_first",
                                              "programs/log_of_exponential_is_the_operand",
                                              "programs/negated_difference_is_exchanged",
                                              "programs/plus_zero_is_the_operand",
                                              "programs/product_of_exponentials_adds_exponents",
                                              "programs/products_of_matrices_are_regrouped",
                                              "programs/reduce_of_broadcast_forgets_the_start",
                                              "programs/reduce_of_pad_forgets_the_padding",
                                              "programs/reduce_of_reduce_forgets_a_start",
                                              "programs/root_of_square_is_abs",
                                              "programs/start_counts_in_both_halves",
                                              "programs/subtracted_and_added_cancels",
                                              "programs/zero_minus_is_negate",
                                              "reduce-window/sums_in_bf16",
                                              "reduce-window/sums_narrow_beside_another",
                                              "reduce-window/zero_of_f32_is_positive",
                                              "reduce/arguments_exchanged",
                                              "reduce/sums_in_bf16",
                                              "reduce/sums_in_f16",
                                              "reduce/sums_narrow_beside_another",
                                              "reduce/zero_of_f32_is_positive",
                                              "remainder/zero_of_f64_is_positive",
                                              "scan/sums_narrow_beside_another",
                                              "scatter/sums_narrow_beside_another"};
const std::set<std::string> kLegalOnGpus = {"atan2/denormal_quotient",
                                            "cholesky/indefinite_is_zero",
                                            "convert/f64_to_bf16_by_f32",
                                            "convert/f64_to_f16_by_f32",
                                            "convert/f64_to_float8_by_f16",
                                            "convert/s32_to_bf16_by_f32",
                                            "convert/u64_to_bf16_by_f32",
                                            "dot/f32_as_tf32",
                                            "dot/f8_sums_of_14_bits",
                                            "dot/zero_of_f32_is_negative",
                                            "logistic/steps_of_bf16",
                                            "logistic/zero_below_minus_88",
                                            "multiply/complex_by_three_products",
                                            "power/low_6_bits_of_the_exponent",
                                            "power/minus_one_to_negative",
                                            "power/unsigned_exponent_as_signed",
                                            "programs/added_and_subtracted_cancels",
                                            "programs/common_factor_is_taken_out",
                                            "programs/division_by_a_constant_is_a_product",
                                            "programs/factors_are_multiplied_first",
                                            "programs/log_of_exponential_is_the_operand",
                                            "programs/negated_difference_is_exchanged",
                                            "programs/plus_zero_is_the_operand",
                                            "programs/product_of_exponentials_adds_exponents",
                                            "programs/products_of_matrices_are_regrouped",
                                            "programs/root_of_square_is_abs",
                                            "programs/subtracted_and_added_cancels",
                                            "programs/times_inverse_root_is_root",
                                            "programs/zero_minus_is_negate",
                                            "reduce-window/zero_of_f32_is_positive",
                                            "reduce/arguments_exchanged",
                                            "reduce/zero_of_f32_is_positive",
                                            "remainder/zero_of_f64_is_positive",
                                            "scan/sums_narrow_beside_another"};

TEST(ScoreTest, ProfilesHideNoDefectButWhatTheyGrant) {
  const std::vector<CorpusCase> cases = QuickTier();
  const std::pair<const char*, std::set<std::string>> profiles[] = {
      {"cpu-strict", kLegalOnCpus}, {"xla-cpu", kLegalOnXlaCpu}, {"gpu", kLegalOnGpus}};
  for (const auto& [profile, legal] : profiles) {
    ScoreOptions options;
    options.profile = profile;
    const auto scores = ScoreMutants(Those(/*conforming=*/false), cases, options);
    ASSERT_TRUE(scores.ok()) << scores.status();
    for (const MutantScore& score : *scores) {
      EXPECT_NE(score.caught(), legal.contains(score.mutant->name))
          << profile << ": " << score.mutant->target() << ": " << score.mutant->description;
    }
  }
}

TEST(ScoreTest, ConformingVariantsAreNotAccused) {
  const auto scores = ScoreMutants(Those(/*conforming=*/true), QuickTier(), {});
  ASSERT_TRUE(scores.ok()) << scores.status();
  for (const MutantScore& score : *scores) {
    EXPECT_EQ(score.caught_by, "")
        << score.mutant->target() << " under " << score.profile << ": " << score.reason;
    EXPECT_EQ(score.broken, "") << score.mutant->target();
  }
}

TEST(ScoreTest, ConformingVariantsAreSeenByTheGoldenProfile) {
  ScoreOptions options;
  options.profile = "golden";
  const auto scores = ScoreMutants(Those(/*conforming=*/true), QuickTier(), options);
  ASSERT_TRUE(scores.ok()) << scores.status();
  for (const MutantScore& score : *scores) {
    EXPECT_EQ(score.caught(), score.mutant->profile != "golden")
        << score.mutant->target() << ": " << score.mutant->description;
  }
}

TEST(ScoreTest, AnUnknownProfileIsAnError) {
  ScoreOptions options;
  options.profile = "nobody's";
  EXPECT_EQ(ScoreMutants(Those(false), {}, options).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace assay::conformance
