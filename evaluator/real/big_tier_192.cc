// The tier of 192 bits. Tests: big_tier_test.cc.
#include "evaluator/real/big_tier_impl.h"

namespace assay::evaluator::real {

template struct BigTier<192>;

}  // namespace assay::evaluator::real
