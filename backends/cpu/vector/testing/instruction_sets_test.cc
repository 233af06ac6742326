// Every kernel gives the same bits on every instruction set that this machine has, however its
// elements are split into calls, and where the result takes the place of an operand.
#include <cstring>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "backends/cpu/vector/kernel_table.h"
#include "gtest/gtest.h"
#include "runtime/float_environment.h"
#include "spec/element/element.h"
#include "spec/testing/schedule.h"

namespace assay::cpu {
namespace {

constexpr int64_t kCount = kScheduleStride == 1 ? 1000 : 201;

// Values of a lane as they occur in programs: any patterns, and floats of ordinary size.
std::vector<std::byte> MakeRandomLanes(Lane lane, uint64_t seed) {
  std::mt19937_64 random(seed);
  const int64_t bytes = LaneBytes(lane);
  std::vector<std::byte> data(kCount * bytes);
  for (std::byte& b : data) b = static_cast<std::byte>(random());
  const bool is_float = lane >= Lane::kF32;
  if (!is_float) return data;
  const bool is_single = lane == Lane::kF32 || lane == Lane::kC64;
  const int64_t parts = bytes / (is_single ? 4 : 8) * kCount;
  for (int64_t i = 0; i < parts; i += 2) {
    const double x = (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) *
                     static_cast<double>(1 << (random() % 12));
    StoreElement(is_single ? ElementType::kF32 : ElementType::kF64,
                 {.bits = EncodeFloat(is_single ? ElementType::kF32 : ElementType::kF64, x)},
                 data.data(), i);
  }
  return data;
}

// The same made once: hundreds of kernels ask for them.
const std::vector<std::byte>& RandomLanes(Lane lane, uint64_t seed) {
  static auto* const made = new std::map<std::pair<Lane, uint64_t>, std::vector<std::byte>>();
  std::vector<std::byte>& lanes = (*made)[{lane, seed}];
  if (lanes.empty()) lanes = MakeRandomLanes(lane, seed);
  return lanes;
}

// The results in an array of their own or over the first operand, off alignment.
enum class Manner { kWhole, kInPlace };
std::vector<std::byte> Results(BlockKernel kernel, Lane lane, Manner manner) {
  const runtime::FloatEnvironmentGuard guard;
  std::vector<std::vector<std::byte>> operands;
  for (uint64_t k = 0; k < 3; ++k) {
    operands.push_back(RandomLanes(lane, 100 * static_cast<int>(lane) + k));
    operands.back().insert(operands.back().begin(), std::byte{0});
  }
  const int64_t bytes = LaneBytes(lane);
  std::vector<std::byte> result(kCount * 16 + 1, std::byte{0});
  const KernelParameters parameters = {.bits = static_cast<int32_t>(8 * bytes), .source_bits = 64};
  auto run = [&](int64_t first, int64_t n, std::byte* out) {
    const std::byte* addresses[3];
    for (int k = 0; k < 3; ++k) addresses[k] = operands[k].data() + 1 + first * bytes;
    kernel(addresses, out, n, parameters);
  };
  if (manner == Manner::kWhole) run(0, kCount, result.data() + 1);
  if (manner == Manner::kInPlace) {
    run(0, kCount, operands[0].data() + 1);
    std::memcpy(result.data() + 1, operands[0].data() + 1, kCount * bytes);
  }
  return result;
}

// Every kernel of a table by opcode, comparison or conversion.
template <typename F>
void ForEachKernel(const KernelTable& table, F f) {
  for (int lane = 0; lane < kLaneCount; ++lane) {
    for (int op = 0; op < kKernelOpCount; ++op) f(table.by_opcode[op][lane], lane, op);
    for (int d = 0; d < 6; ++d) {
      f(table.compare[d][lane], lane, 1000 + d);
      f(table.total_order[d][lane], lane, 1100 + d);
    }
    for (int to = 0; to < kLaneCount; ++to) f(table.convert[to][lane], lane, 2000 + to);
    f(table.is_nonzero[lane], lane, 3000);
    f(table.to_odd[lane], lane, 3001);
  }
}

// Equal bit for bit, but for NaNs of floats, whose payloads nobody promises.
bool Same(Lane lane, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  if (a == b) return true;
  if (lane < Lane::kF32) return false;
  const bool is_single = lane == Lane::kF32 || lane == Lane::kC64;
  const ElementType type = is_single ? ElementType::kF32 : ElementType::kF64;
  for (size_t i = 0; i < (a.size() - 1) / (is_single ? 4 : 8); ++i) {
    const uint64_t x = LoadElement(type, a.data() + 1, i).bits;
    const uint64_t y = LoadElement(type, b.data() + 1, i).bits;
    if (x != y && !(IsNan(type, x) && IsNan(type, y))) return false;
  }
  return true;
}

TEST(InstructionSets, GiveTheSameBits) {
  std::vector<std::vector<std::byte>> expected;
  ForEachKernel(Kernels(InstructionSet::kBaseline), [&](BlockKernel kernel, int lane, int) {
    if (kernel == nullptr) return;
    expected.push_back(Results(kernel, static_cast<Lane>(lane), Manner::kWhole));
  });
  EXPECT_GT(expected.size(), 400u);
  int sets = 0;
  for (const InstructionSet set : {InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (!Supports(set)) continue;
    ++sets;
    size_t number = 0;
    ForEachKernel(Kernels(set), [&](BlockKernel kernel, int lane, int op) {
      if (kernel == nullptr) return;
      const auto actual = Results(kernel, static_cast<Lane>(lane), Manner::kWhole);
      EXPECT_TRUE(Same(static_cast<Lane>(lane), actual, expected[number]))
          << Kernels(set).name << " lane " << lane << " " << op;
      ++number;
    });
    EXPECT_EQ(number, expected.size());
  }
  RecordProperty("sets", sets);
}

// Some kernels take a shorter path where all elements of a chunk are usual. A NaN at the end of the
// chunk keeps them from it, and the other elements keep their bits.
TEST(InstructionSets, ShorterPathsGiveTheSameBits) {
  const runtime::FloatEnvironmentGuard guard;
  constexpr uint32_t kStarts = 2000 / kScheduleStride;
  constexpr int64_t kChunk = 256;
  const auto pattern_of = [](float x) {
    return static_cast<uint32_t>(EncodeFloat(ElementType::kF32, x));
  };
  std::vector<uint32_t> starts;
  for (uint32_t i = 0; i < kStarts; ++i) starts.push_back(i * (0xffffffffu / kStarts));
  for (const uint32_t border : {pattern_of(87), pattern_of(-87), pattern_of(0x1p-126f),
                                pattern_of(0x1.fffffep127f), pattern_of(-0x1p-126f)}) {
    for (const uint32_t before : {255u, 254u, 253u, 128u, 1u, 0u})
      starts.push_back(border - before);
  }
  for (const KernelOp op : {KernelOp::kExp, KernelOp::kLog, KernelOp::kLogistic}) {
    const BlockKernel kernel =
        BestKernels().by_opcode[static_cast<int>(op)][static_cast<int>(Lane::kF32)];
    for (const uint32_t start : starts) {
      std::vector<uint32_t> patterns(kChunk), alone(kChunk), with_nan(kChunk);
      for (int64_t i = 0; i < kChunk; ++i) patterns[i] = start + static_cast<uint32_t>(i);
      const std::byte* operands[] = {reinterpret_cast<const std::byte*>(patterns.data())};
      patterns.back() = patterns.front();
      kernel(operands, reinterpret_cast<std::byte*>(alone.data()), kChunk, {});
      patterns.back() = 0x7fc00000;
      kernel(operands, reinterpret_cast<std::byte*>(with_nan.data()), kChunk, {});
      alone.pop_back();
      with_nan.pop_back();
      ASSERT_EQ(alone, with_nan) << static_cast<int>(op) << " from pattern " << start;
    }
  }
}

// An element's result does not depend on its place.
TEST(InstructionSets, AreTheSameElementByElement) {
  const runtime::FloatEnvironmentGuard guard;
  ForEachKernel(BestKernels(), [&](BlockKernel kernel, int lane_number, int op) {
    if (kernel == nullptr) return;
    const Lane lane = static_cast<Lane>(lane_number);
    const int64_t bytes = LaneBytes(lane);
    const auto whole = Results(kernel, lane, Manner::kWhole);
    std::vector<std::vector<std::byte>> operands;
    for (uint64_t k = 0; k < 3; ++k) operands.push_back(RandomLanes(lane, 100 * lane_number + k));
    const KernelParameters parameters = {.bits = static_cast<int32_t>(8 * bytes),
                                         .source_bits = 64};
    // The bytes of a result: those that a single element writes.
    std::vector<std::byte> single(16, std::byte{0xa5});
    int64_t width = 0;
    for (const int64_t candidate : {1, 2, 4, 8, 16}) {
      std::vector<std::byte> a(32, std::byte{0x11}), b(32, std::byte{0xee});
      const std::byte* first[3] = {operands[0].data(), operands[1].data(), operands[2].data()};
      kernel(first, a.data(), 1, parameters);
      kernel(first, b.data(), 1, parameters);
      if (a[candidate - 1] == b[candidate - 1]) width = candidate;
    }
    for (int64_t i = 0; i < 40; ++i) {
      const std::byte* at[3];
      for (int k = 0; k < 3; ++k) at[k] = operands[k].data() + i * bytes;
      kernel(at, single.data(), 1, parameters);
      EXPECT_EQ(std::memcmp(single.data(), whole.data() + 1 + i * width, width), 0)
          << "lane " << lane_number << " " << op << " element " << i;
    }
  });
}

TEST(InstructionSets, WriteOverAnOperand) {
  ForEachKernel(BestKernels(), [&](BlockKernel kernel, int lane_number, int op) {
    if (kernel == nullptr || op >= 1000) return;
    const Lane lane = static_cast<Lane>(lane_number);
    const int64_t bytes = LaneBytes(lane);
    const auto whole = Results(kernel, lane, Manner::kWhole);
    if (op == static_cast<int>(KernelOp::kComplex)) return;  // larger than its operands
    const auto over = Results(kernel, lane, Manner::kInPlace);
    // Of results smaller than operands the rest are operands.
    const bool smaller = op == static_cast<int>(KernelOp::kIsFinite) ||
                         (lane >= Lane::kC64 && (op == static_cast<int>(KernelOp::kAbs) ||
                                                 op == static_cast<int>(KernelOp::kReal) ||
                                                 op == static_cast<int>(KernelOp::kImag)));
    if (smaller) return;
    EXPECT_EQ(std::memcmp(whole.data(), over.data(), 1 + kCount * bytes), 0)
        << "lane " << lane_number << " " << op;
  });
}

}  // namespace
}  // namespace assay::cpu
