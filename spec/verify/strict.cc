// The documents demand these; XLA's verifier lets them pass, and what comes of it is up to each
// implementation (the golden interpreter refuses to run it). Where the clause is defined it says
// "(strict)"; clauses_check holds both against each other.
// Source: reference ops_structural.md 0.3, 15; ops_control_and_collectives.md 2 to 11. Tests:
// verify_cases_test.cc.
#include "spec/verify/strict.h"

#include <algorithm>
#include <iterator>

namespace assay {

bool IsStrictClause(absl::string_view clause) {
  static constexpr absl::string_view kStrictClauses[] = {
      "async_c8",
      "calls_c5",
      "channel_c1",
      "clamp_c5",
      "compare_c2",
      "convolution_c11",
      "dimension_size_c3",
      "dot_c6",
      "extremum_c1",
      "fft_c5",
      "gather_c19",
      "group_c10",
      "group_c9",
      "pair_c2",
      "rng_bit_generator_c2",
      "rng_get_and_update_state_c1",
      "select_and_scatter_c3",
      "shape_c3",
      "sharding_c6",
      "window_c3",
  };
  return std::binary_search(std::begin(kStrictClauses), std::end(kStrictClauses), clause);
}

}  // namespace assay
