// dd_kernels.h for every CPU. Tests: dd_tier_test.cc.
#define ASSAY_DD_TARGET dd_baseline
#include "evaluator/real/dd_kernels.h"
