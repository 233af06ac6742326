// The largest errors of the kernels' functions on a sample of the inputs; cuda_accuracy takes more.
#include "backends/cuda/kernels/testing/step_computation.h"
#include "gtest/gtest.h"

namespace assay::cuda {
namespace {

// What docs/cuda_accuracy.md and the profile cuda say.
double Promised(ElementType type) {
  if (IsComplex(type)) return 1;
  return type == ElementType::kF64 ? 0.6 : 0.51;
}

class KernelAccuracy : public ::testing::TestWithParam<ElementType> {};

TEST_P(KernelAccuracy, IsAsMeasured) {
  const ElementType type = GetParam();
  const int64_t inputs = Info(type).bits <= 16 ? 1 << 16 : IsComplex(type) ? 500 : 4000;
  for (const Opcode opcode : measure::MeasuredFunctions(type)) {
    const bool pairs = assay::Info(opcode).arity == 2;
    const measure::Accuracy accuracy = Measured(opcode, type, pairs ? 2000 : inputs, 1);
    if (Info(type).bits <= 8) {
      EXPECT_EQ(accuracy.not_nearest, 0) << Name(opcode) << " of " << Name(type);
    }
    EXPECT_LE(accuracy.largest, Promised(type)) << Name(opcode) << " of " << Name(type);
    EXPECT_GE(accuracy.inputs, Info(type).bits < 8 ? 1 : 200);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, KernelAccuracy,
                         ::testing::Values(ElementType::kF8E4M3FN, ElementType::kF8E5M2,
                                           ElementType::kF8E8M0FNU, ElementType::kBF16,
                                           ElementType::kF16, ElementType::kF32, ElementType::kF64,
                                           ElementType::kC64, ElementType::kC128),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace assay::cuda
