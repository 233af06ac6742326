// Mutants of the kernels of the cpu backend (backends/cpu/defect.h): the conformance suite finds
// every one of them, in the quick or in the standard tier. This program is built from the backend's
// sources with the mutants compiled in.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/defect.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/selection.h"
#include "conformance/runner/runner.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

struct Defect {
  int number;
  const char* op;  // whose cases are to find it; of the second tier, all that reach it
  const char* what;
};
constexpr Defect kDefects[] = {
    {1, "reduce", "the initial value is left out"},
    {2, "reduce", "a reducer of one's own gets the last element first"},
    {3, "reduce", "an odd number of lanes folds one of them twice"},
    {4, "reduce", "of an odd number of neighbours the last is lost"},
    {5, "reduce-window", "windows at the low edge lose an element"},
    {6, "reduce-window", "the last element of the base is never met"},
    {7, "reduce-window", "the dilation of the window is ignored"},
    {8, "reduce-window", "positions that only some windows of a box meet are left out"},
    {9, "scatter", "of two updates of a cell one is lost"},
    {10, "scatter", "a window that ends at the edge is left out"},
    {11, "scatter", "overwriting does nothing"},
    {12, "dynamic-slice", "starts are clamped to half of the range"},
    {13, "dynamic-update-slice", "the start is ignored"},
    {14, "gather", "batching dimensions of the operand are ignored"},
    {15, "gather", "starts are clamped to half of the range"},
    {16, "bitcast-convert", "narrow elements repeat the lowest bits"},
    {17, "bitcast", "layouts are ignored"},
    {18, "iota", "positions repeat"},
    {19, "sort", "the order is always ascending"},
    {20, "sort", "numbers order zeros by their sign"},
    {21, "sort", "runs are concatenated where the comparator is not known"},
    {22, "sort", "signed integers are ordered as unsigned ones"},
    {23, "sort", "negative numbers are ordered by magnitude"},
    {24, "topk", "the largest are always selected"},
    {25, "topk", "positions count from the end"},
    {26, "scan", "exclusive prefixes are inclusive"},
    {27, "scan", "a running extreme forgets a NaN"},
    {28, "scan", "the first prefix of a block of lanes is not written"},
    {29, "fft", "the inverse is not scaled"},
    {30, "fft", "the mirrored half is not conjugated"},
    {31, "fft", "odd radices turn the wrong way"},
    {32, "fft", "the filter of large primes has one half"},
    {33, "cholesky", "the upper triangle is not conjugated"},
    {34, "cholesky", "products behind the last eight are left out"},
    {35, "triangular-solve", "the diagonal counts though it is to be one"},
    {36, "triangular-solve", "the adjoint is only transposed"},
    {37, "triangular-solve", "a transposed triangle keeps its side"},
    {38, "batch-norm-training", "the variance is that of a sample"},
    {39, "batch-norm-grad", "epsilon is left out"},
    {40, "batch-norm-grad", "the mean gradient is left out"},
    {41, "rng-bit-generator", "words are paired along the first dimension"},
    {42, "rng-bit-generator", "a short state has no upper half"},
    {43, "rng-bit-generator", "the counter advances too far"},
    {44, "rng", "the same numbers come again"},
    {45, "rng", "every second normal number is too far from the mean"},
    {46, "all-gather", "the members come in reverse order"},
    {47, "reduce-scatter", "every member gets the first part"},
    {48, "all-to-all", "members get the part of their own number"},
    {49, "all-reduce", "the last member is left out"},
    {50, "select-and-scatter", "elements are compared with the first of the window"},
    {51, "", "compiled code compares unsigned integers as signed ones"},
    {52, "", "compiled products of 64 bits lose the cross products"},
    {53, "", "a compiled maximum of f32 forgets a NaN"},
    {54, "", "a compiled clamp takes the least of the lower bound and the value"},
    {55, "", "a compiled comparison takes a NaN for equal"},
    {56, "", "compiled conversions from f32 to s32 do not saturate"},
    {57, "", "compiled code widens signed integers by zeros"},
    {58, "", "compiled rounding of f32 is towards zero"},
    {59, "", "a compiled loop that its condition ends leaves the initial state"},
    {60, "", "of an iteration's last result a compiled loop keeps the old value"},
};

