// dd_kernels.h for CPUs with AVX2 and FMA. Tests: dd_tier_test.cc.
#define ASSAY_DD_TARGET dd_fma
#include "evaluator/real/dd_kernels.h"
