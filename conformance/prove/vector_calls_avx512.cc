// vector_calls_lanes.h for CPUs with AVX-512. Tests: prove_test.cc.
#define ASSAY_LANES 8
#include "conformance/prove/vector_calls_lanes.h"
