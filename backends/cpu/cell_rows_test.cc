// The loops over runs of cells against the operations by their definitions, and whole scatters
// whose windows overlap, where the order of the updates shows.
#include "backends/cpu/cell_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/cpu/cpu_backend.h"
#include "gtest/gtest.h"
#include "spec/testing/typed_literals.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::cpu::cell_rows_test {
namespace {

constexpr int64_t kCells = 64, kUpdates = 96;

template <typename T>
T Combined(Opcode opcode, T a, T b) {
  switch (opcode) {
    case Opcode::kAdd:
      return a + b;
    case Opcode::kMultiply:
      return a * b;
    case Opcode::kMaximum:
      return std::max(a, b);
    case Opcode::kMinimum:
      return std::min(a, b);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) return opcode == Opcode::kAnd ? a & b : a | b;
  ADD_FAILURE() << "no such operation";
  return a;
}

// Numbers of few bits, so that their order shows in sums of floats by way of the large ones only.
template <typename T>
std::vector<T> Numbers(int64_t n, std::mt19937& engine) {
  std::vector<T> numbers(n);
  for (T& number : numbers) {
    const auto value = static_cast<int64_t>(engine() % 4001) - 2000;
    number = static_cast<T>(std::is_floating_point_v<T> && engine() % 8 == 0
                                ? static_cast<double>(value) * 0x1p40
                                : static_cast<double>(value));
    if constexpr (std::is_unsigned_v<T>) number = static_cast<T>(engine());
  }
  return numbers;
}

template <typename T, typename Element = T>
void ExpectRuns(Opcode opcode, ElementType element, ElementType accumulator) {
  const CellFunction fold = FindCellFunction(opcode, element, accumulator);
  ASSERT_NE(fold, nullptr) << Name(opcode);
  std::mt19937 engine(7);
  for (const int64_t length : {1, 2, 3, 4, 7, 8, 9, 16, 21}) {
    std::vector<T> acc = Numbers<T>(kCells, engine), expected = acc;
    const std::vector<Element> x = Numbers<Element>(kUpdates, engine);
    std::vector<int64_t> cells, positions;
    for (int i = 0; i < 40; ++i) {
      cells.push_back(static_cast<int64_t>(engine() % (kCells - length + 1)));
      positions.push_back(static_cast<int64_t>(engine() % (kUpdates - length + 1)));
      for (int64_t j = 0; j < length; ++j) {
        T& cell = expected[cells.back() + j];
        cell = Combined<T>(opcode, cell, x[positions.back() + j]);
      }
    }
    fold(reinterpret_cast<std::byte*>(acc.data()), reinterpret_cast<const std::byte*>(x.data()),
         {cells.data(), positions.data(), static_cast<int64_t>(cells.size()), length});
    EXPECT_EQ(std::memcmp(acc.data(), expected.data(), kCells * sizeof(T)), 0)
        << Name(opcode) << " " << Name(element) << " runs of " << length;
  }
}

template <typename T>
void ExpectIntegers(ElementType type) {
  for (const Opcode opcode : {Opcode::kMaximum, Opcode::kMinimum}) {
    ExpectRuns<T>(opcode, type, type);
  }
  for (const Opcode opcode : {Opcode::kAdd, Opcode::kMultiply, Opcode::kAnd, Opcode::kOr}) {
    ExpectRuns<std::make_unsigned_t<T>>(opcode, type, type);
  }
}

TEST(CellRows, AreTheOperationsInOrder) {
  for (const Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum}) {
    ExpectRuns<float>(opcode, ElementType::kF32, ElementType::kF32);
    ExpectRuns<double>(opcode, ElementType::kF64, ElementType::kF64);
  }
  for (const Opcode opcode : {Opcode::kAdd, Opcode::kMultiply}) {
    ExpectRuns<double, float>(opcode, ElementType::kF32, ElementType::kF64);
  }
  ExpectIntegers<int32_t>(ElementType::kS32);
  ExpectIntegers<uint32_t>(ElementType::kU32);
  ExpectIntegers<int64_t>(ElementType::kS64);
  ExpectIntegers<uint64_t>(ElementType::kU64);
}

TEST(CellRows, AreNotThereForOtherTypes) {
  EXPECT_EQ(FindCellFunction(Opcode::kAdd, ElementType::kBF16, ElementType::kF32), nullptr);
  EXPECT_EQ(FindCellFunction(Opcode::kMultiply, ElementType::kF32, ElementType::kF32), nullptr);
  EXPECT_EQ(FindCellFunction(Opcode::kXor, ElementType::kS32, ElementType::kS32), nullptr);
}

