// The tier of 1536 bits. Tests: big_tier_test.cc.
#include "evaluator/real/big_tier_impl.h"

namespace assay::evaluator::real {

template struct BigTier<1536>;

}  // namespace assay::evaluator::real
