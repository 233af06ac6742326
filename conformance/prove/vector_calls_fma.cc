// vector_calls_lanes.h for CPUs with AVX2. Tests: prove_test.cc.
#define ASSAY_LANES 4
#include "conformance/prove/vector_calls_lanes.h"
