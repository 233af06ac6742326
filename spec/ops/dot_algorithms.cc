#include "spec/ops/dot_algorithms.h"

namespace assay {
namespace {

// Sets of element types.
bool Any(ElementType) { return true; }
bool F8(ElementType type) { return IsFloat(type) && Info(type).bits == 8; }
bool F32(ElementType type) { return type == ElementType::kF32; }
bool F64(ElementType type) { return type == ElementType::kF64; }
bool F16OrF32(ElementType type) { return type == ElementType::kF16 || F32(type); }
bool BF16OrF32(ElementType type) { return type == ElementType::kBF16 || F32(type); }
bool UpToF32(ElementType type) { return F8(type) || F16OrF32(type) || BF16OrF32(type); }

constexpr DotAlgorithm kAlgorithms[] = {
#define DOT_ALGORITHM(...) {__VA_ARGS__},
#include "spec/ir/dot_algorithms.def"
#undef DOT_ALGORITHM
};

}  // namespace

const DotAlgorithm& DotAlgorithmOf(int64_t number) { return kAlgorithms[number]; }

}  // namespace assay
