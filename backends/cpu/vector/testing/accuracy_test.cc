// The largest errors on a sample of the inputs; cpu_accuracy takes all of them.
#include "backends/cpu/vector/testing/block_computation.h"
#include "gtest/gtest.h"

namespace assay::cpu {
namespace {

// What the pages of docs/cpu_accuracy.md promise.
double Promised(Opcode opcode, ElementType type) {
  if (opcode == Opcode::kRemainder) return 0;
  if (IsComplex(type)) return opcode == Opcode::kPower ? 32 : 4;
  if (type == ElementType::kF64) return 1.4;
  return type == ElementType::kF32 ? 1.95 : 0.6;
}

class AccuracyOf : public ::testing::TestWithParam<ElementType> {};

TEST_P(AccuracyOf, EveryFunction) {
  const ElementType type = GetParam();
  const int64_t inputs = Info(type).bits <= 16       ? 1 << 16
                         : Info(type).bits == 32     ? 100000
                         : type == ElementType::kF64 ? 10000
                                                     : 2000;
  for (const Opcode opcode : measure::MeasuredFunctions(type)) {
    const measure::Accuracy accuracy = Measured(opcode, type, inputs, 1);
    EXPECT_LE(accuracy.largest, Promised(opcode, type)) << Name(opcode) << " of " << Name(type);
    EXPECT_GE(accuracy.inputs, inputs / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, AccuracyOf,
                         ::testing::Values(ElementType::kBF16, ElementType::kF16, ElementType::kF32,
                                           ElementType::kF64, ElementType::kC64,
                                           ElementType::kC128),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace assay::cpu
