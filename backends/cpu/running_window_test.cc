#include "backends/cpu/running_window.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/cpu_backend.h"
#include "gtest/gtest.h"
#include "spec/element/float_formats.h"
#include "spec/text/parser.h"

namespace assay::cpu::running_window_test {
namespace {

absl::StatusOr<Literal> RunText(const std::string& text, const std::vector<Literal>& arguments) {
  auto module = ParseModule(text);
  if (!module.ok()) return module.status();
  CpuOptions options;
  options.run.budget.threads = 2;
  CpuBackend backend(options);
  return RunOnce(backend, **module, arguments);
}

// Windows from an element to the begin or the end of its line, against a loop over every window in
// the order of the definition. Small integers make every sum and product exact.
TEST(RunningWindows, AreThoseOfTheDefinition) {
  struct Reducer {
    const char* operation;
    double init;
    double (*f)(double, double);
  };
  const Reducer reducers[] = {
      {"add(a, b)", 3, [](double a, double b) { return a + b; }},
      {"multiply(a, b)", -1, [](double a, double b) { return a * b; }},
      {"maximum(a, b)", 0, [](double a, double b) { return std::max(a, b); }},
      {"minimum(a, b)", 1, [](double a, double b) { return std::min(a, b); }},
      {"subtract(a, b)", 5, [](double a, double b) { return a - b; }},
  };
  constexpr int64_t kRows = 3, kColumns = 70;
  for (const char* name : {"f32", "f64", "bf16", "s32", "s8", "c128"}) {
    const ElementType type = *ElementTypeFromName(name);
    const auto encode = [&](double value) {
      const ElementType part = Info(type).component;
      if (IsFloat(part)) return Element{EncodeFloat(part, value)};
      return Element{static_cast<uint64_t>(static_cast<int64_t>(value)) &
                     (~uint64_t{0} >> (64 - Info(type).bits))};
    };
    for (const Reducer& reducer : reducers) {
      const bool products = reducer.operation[0] == 'm' && reducer.operation[1] == 'u';
      if (IsComplex(type) && reducer.operation[0] == 'm' && !products) continue;
      std::vector<double> values(kRows * kColumns);
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = products ? (i % 3 == 0 ? -1 : 1) : static_cast<double>(i * 7 % 4) - 2;
      }
      Literal x = Literal::Zeros(Shape(type, {kRows, kColumns}));
      for (size_t i = 0; i < values.size(); ++i) x.Set(static_cast<int64_t>(i), encode(values[i]));
      Literal init = Literal::Zeros(Shape(type, {}));
      init.Set(0, encode(reducer.init));
      for (const bool along_rows : {false, true}) {
        for (const bool from_end : {false, true}) {
          const int64_t size = along_rows ? kRows : kColumns;
          const std::string pad =
              from_end ? absl::StrCat("0_", size - 1) : absl::StrCat(size - 1, "_0");
          const std::string window = along_rows
                                         ? absl::StrCat("{size=", size, "x1 pad=", pad, "x0_0}")
                                         : absl::StrCat("{size=1x", size, " pad=0_0x", pad, "}");
          const std::string text = absl::StrCat(
              "f { a = ", name, "[] parameter(0) b = ", name, "[] parameter(1) ROOT r = ", name,
              "[] ", reducer.operation, " }\nENTRY e { x = ", name,
              "[3,70] parameter(0) i = ", name, "[] parameter(1) ROOT r = ", name,
              "[3,70] reduce-window(x, i), window=", window, ", to_apply=f }");
          const auto result = RunText(text, {x, init});
          ASSERT_TRUE(result.ok()) << result.status() << text;
          for (int64_t i = 0; i < kRows * kColumns; ++i) {
            const int64_t at = along_rows ? i / kColumns : i % kColumns;
            const int64_t stride = along_rows ? kColumns : 1;
            double expected = reducer.init;
            for (int64_t k = from_end ? at : 0; k <= (from_end ? size - 1 : at); ++k) {
              expected = reducer.f(expected, values[i + (k - at) * stride]);
            }
            ASSERT_EQ(result->Get(i).bits, encode(expected).bits) << text << i;
          }
        }
      }
    }
  }
}

// The largest element so far and its place, of two arrays of unlike types whose reducer is no known
// operation. Windows that are longer than the line are those of the line.
TEST(RunningWindows, SeveralArraysInTheOrderOfTheDefinition) {
  constexpr int64_t kSize = 40;
  Literal values = Literal::Zeros(Shape(ElementType::kF32, {kSize}));
  Literal places = Literal::Zeros(Shape(ElementType::kS16, {kSize}));
  for (int64_t i = 0; i < kSize; ++i) {
    values.Set(i, {EncodeFloat(ElementType::kF32, static_cast<double>(i * 11 % 17))});
    places.Set(i, {static_cast<uint64_t>(i)});
  }
  for (const int64_t window : {kSize, kSize + 7}) {
    const auto result = RunText(
        absl::StrCat(
            "f { a = f32[] parameter(0) p = s16[] parameter(1) b = f32[] parameter(2) "
            "q = s16[] parameter(3) later = pred[] compare(b, a), direction=GE "
            "m = f32[] select(later, b, a) r = s16[] select(later, q, p) "
            "ROOT t = (f32[], s16[]) tuple(m, r) }\n"
            "ENTRY e { x = f32[40] parameter(0) i = s16[40] parameter(1) l = f32[] constant(-1) "
            "n = s16[] constant(-1) ROOT w = (f32[40], s16[40]) reduce-window(x, i, l, n), "
            "window={size=",
            window, " pad=", window - 1, "_0}, to_apply=f }"),
        {values, places});
    ASSERT_TRUE(result.ok()) << result.status();
    int64_t largest = -1, place = -1;
    for (int64_t i = 0; i < kSize; ++i) {
      if (i * 11 % 17 >= largest) largest = i * 11 % 17, place = i;
      EXPECT_EQ(DecodeFloat(ElementType::kF32, result->element(0).Get(i).bits), largest) << i;
      EXPECT_EQ(result->element(1).Get(i).bits, static_cast<uint64_t>(place)) << i;
    }
  }
}

}  // namespace
}  // namespace assay::cpu::running_window_test
