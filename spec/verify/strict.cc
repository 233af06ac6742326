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
      "alias_c3",
      "async_c14",
      "async_c8",
      "batch_norm_c6",
      "binary_c5",
      "binary_c6",
      "bitcast_c1",
      "bitcast_c2",
      "bitcast_c3",
      "broadcast_c6",
      "calls_c5",
      "calls_c6",
      "channel_c2",
      "channel_c3",
      "clamp_c5",
      "clamp_c6",
      "collective_broadcast_c2",
      "collective_c6",
      "collective_permute_c5",
      "compare_c2",
      "convolution_c11",
      "counts_c1",
      "dimension_size_c3",
      "done_c2",
      "dot_c6",
      "dot_c7",
      "dynamic_reshape_c6",
      "extremum_c1",
      "feed_c1",
      "fft_c5",
      "gather_c10",
      "gather_c12",
      "gather_c14",
      "gather_c19",
      "gather_c9",
      "group_c10",
      "group_c11",
      "group_c9",
      "infeed_c3",
      "iota_c4",
      "map_c5",
      "pair_c2",
      "ragged_all_to_all_c1",
      "ragged_all_to_all_c3",
      "ragged_dot_c7",
      "recv_c1",
      "rng_bit_generator_c1",
      "rng_bit_generator_c2",
      "rng_bit_generator_c3",
      "rng_bit_generator_c4",
      "rng_c4",
      "rng_get_and_update_state_c1",
      "scaled_dot_c6",
      "scan_c8",
      "scatter_c11",
      "scatter_c15",
      "scatter_c17",
      "scatter_c19",
      "scatter_c2",
      "scatter_c3",
      "select_and_scatter_c3",
      "select_c5",
      "send_c1",
      "shape_c3",
      "shape_c5",
      "sharding_c6",
      "sharding_c8",
      "sort_c6",
      "sort_c7",
      "topk_c3",
      "while_c3",
      "window_c3",
  };
  return std::binary_search(std::begin(kStrictClauses), std::end(kStrictClauses), clause);
}

}  // namespace assay
