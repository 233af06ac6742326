// dd_kernels.h for CPUs with AVX-512. Tests: dd_tier_test.cc.
#define ASSAY_DD_TARGET dd_avx512
#include "evaluator/real/dd_kernels.h"
