// double_block_lanes.h for CPUs with AVX2. Tests: function_blocks_test.cc.
#define ASSAY_LANES 4
#include "evaluator/real/double_block_lanes.h"
