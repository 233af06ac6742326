// How fast the fuzzer is, by stage, on one thread: programs of up to 12 records, and the reduction
// of a failure of 30 instructions. docs/fuzzing.md has the figures.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/golden/golden_backend.h"
#include "benchmark/benchmark.h"
#include "conformance/mutants/mutant_backend.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/differential/ways.h"
#include "fuzz/programs/decoder.h"
#include "fuzz/reduce/reduction.h"
#include "spec/text/parser.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace {

constexpr int64_t kPrograms = 400;  // that each stage takes in turn
// Of programs of eight instructions one in 25 has arrays beyond 65,536 elements and takes most of
// the time: of fewer programs the figure depends on which they are.
constexpr int64_t kProgramsOfEight = 6000;

const Grammar& Everything() {
  static const Grammar* const grammar = new Grammar(*Grammar::Create());
  return *grammar;
}

struct Ready {
  FuzzProgram program;
  std::vector<DeviceInputs> inputs;
};

const std::vector<Ready>& Programs() {
  static const auto* const programs = [] {
    auto* made = new std::vector<Ready>;
    for (int64_t i = 0; i < kPrograms; ++i) {
      Ready& ready = made->emplace_back();
      ready.program = DecodeProgram(Everything(), RandomBytes(1, i, 12));
      ready.inputs = *MakeInputs(ready.program);
    }
    return made;
  }();
  return *programs;
}