// The cases of a tier, by operation.
using CasesByOp = std::map<std::string, std::vector<CorpusCase>>;
CasesByOp CasesOf(Tier tier) {
  absl::StatusOr<std::vector<CorpusCase>> all = CorpusCases();
  EXPECT_TRUE(all.ok()) << all.status();
  CaseFilter filter;
  filter.tier = tier;
  absl::StatusOr<std::vector<CorpusCase>> cases = SelectCases(*std::move(all), filter);
  EXPECT_TRUE(cases.ok()) << cases.status();
  CasesByOp by_op;
  for (CorpusCase& each : *cases) by_op[std::string(each.Tag("op"))].push_back(std::move(each));
  return by_op;
}

// The first of the cases that the backend fails; empty if it passes all.
std::string FirstFailure(const std::vector<CorpusCase>& cases,
                         const cpu::CpuOptions& backend = {.run = {}, .plain = true}) {
  const TargetProfile profile = *TargetProfile::Find("cpu-strict");
  std::vector<const CorpusCase*> pointers;
  for (const CorpusCase& each : cases) pointers.push_back(&each);
  std::string first;
  SuiteOptions options;
  options.profile = &profile;
  options.make_target = [&] { return std::make_unique<cpu::CpuBackend>(backend); };
  options.take = [&](const CorpusCase&, CaseResult result) {
    if (IsFailure(result.outcome)) first = result.id;
    return first.empty();
  };
  EXPECT_TRUE(RunCases(pointers, options).ok());
  return first;
}

// By the operations whose cases run block programs: regions, loops and fusions.
std::string FirstFailureOfSecondTier(const CasesByOp& cases) {
  const cpu::CpuOptions compiled = {.run = {}, .strict = true, .tier = cpu::Tier::kNative};
  for (const auto& [op, of_op] : cases) {
    std::string found = FirstFailure(of_op, compiled);
    if (!found.empty()) return found;
  }
  return "";
}

// No case of the corpus reduces an odd number of neighbours by a reducer that takes them in pairs
// (ReduceKernel::RunNeighbours). A defect that is found leaves the list.
constexpr int kSurvivors[] = {4};

TEST(CpuDefects, AreAllFoundButTheSurvivors) {
  ASSERT_GE(std::size(kDefects), 40u);
  const CasesByOp quick = CasesOf(Tier::kQuick), standard = CasesOf(Tier::kStandard);
  for (const Defect& defect : kDefects) {
    cpu::planted_defect = defect.number;
    const bool second_tier = *defect.op == '\0';
    std::string found =
        second_tier ? FirstFailureOfSecondTier(quick) : FirstFailure(quick.at(defect.op));
    if (found.empty() && !second_tier) found = FirstFailure(standard.at(defect.op));
    const bool survives = std::find(std::begin(kSurvivors), std::end(kSurvivors), defect.number) !=
                          std::end(kSurvivors);
    EXPECT_EQ(found.empty(), survives)
        << defect.number << ", " << defect.op << ": " << defect.what << "; " << found;
  }
  cpu::planted_defect = 0;
}

// What finds the defects finds nothing where there is none.
TEST(CpuDefects, ThereAreNoneOtherwise) {
  const CasesByOp quick = CasesOf(Tier::kQuick);
  for (const char* op : {"fft", "gather", "reduce-window", "scatter", "sort"}) {
    EXPECT_EQ(FirstFailure(quick.at(op)), "") << op;
  }
}

}  // namespace
}  // namespace assay::conformance
