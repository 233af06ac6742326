// double_block_lanes.h for CPUs with AVX-512. Tests: function_blocks_test.cc.
#define ASSAY_LANES 8
#include "evaluator/real/double_block_lanes.h"