// The result of a scatter of windows of 2 x 2 elements at (0, 0), (0, 1), (9, 9), (1, 0) and (0, 0)
// into 3 x 3 cells.
std::string Scattered(absl::string_view type, absl::string_view operation, absl::string_view data,
                      absl::string_view updates) {
  const std::string text = absl::StrReplaceAll(
      R"(HloModule m
f { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] OPERATION(a, b) }
ENTRY e {
  data = TYPE[3,3] constant(DATA)
  starts = s32[5,2] constant({ {0, 0}, {0, 1}, {9, 9}, {1, 0}, {0, 0} })
  updates = TYPE[5,2,2] constant(UPDATES)
  ROOT s = TYPE[3,3] scatter(data, starts, updates), update_window_dims={1,2},
    inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=f
})",
      {{"TYPE", type}, {"OPERATION", operation}, {"DATA", data}, {"UPDATES", updates}});
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "";
  CpuBackend backend({.run = {}, .plain = true});
  absl::StatusOr<Literal> result = RunOnce(backend, **module, {});
  return result.ok() ? PrintTypedLiteral(*result) : result.status().ToString();
}

// Cell (1, 1) meets 2^24, 1, -2^24 and 1 in this order: the first 1 is lost, the second is not.
TEST(Scatter, AddsInTheOrderOfTheWindows) {
  EXPECT_EQ(Scattered("f32", "add", "{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}",
                      "{ {{1, 2}, {3, 16777216}}, {{4, 5}, {1, 6}}, {{9, 9}, {9, 9}}, "
                      "{{7, -16777216}, {8, 9}}, {{1, 1}, {1, 1}} }"),
            Canonical("f32[3,3] {{2, 7, 5}, {11, 1, 6}, {8, 9, 0}}"));
}

// Cell (1, 1) meets P, P, 1/P and 1/P, whose product so far leaves the range of the type.
TEST(Scatter, ProductsMayLeaveTheRangeOnTheirWay) {
  const auto updates = [](absl::string_view large, absl::string_view small) {
    return absl::StrReplaceAll(
        "{ {{2, 3}, {5, P}}, {{7, 11}, {P, 13}}, {{9, 9}, {9, 9}}, "
        "{{2, Q}, {3, 5}}, {{2, 2}, {2, Q}} }",
        {{"P", large}, {"Q", small}});
  };
  const char* const ones = "{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}";
  const std::string products = "[3,3] {{4, 42, 11}, {20, 1, 13}, {3, 5, 1}}";
  EXPECT_EQ(Scattered("f32", "multiply", ones,
                      updates("1.2676506002282294e+30", "7.888609052210118e-31")),
            Canonical("f32" + products));
  EXPECT_EQ(Scattered("f64", "multiply", ones,
                      updates("1.0715086071862673e+301", "9.332636185032189e-302")),
            Canonical("f64" + products));
  // 65537 * 65537 * 3 * 3 modulo 2^32.
  EXPECT_EQ(Scattered("s32", "multiply", ones, updates("65537", "3")),
            Canonical("s32[3,3] {{4, 42, 11}, {20, 1179657, 13}, {3, 5, 1}}"));
}

TEST(Scatter, ExtremesKeepNansAndOrderZeros) {
  EXPECT_EQ(Scattered("f32", "maximum", "{{-0, 1, 1}, {1, 1, 1}, {-0, 1, 1}}",
                      "{ {{0, 2}, {3, nan}}, {{4, 5}, {1, 6}}, {{9, 9}, {9, 9}}, "
                      "{{7, 8}, {-1, 9}}, {{-1, 1}, {1, 1}} }"),
            Canonical("f32[3,3] {{0, 4, 5}, {7, nan, 6}, {-0, 9, 1}}"));
}

TEST(Scatter, LogicalOr) {
  EXPECT_EQ(Scattered("pred", "or", "{{0, 0, 0}, {0, 0, 0}, {0, 0, 1}}",
                      "{ {{0, 0}, {0, 0}}, {{0, 1}, {0, 0}}, {{1, 1}, {1, 1}}, "
                      "{{0, 1}, {1, 0}}, {{0, 0}, {0, 0}} }"),
            Canonical("pred[3,3] {{false, false, true}, {false, true, false}, "
                      "{true, false, true}}"));
}

}  // namespace
}  // namespace assay::cpu::cell_rows_test