// `run` for one program after the other; programs and instructions a second.
template <typename Run>
void ForEachProgram(benchmark::State& state, Run run) {
  const std::vector<Ready>& programs = Programs();
  int64_t next = 0, instructions = 0;
  for (auto _ : state) {
    const Ready& ready = programs[next++ % kPrograms];
    run(ready, next);
    instructions += ready.program.module->instruction_count();
  }
  state.SetItemsProcessed(next);
  state.counters["instructions"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

ExaminerOptions OneThread() {
  ExaminerOptions options;
  options.budget.threads = 1;
  options.budget.seconds = 20;
  return options;
}

void Decode(benchmark::State& state) {
  int64_t next = 0, instructions = 0;
  for (auto _ : state) {
    const FuzzProgram program = DecodeProgram(Everything(), RandomBytes(1, next++ % kPrograms, 12));
    instructions += program.module->instruction_count();
  }
  state.SetItemsProcessed(next);
  state.counters["instructions"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}
BENCHMARK(Decode);

void DecodeAndVerify(benchmark::State& state) {
  int64_t next = 0, instructions = 0;
  for (auto _ : state) {
    const FuzzProgram program = DecodeProgram(Everything(), RandomBytes(1, next++ % kPrograms, 12));
    benchmark::DoNotOptimize(VerifyModule(*program.module, {Rules::kStrict}));
    instructions += program.module->instruction_count();
  }
  state.SetItemsProcessed(next);
  state.counters["instructions"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}
BENCHMARK(DecodeAndVerify);

// Programs of eight instructions each.
const std::vector<std::vector<uint8_t>>& BytesOfEight() {
  static const auto* const programs = [] {
    auto* made = new std::vector<std::vector<uint8_t>>;
    for (int64_t i = 0; made->size() < kProgramsOfEight; ++i) {
      std::vector<uint8_t> bytes = RandomBytes(1, i, 3);
      const FuzzProgram program = DecodeProgram(Everything(), bytes);
      if (program.module->instruction_count() == 8) made->push_back(std::move(bytes));
    }
    return made;
  }();
  return *programs;
}

void DecodeAndVerifyEight(benchmark::State& state) {
  const auto& programs = BytesOfEight();
  int64_t next = 0;
  for (auto _ : state) {
    const FuzzProgram program = DecodeProgram(Everything(), programs[next++ % kProgramsOfEight]);
    benchmark::DoNotOptimize(VerifyModule(*program.module, {Rules::kStrict}));
  }
  state.SetItemsProcessed(next);
}
BENCHMARK(DecodeAndVerifyEight);

void CompareWithDefinitions(const Ready& ready) {
  const RunBudget budget = OneThread().budget;
  const auto golden = RunByKernels(*ready.program.module, ready.inputs, budget);
  const Way way[] = {Way::kDefinitions};
  if (golden.ok()) {
    FindWayThatDiffers(*ready.program.module, ready.inputs, *golden, way, budget);
  }
}

void DefinitionsAndKernels(benchmark::State& state) {
  ForEachProgram(state, [&](const Ready& ready, int64_t) { CompareWithDefinitions(ready); });
}
BENCHMARK(DefinitionsAndKernels);

// From the bytes on, as a campaign does.
template <typename Run>
void ForEachOfEight(benchmark::State& state, Run run) {
  const auto& programs = BytesOfEight();
  int64_t next = 0;
  for (auto _ : state) {
    Ready ready;
    ready.program = DecodeProgram(Everything(), programs[next++ % kProgramsOfEight]);
    ready.inputs = *MakeInputs(ready.program);
    run(ready, next);
  }
  state.SetItemsProcessed(next);
}

void DefinitionsAndKernelsEight(benchmark::State& state) {
  ForEachOfEight(state, [](const Ready& ready, int64_t) { CompareWithDefinitions(ready); });
}
BENCHMARK(DefinitionsAndKernelsEight)->Iterations(kProgramsOfEight);

template <typename ForEach>
void ExamineAllWays(ForEach for_each) {
  ExaminerOptions options = OneThread();
  options.all_ways = true;
  options.relations = false;
  const conformance::TargetProfile profile = *conformance::TargetProfile::Find("golden");
  Examiner examiner(nullptr, profile, options);
  for_each([&](const Ready& ready, int64_t turn) {
    examiner.Examine(*ready.program.module, ready.inputs, turn);
  });
}
void AllWays(benchmark::State& state) {
  ExamineAllWays([&](auto run) { ForEachProgram(state, run); });
}
BENCHMARK(AllWays);
void AllWaysEight(benchmark::State& state) {
  ExamineAllWays([&](auto run) { ForEachOfEight(state, run); });
}
BENCHMARK(AllWaysEight)->Iterations(kProgramsOfEight);

// Every oracle against a target in this process, under a profile with enclosures.
template <typename ForEach>
void JudgeInProcess(ForEach for_each) {
  const conformance::TargetProfile profile = *conformance::TargetProfile::Find("cpu");
  GoldenBackend golden;
  Examiner examiner(&golden, profile, OneThread());
  for_each([&](const Ready& ready, int64_t turn) {
    examiner.Examine(*ready.program.module, ready.inputs, turn);
  });
}
void JudgedInProcess(benchmark::State& state) {
  JudgeInProcess([&](auto run) { ForEachProgram(state, run); });
}
BENCHMARK(JudgedInProcess);
void JudgedInProcessEight(benchmark::State& state) {
  JudgeInProcess([&](auto run) { ForEachOfEight(state, run); });
}
BENCHMARK(JudgedInProcessEight)->Iterations(kProgramsOfEight);

// A chain of 30 instructions, one of which the mutant gets wrong.
void Reduction30(benchmark::State& state) {
  std::string text = "HloModule m\nENTRY e { v0 = s32[3,4,5] parameter(0)";
  for (int i = 1; i <= 30; ++i) {
    absl::StrAppend(&text, i == 30 ? " ROOT" : "", " v", i, " = s32[3,4,5] ",
                    i == 14      ? "reverse"
                    : i % 3 == 0 ? "negate"
                                 : "add",
                    "(v", i - 1, i != 14 && i % 3 != 0 ? absl::StrCat(", v", i / 2) : "", ")",
                    i == 14 ? ", dimensions={0,2}" : "");
  }
  const std::unique_ptr<Module> module = *ParseModule(text + " }");
  Literal values = Literal::Zeros(Shape(ElementType::kS32, {3, 4, 5}));
  for (int64_t i = 0; i < 60; ++i) values.Set(i, {static_cast<uint64_t>(i + 1), 0});
  std::vector<DeviceInputs> inputs(1);
  inputs[0].arguments = {values};
  const conformance::TargetProfile profile = *conformance::TargetProfile::Find("golden");
  conformance::MutantBackend target(
      **conformance::FindMutant("mutant:reverse/two_dimensions_apart"));
  ReductionOptions options;
  options.target = &target;
  options.profile = &profile;
  options.budget.threads = 1;
  int64_t left = 0;
  for (auto _ : state) {
    const absl::StatusOr<Reduction> reduction = ReduceFinding(*module, inputs, options);
    if (!reduction.ok()) return state.SkipWithError(reduction.status().ToString().c_str());
    left = reduction->reduced.module->instruction_count();
  }
  state.counters["instructions_left"] = static_cast<double>(left);
}
BENCHMARK(Reduction30)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::fuzz
