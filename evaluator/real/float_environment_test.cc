// The guard sets the state that golden code needs and restores the state that it found. Every entry
// point holds a guard.
#include "runtime/float_environment.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "evaluator/real/real_functions.h"

namespace assay::evaluator::float_environment_test {
namespace {

// Computed at run time, so that the state of the thread counts.
double HalfOf(double x) {
  volatile double value = x;
  return value * 0.5;
}
double ThirdPlusTiny() {
  volatile double one = 1, three = 3;
  return one / three;
}

TEST(FloatEnvironmentTest, RoundingModeIsSetAndRestored) {
  const double nearest = ThirdPlusTiny();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const double upward = ThirdPlusTiny();
  {
    const runtime::FloatEnvironmentGuard guard;
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(ThirdPlusTiny(), nearest);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_EQ(ThirdPlusTiny(), upward);
  const Element x = {EncodeFloat(ElementType::kF64, 2.5), 0};
  const uint64_t under_upward = EvaluateReal(RealFunction::kExp, ElementType::kF64, x).bits;
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(under_upward, EvaluateReal(RealFunction::kExp, ElementType::kF64, x).bits);
}

#if defined(__SSE2__)
TEST(FloatEnvironmentTest, SubnormalsSurviveAFlushingThread) {
  const double smallest_normal = std::numeric_limits<double>::min();
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  const double flushed = HalfOf(smallest_normal);
  double kept;
  {
    const runtime::FloatEnvironmentGuard guard;
    kept = HalfOf(smallest_normal);
  }
  const double flushed_again = HalfOf(smallest_normal);
  const uint64_t root = EvaluateReal(RealFunction::kSqrt, ElementType::kF32, {1, 0}).bits;
  _mm_setcsr(before);
  EXPECT_EQ(flushed, 0);
  EXPECT_EQ(kept, smallest_normal / 2);
  EXPECT_EQ(flushed_again, 0);
  EXPECT_EQ(root, 0x1a3504f3u);  // sqrt(2^-149)
}
#endif

// Operands that a changed state would spoil: subnormals, ties and values for the tier in long
// double. Encoded beforehand, because a thread in such a state can compute nothing by itself.
struct Operands {
  ElementType type;
  std::vector<Element> elements;
  std::vector<std::byte> bytes;
};
std::vector<Operands> AllOperands() {
  std::vector<Operands> all;
  for (ElementType type : {ElementType::kF16, ElementType::kF32, ElementType::kF64,
                           ElementType::kC64, ElementType::kC128}) {
    const ElementType part = Info(type).component;
    Operands operands = {type, {}, {}};
    for (double x : {0x1p-149, 0.3, -2.5, 1e-40, 700.0}) {
      operands.elements.push_back({EncodeFloat(part, x), IsComplex(type) ? uint64_t{1} : 0});
      operands.bytes.resize(operands.bytes.size() + Info(type).storage_bytes);
      StoreElement(type, operands.elements.back(), operands.bytes.data(),
                   static_cast<int64_t>(operands.elements.size()) - 1);
    }
    all.push_back(std::move(operands));
  }
  return all;
}

// Every entry of the public interface.
std::vector<Element> Everything(const std::vector<Operands>& all) {
  std::vector<Element> results;
  RealContext extended;
  extended.first_tier = RealTier::kExtended;
  for (const auto& [type, elements, bytes] : all) {
    for (Element x : elements) {
      if (IsComplex(type)) {
        results.push_back(EvaluateComplex(RealFunction::kSinh, type, x));
        results.push_back(EvaluateComplex2(RealFunction2::kDivide, type, x, elements[1]));
        results.push_back(EvaluateComplex2(RealFunction2::kMultiply, type, x, elements[1]));
      } else {
        results.push_back(EvaluateReal(RealFunction::kErf, type, x));
        results.push_back(EvaluateReal(RealFunction::kSinh, type, x, extended));
        results.push_back(EvaluateReal2(RealFunction2::kAtan2, type, x, elements[1]));
      }
    }
    std::vector<std::byte> out(bytes.size());
    const auto count = static_cast<int64_t>(elements.size());
    EvaluateBlock(RealFunction::kTanh, type, bytes.data(), out.data(), count);
    for (int64_t i = 0; i < count; ++i) results.push_back(LoadElement(type, out.data(), i));
    EvaluateBlock2(RealFunction2::kPower, type, bytes.data(), bytes.data(), out.data(), count);
    for (int64_t i = 0; i < count; ++i) results.push_back(LoadElement(type, out.data(), i));
  }
  return results;
}

#if defined(__x86_64__)
uint16_t X87Control() {
  uint16_t control;
  __asm__ volatile("fnstcw %0" : "=m"(control));
  return control;
}
// Clears the flags, which an unmasked state would trap at once.
void SetX87Control(uint16_t control) { __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(control)); }

// Each state in a thread of its own: roundings, flushing, trapping of every exception, x87 cut to
// 53 and to 24 bits. The thread finds its state as it left it, flags among it.
TEST(FloatEnvironmentTest, EveryEntryInEveryStateOfAThread) {
  const std::vector<Operands> operands = AllOperands();
  const std::vector<Element> expected = Everything(operands);
  struct State {
    uint32_t vector;
    uint16_t x87;
  };
  const State states[] = {
      {0x1f80 | 0x2000, 0x77f}, {0x1f80 | 0x4000, 0xb7f}, {0x1f80 | 0x6000, 0xf7f},
      {0x1f80 | 0x8040, 0x37f}, {0x9f80, 0x27f},          {0x1fc0, 0x07f},
      {0x0000, 0x340},          {0xe040, 0xc40},          {0x1fa1, 0x37f}};
  for (const State& state : states) {
    std::vector<Element> results;
    uint32_t vector_after = 0;
    uint16_t x87_after = 0;
    std::thread([&] {
      SetX87Control(state.x87);
      _mm_setcsr(state.vector);
      results = Everything(operands);
      vector_after = _mm_getcsr();
      x87_after = X87Control();
      _mm_setcsr(0x1f80);
    }).join();
    EXPECT_EQ(results, expected) << std::hex << state.vector << " " << state.x87;
    EXPECT_EQ(vector_after, state.vector);
    EXPECT_EQ(x87_after, state.x87);
  }
}
#endif

}  // namespace
}  // namespace assay::evaluator::float_environment_test
