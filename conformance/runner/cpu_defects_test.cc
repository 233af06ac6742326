// Mutants of the kernels and passes of the cpu backend (backends/defect.h): the conformance suite
// finds every one of them, in the quick or in the standard tier. This program is built from the
// backend's sources with the mutants compiled in.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/defect.h"
#include "conformance/corpus/all_cases.h"
#include "conformance/corpus/selection.h"
#include "conformance/runner/runner.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

struct Defect {
  int number;
  const char* op;  // whose cases are to find it; empty: all
  const char* what;
};
constexpr Defect kKernelDefects[] = {
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
    {97, "program/low_pass_filters", "a loop that scans clamps starts to half of the range"},
    {98, "program/low_pass_filters", "a loop that scans writes at the start of the next iteration"},
    {99, "program/loop_scans_rows", "a loop that scans reads the first element of a row for all"},
    {100, "program/loop_scans_rows", "a loop that scans writes eight elements of a row at most"},
};
constexpr Defect kCompiledCodeDefects[] = {
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
constexpr Defect kPassDefects[] = {
    {61, "program/extremes_of_negated", "x + 1 is x"},
    {62, "program/constant_on_the_left", "0 - x is x"},
    {63, "program/constant_on_the_left", "x * 2 is x"},
    {64, "program/constant_on_the_left", "x * 0 is 0 in floats, too"},
    {65, "program/attention_linear_biases", "1 / x is x"},
    {66, "program/constant_on_the_right", "a division by a negative power of two loses the sign"},
    {67, "program/angles_of_zero", "x - x is 0 in floats, too"},
    {68, "program/select_of_truth_values", "x ^ x is x"},
    {69, "program/select_of_truth_values", "x & 0 is x"},
    {70, "program/one_to_the_power", "x to the power of 0 is x"},
    {71, "program/ordered_constant_on_the_right", "x to the power of 3 is x * x"},
    {72, "program/negated_twice",
     "-(-x) is x in formats without a negative zero or negative numbers"},
    {73, "program/negated_complement", "-(not x) and not(-x) are x"},
    {74, "program/select_by_a_constant", "a known selection takes the other operand"},
    {75, "program/convolution_of_moved", "reversals vanish"},
    {76, "program/convolution_of_moved", "transpositions that keep the shape vanish"},
    {77, "program/pad_of_slice", "paddings that keep the shape vanish"},
    {78, "program/transpose_of_transpose", "of two transpositions the second is forgotten"},
    {79, "program/reverse_of_reverse", "two reversals cancel though their dimensions differ"},
    {80, "program/broadcast_of_broadcast", "a broadcast of a broadcast maps the wrong dimensions"},
    {81, "program/attention_by_kernel_features", "an element of a tuple is the next one"},
    {82, "reduce", "a reduce of no dimensions forgets the initial value"},
    {83, "program/dot_of_split_operands", "instructions are equal though their attributes differ"},
    {84, "program/attention_linear_biases", "all constants of a shape are equal"},
    {85, "program/attention_linear_biases", "folded constants are zero"},
    {86, "program/batched_dot_of_transposed",
     "a dot takes a transposition that changes the order of free dimensions"},
    {87, "program/batched_dot_of_transposed",
     "a dot takes a transposition and contracts the old dimensions"},
    {88, "program/calls_with_arguments_exchanged",
     "inlined calls get their first argument for all of its shape"},
    {89, "program/loop_that_carries_constants",
     "a loop's elements that change places are taken for constants"},
    {90, "program/loop_in_loop", "loops that share a body get the constants of the first one"},
    {91, "program/absolute_values",
     "of the results of a fusion those of the first one's shape are the first"},
    {92, "program/absolute_values", "the first two operands of a fusion change places"},
    {93, "outfeed", "instructions with effects that nobody uses vanish"},
    {94, "program/one_of_many", "a fusion keeps the first row of a repeated operand"},
    {95, "program/attention_linear_biases",
     "a fusion reads one row again where a block begins within a row"},
    {96, "reduce-window", "windows that end with their line begin with it"},
};

// The cases of a tier, by operation; whole programs are those of "program/FORM".
using CasesByOp = std::map<std::string, std::vector<CorpusCase>>;
CasesByOp CasesOf(Tier tier) {
  CaseFilter filter;
  filter.tier = tier;
  absl::StatusOr<std::vector<CorpusCase>> cases = SelectCases(AllCases(), filter);
  EXPECT_TRUE(cases.ok()) << cases.status();
  CasesByOp by_op;
  for (CorpusCase& each : *cases) {
    const std::vector<std::string> parts = absl::StrSplit(each.id, absl::ByAnyChar("/."));
    const bool is_program = parts[0] == "program" && parts.size() > 2;
    by_op[is_program ? absl::StrCat("program/", parts[2]) : parts[0]].push_back(std::move(each));
  }
  return by_op;
}
const CasesByOp& QuickCases() {
  static const auto* const cases = new CasesByOp(CasesOf(Tier::kQuick));
  return *cases;
}
const CasesByOp& StandardCases() {
  static const auto* const cases = new CasesByOp(CasesOf(Tier::kStandard));
  return *cases;
}

// How a part of the backend is run and judged.
struct Run {
  cpu::CpuOptions backend;
  const char* profile;
};
const Run kKernels = {.backend = {.run = {}, .plain = true}, .profile = "cpu-strict"};
const Run kCompiledCode = {.backend = {.run = {}, .strict = true, .tier = cpu::Tier::kNative},
                           .profile = "cpu-strict"};
const Run kPasses = {.backend = {}, .profile = "cpu"};

// The first of the cases that the backend fails; empty if it passes all.
std::string FirstFailure(const std::vector<CorpusCase>& cases, const Run& run) {
  const TargetProfile profile = *TargetProfile::Find(run.profile);
  std::vector<const CorpusCase*> pointers;
  for (const CorpusCase& each : cases) pointers.push_back(&each);
  std::string first;
  SuiteOptions options;
  options.profile = &profile;
  options.make_target = [&] { return std::make_unique<cpu::CpuBackend>(run.backend); };
  options.take = [&](const CorpusCase&, CaseResult result) {
    if (IsFailure(result.outcome)) first = result.id;
    return first.empty();
  };
  EXPECT_TRUE(RunCases(pointers, options).ok());
  return first;
}

// The first of a tier's cases that fails, of an operation or of all.
std::string FirstFailure(const CasesByOp& tier, const std::string& op, const Run& run) {
  if (!op.empty()) {
    const auto cases = tier.find(op);
    return cases == tier.end() ? "" : FirstFailure(cases->second, run);
  }
  for (const auto& [name, cases] : tier) {
    std::string found = FirstFailure(cases, run);
    if (!found.empty()) return found;
  }
  return "";
}

// The report of the test has the case that finds each mutant (--gtest_output=xml).
void ExpectAllFound(absl::Span<const Defect> defects, const Run& run) {
  for (const Defect& defect : defects) {
    planted_defect = defect.number;
    std::string found = FirstFailure(QuickCases(), defect.op, run);
    if (found.empty()) found = FirstFailure(StandardCases(), defect.op, run);
    testing::Test::RecordProperty(absl::StrCat("mutant_", defect.number), found);
    EXPECT_NE(found, "") << defect.number << ", " << defect.op << ": " << defect.what;
  }
  planted_defect = 0;
}

TEST(CpuDefects, OfKernelsAreFound) { ExpectAllFound(kKernelDefects, kKernels); }

TEST(CpuDefects, OfCompiledCodeAreFound) { ExpectAllFound(kCompiledCodeDefects, kCompiledCode); }

TEST(CpuDefects, OfPassesAreFound) { ExpectAllFound(kPassDefects, kPasses); }

// What finds the defects finds nothing where there is none.
TEST(CpuDefects, ThereAreNoneOtherwise) {
  for (const char* op : {"fft", "gather", "reduce-window", "scatter", "sort"}) {
    EXPECT_EQ(FirstFailure(QuickCases().at(op), kKernels), "") << op;
  }
}

}  // namespace
}  // namespace assay::conformance
