// What the oracles say of implementations that are known: golden agrees with itself, mutants are
// found, conforming variants are not accused, crashes and refusals are told from wrong values.
#include "fuzz/differential/examiner.h"

#include <mutex>
#include <optional>
#include <set>

#include "backends/factory/factory.h"
#include "backends/golden/golden_backend.h"
#include "backends/host_buffer.h"
#include "conformance/mutants/mutant_backend.h"
#include "fuzz/differential/relations.h"
#include "fuzz/programs/decoder.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

ExaminerOptions SmallOptions() {
  ExaminerOptions options;
  options.budget.bytes = int64_t{1} << 28;
  options.budget.steps = 10'000'000;
  options.budget.seconds = 10;
  options.budget.threads = 1;
  return options;
}

conformance::TargetProfile ProfileOf(const std::string& name) {
  absl::StatusOr<conformance::TargetProfile> profile = conformance::TargetProfile::Find(name);
  EXPECT_TRUE(profile.ok()) << profile.status();
  return *std::move(profile);
}

Grammar PlainGrammar(std::vector<std::string> operations = {}) {
  GrammarOptions options;
  options.operations = std::move(operations);
  absl::StatusOr<Grammar> grammar = Grammar::Create(options);
  EXPECT_TRUE(grammar.ok()) << grammar.status();
  return *std::move(grammar);
}

// The first finding among so many programs.
std::optional<Examination> FirstFinding(Backend& target, const conformance::TargetProfile& profile,
                                        const Grammar& grammar, int64_t programs,
                                        const ExaminerOptions& options = SmallOptions()) {
  Examiner examiner(&target, profile, options);
  for (int64_t i = 0; i < programs; ++i) {
    const FuzzProgram program = DecodeProgram(grammar, RandomBytes(21, i, 6));
    const auto inputs = MakeInputs(program);
    EXPECT_TRUE(inputs.ok()) << inputs.status();
    Examination examination = examiner.Examine(*program.module, *inputs, i);
    if (examination.outcome == Outcome::kFinding) return examination;
  }
  return std::nullopt;
}

TEST(ExaminerTest, GoldenAgreesWithItself) {
  GoldenBackend golden;
  const conformance::TargetProfile profile = ProfileOf("golden");
  const auto finding = FirstFinding(golden, profile, PlainGrammar(), Scheduled(600));
  EXPECT_FALSE(finding) << finding->signature.Text() << ": " << finding->detail;
}

TEST(ExaminerTest, MutantsAreFound) {
  struct Known {
    const char* target;
    const char* operation;
  };
  for (const Known& known : {Known{"mutant:pad/low_counted_twice", "pad"},
                             Known{"mutant:reverse/two_dimensions_apart", "reverse"}}) {
    const absl::StatusOr<const conformance::Mutant*> mutant = conformance::FindMutant(known.target);
    ASSERT_TRUE(mutant.ok()) << mutant.status();
    conformance::MutantBackend target(**mutant);
    const conformance::TargetProfile profile = ProfileOf("golden");
    const auto finding = FirstFinding(target, profile, PlainGrammar({known.operation, "add"}), 600);
    ASSERT_TRUE(finding) << known.target;
    EXPECT_EQ(finding->signature.kind, FindingKind::kWrong);
    EXPECT_NE(finding->signature.operation.find(known.operation), std::string::npos)
        << finding->signature.Text();
    EXPECT_FALSE(finding->detail.empty());
  }
}

// Adds the results of an execution to those of the one before.
TEST(ExaminerTest, StateBetweenExecutionsIsFound) {
  const conformance::Mutant* kept = nullptr;
  for (const conformance::Mutant& mutant : conformance::Mutants()) {
    if (mutant.state == conformance::StateDefect::kAccumulatorKept) kept = &mutant;
  }
  ASSERT_NE(kept, nullptr);
  conformance::MutantBackend target(*kept);
  const conformance::TargetProfile profile = ProfileOf("golden");
  std::vector<std::string> operations = {"add"};
  for (const Opcode opcode : kept->opcodes) operations.push_back(std::string(Name(opcode)));
  const auto finding = FirstFinding(target, profile, PlainGrammar(operations), 200);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->signature.kind, FindingKind::kLeak) << finding->signature.Text();
  EXPECT_EQ(finding->signature.error, "an execution after another differs");
}

// Takes the last argument of the first execution for a constant of the module.
class RememberingBackend : public GoldenBackend {
 public:
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override {
    const absl::Span<const DeviceInputs> first = inputs.sets[inputs.order.front()];
    std::vector<std::vector<DeviceInputs>> changed;
    InputSets remembered = inputs;
    for (const absl::Span<const DeviceInputs> set : inputs.sets) {
      changed.emplace_back(set.begin(), set.end());
      for (size_t d = 0; d < set.size(); ++d) {
        if (set[d].arguments.empty()) continue;
        changed.back()[d].arguments.back() = first[d].arguments.back();
      }
    }
    remembered.sets.assign(changed.begin(), changed.end());
    return GoldenBackend::RunSets(module, remembered);
  }
};

TEST(ExaminerTest, ArgumentThatIsRememberedIsFound) {
  RememberingBackend target;
  const conformance::TargetProfile profile = ProfileOf("golden");
  const auto finding = FirstFinding(target, profile, PlainGrammar({"add", "multiply"}), 60);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->signature.kind, FindingKind::kLeak) << finding->signature.Text();
  EXPECT_EQ(finding->signature.error, "an execution after another differs");
}

// Executions of one module share what each should have for itself. One alone is right, and so are
// several, one after the other.
class SharingExecutable : public Executable {
 public:
  enum class Shared : uint8_t { kBuffer, kCounter };
  SharingExecutable(Shared shared, std::unique_ptr<Executable> golden)
      : Executable(golden->module()), shared_(shared), golden_(std::move(golden)) {}
  int64_t device_count() const override { return golden_->device_count(); }

 protected:
  absl::StatusOr<std::unique_ptr<Execution>> Launch(
      absl::Span<const ExecuteInputs> inputs) override {
    absl::StatusOr<ExecuteResults> results = golden_->Execute(inputs);
    if (!results.ok()) return results.status();
    const std::lock_guard lock(mutex_);
    if (++running_ > 1 && shared_ == Shared::kCounter) Clear(&results->devices);
    buffer_ = *std::move(results);
    if (shared_ == Shared::kBuffer) return std::make_unique<Running>(*this, std::nullopt);
    return std::make_unique<Running>(*this, std::move(buffer_));
  }

 private:
  // Gives its own results, or what lies in the shared buffer when it is awaited.
  class Running : public Execution {
   public:
    Running(SharingExecutable& executable, std::optional<ExecuteResults> own)
        : executable_(executable), own_(std::move(own)) {}
    absl::StatusOr<ExecuteResults> Await() override {
      const std::lock_guard lock(executable_.mutex_);
      --executable_.running_;
      ExecuteResults results;
      for (const ExecuteOutputs& device : (own_ ? *own_ : executable_.buffer_).devices) {
        results.devices.push_back({CopiesOf(device.results), device.outfeed});
      }
      return results;
    }

   private:
    SharingExecutable& executable_;
    std::optional<ExecuteResults> own_;
  };

  static std::vector<BufferHandle> CopiesOf(absl::Span<const BufferHandle> leaves) {
    std::vector<BufferHandle> copies;
    for (const BufferHandle& leaf : leaves) {
      copies.push_back(std::make_unique<HostBuffer>(HostBuffer::ValueOf(*leaf), leaf->device()));
    }
    return copies;
  }
  static void Clear(std::vector<ExecuteOutputs>* devices) {
    for (ExecuteOutputs& device : *devices) {
      for (BufferHandle& leaf : device.results) {
        if (!leaf->shape().is_array()) continue;
        leaf = std::make_unique<HostBuffer>(Literal::Zeros(leaf->shape()), leaf->device());
      }
    }
  }

  const Shared shared_;
  const std::unique_ptr<Executable> golden_;
  std::mutex mutex_;
  int64_t running_ = 0;
  ExecuteResults buffer_;
};

class SharingBackend : public GoldenBackend {
 public:
  SharingBackend(SharingExecutable::Shared shared, bool declared)
      : shared_(shared), declared_(declared) {}
  BackendCapabilities capabilities() const override {
    BackendCapabilities capabilities = GoldenBackend::capabilities();
    capabilities.executes_at_once = declared_;
    return capabilities;
  }
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options) override {
    absl::StatusOr<std::unique_ptr<Executable>> golden = GoldenBackend::Compile(module, options);
    if (!golden.ok()) return golden;
    return std::make_unique<SharingExecutable>(shared_, *std::move(golden));
  }

 private:
  const SharingExecutable::Shared shared_;
  const bool declared_;
};

TEST(ExaminerTest, StateSharedByExecutionsAtTheSameTimeIsFound) {
  const conformance::TargetProfile profile = ProfileOf("golden");
  const Grammar grammar = PlainGrammar({"add", "negate"});
  for (const auto shared :
       {SharingExecutable::Shared::kBuffer, SharingExecutable::Shared::kCounter}) {
    SharingBackend target(shared, /*declared=*/true);
    const auto finding = FirstFinding(target, profile, grammar, 60);
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->signature.kind, FindingKind::kLeak) << finding->signature.Text();
    EXPECT_EQ(finding->signature.error, "an execution at the same time as another differs");
    // A target that does not say that it can is never asked to.
    SharingBackend silent(shared, /*declared=*/false);
    EXPECT_FALSE(FirstFinding(silent, profile, grammar, 60));
  }
}

// Is right in the execution that is judged and the one before, and never again.
class VaryingBackend : public GoldenBackend {
 public:
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override {
    absl::StatusOr<ModuleRun> run = GoldenBackend::RunSets(module, inputs);
    for (size_t i = 0; run.ok() && i < run->outputs.size(); ++i) {
      if (++executions_ <= 2) continue;
      for (DeviceOutputs& device : run->outputs[i]) {
        device.result = Literal::Zeros(device.result.shape());
      }
    }
    return run;
  }

 private:
  int64_t executions_ = 0;
};

TEST(ExaminerTest, ATargetThatVariesIsUnstable) {
  const auto module = *ParseModule("ENTRY e { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }");
  std::vector<DeviceInputs> inputs(1);
  inputs[0].arguments = {Literal::Zeros(Shape(ElementType::kF32, {2}))};
  const conformance::TargetProfile profile = ProfileOf("golden");
  VaryingBackend target;
  const Examination found = Examiner(&target, profile, SmallOptions()).AskTarget(*module, inputs);
  EXPECT_EQ(found.outcome, Outcome::kFinding);
  EXPECT_EQ(found.signature.kind, FindingKind::kUnstable) << found.signature.Text();
}

// Gives a sum with another last bit each time, as sums in another order may, and beside it a zero
// that is always wrong.
class ReorderingBackend : public GoldenBackend {
 public:
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override {
    absl::StatusOr<ModuleRun> run = GoldenBackend::RunSets(module, inputs);
    for (size_t i = 0; run.ok() && i < run->outputs.size(); ++i) {
      Literal& result = run->outputs[i][0].result;
      if (!result.shape().is_tuple()) continue;
      Literal sum = result.element(0);
      sum.Set(0, {sum.Get(0).bits + static_cast<uint64_t>(++executions_ % 3), 0});
      result = Literal::Tuple({sum, Literal::Zeros(result.element(1).shape())});
    }
    return run;
  }

 private:
  int64_t executions_ = 0;
};

TEST(ExaminerTest, WhatIsWrongAloneTooIsWrongThoughOtherBitsVary) {
  const auto module = ParseModule(
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[8] parameter(0) z = f32[] constant(0)\n"
      "s = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
      "n = f32[8] negate(x) ROOT t = (f32[], f32[8]) tuple(s, n) }");
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<DeviceInputs> inputs(1);
  Literal x = Literal::Zeros(Shape(ElementType::kF32, {8}));
  for (int64_t i = 0; i < 8; ++i) {
    x.Set(i, {EncodeFloat(ElementType::kF32, 0.1 * static_cast<double>(i + 1)), 0});
  }
  inputs[0].arguments = {std::move(x)};
  const conformance::TargetProfile profile = ProfileOf("cpu");
  ExaminerOptions options = SmallOptions();
  options.localize = false;
  ReorderingBackend target;
  const Examination found = Examiner(&target, profile, options).AskTarget(**module, inputs);
  EXPECT_EQ(found.outcome, Outcome::kFinding);
  EXPECT_EQ(found.signature.kind, FindingKind::kWrong) << found.signature.Text();
  EXPECT_EQ(found.signature.operation, "negate f32");
}

TEST(ExaminerTest, ConformingVariantsAreNotAccused) {
  int64_t variants = 0;
  for (const conformance::Mutant& mutant : conformance::Mutants()) {
    if (!mutant.conforming()) continue;
    ++variants;
    conformance::MutantBackend target(mutant);
    const conformance::TargetProfile profile = ProfileOf(mutant.profile);
    const auto finding = FirstFinding(target, profile, PlainGrammar(), Scheduled(60));
    EXPECT_FALSE(finding) << mutant.target() << ": " << finding->signature.Text() << ": "
                          << finding->detail;
  }
  EXPECT_GT(variants, 20);
}

// An implementation that answers with an error of its own.
class FailingBackend : public GoldenBackend {
 public:
  explicit FailingBackend(absl::Status status) : status_(std::move(status)) {}
  absl::StatusOr<ModuleRun> RunSets(const Module&, const InputSets&) override { return status_; }

 private:
  absl::Status status_;
};

TEST(ExaminerTest, FailuresHaveTheirKind) {
  struct Known {
    absl::Status status;
    Outcome outcome;
    FindingKind kind;
  };
  const Known all[] = {
      {absl::AbortedError("process 'x' exited with code 3"), Outcome::kFinding,
       FindingKind::kCrash},
      {absl::AbortedError("process 'x' hung: it did not answer in time"), Outcome::kFinding,
       FindingKind::kHang},
      {absl::InvalidArgumentError("add of 17 elements"), Outcome::kFinding, FindingKind::kRefused},
      {absl::UnimplementedError("no add"), Outcome::kUnsupported, FindingKind::kWrong},
      {absl::ResourceExhaustedError("no memory"), Outcome::kOverBudget, FindingKind::kWrong},
  };
  const conformance::TargetProfile profile = ProfileOf("golden");
  const FuzzProgram program = DecodeProgram(PlainGrammar({"add"}), RandomBytes(1, 1, 1));
  const auto inputs = MakeInputs(program);
  ASSERT_TRUE(inputs.ok());
  for (const Known& known : all) {
    FailingBackend target(known.status);
    Examiner examiner(&target, profile, SmallOptions());
    const Examination examination = examiner.Examine(*program.module, *inputs, 0);
    EXPECT_EQ(examination.outcome, known.outcome) << known.status;
    if (known.outcome == Outcome::kFinding) {
      EXPECT_EQ(examination.signature.kind, known.kind) << known.status;
    }
  }
}

std::vector<ProgramToJoin> Joinable(const std::vector<FuzzProgram>& programs,
                                    const std::vector<std::vector<DeviceInputs>>& inputs) {
  std::vector<ProgramToJoin> joined;
  for (size_t k = 0; k < programs.size(); ++k) {
    const ProgramToJoin program{programs[k].module.get(), inputs[k]};
    if (MayBeJoined(program)) joined.push_back(program);
  }
  return joined;
}

// Compiles no module with both of two operations, and is wrong about one of them.
class FailingTogether : public GoldenBackend {
 public:
  int64_t asked = 0;
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override {
    ++asked;
    std::set<Opcode> seen;
    for (const auto& each : module.entry()->instructions()) seen.insert(each->opcode());
    if (seen.contains(Opcode::kTanh) && seen.contains(Opcode::kReverse)) {
      return absl::AbortedError("process 'x' exited with code 3");
    }
    absl::StatusOr<ModuleRun> run = GoldenBackend::RunSets(module, inputs);
    if (run.ok() && seen.contains(Opcode::kTanh) && module.name() != "joined") {
      for (auto& execution : run->outputs) {
        execution[0].result = Literal::Zeros(execution[0].result.shape());
      }
    }
    return run;
  }
};

class LargeModulesCrash : public GoldenBackend {
 public:
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override {
    if (module.name() == "joined" && module.entry()->instruction_count() > 5) {
      return absl::AbortedError("process 'x' exited");
    }
    return GoldenBackend::RunSets(module, inputs);
  }
};

class RefusesReverse : public GoldenBackend {
 public:
  int64_t asked = 0;
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override {
    ++asked;
    for (const auto& each : module.entry()->instructions()) {
      if (each->opcode() == Opcode::kReverse) return absl::UnimplementedError("no reverse");
    }
    return GoldenBackend::RunSets(module, inputs);
  }
};

TEST(ExaminerTest, ProgramsInOneModuleAreToldApart) {
  const conformance::TargetProfile profile = ProfileOf("golden");
  std::vector<FuzzProgram> programs;
  std::vector<std::vector<DeviceInputs>> inputs;
  const Grammar grammar = PlainGrammar();
  for (int64_t i = 0; i < 40; ++i) {
    programs.push_back(DecodeProgram(grammar, RandomBytes(5, i, 6)));
    const auto values = MakeInputs(programs.back());
    ASSERT_TRUE(values.ok());
    inputs.push_back(*values);
  }
  const std::vector<ProgramToJoin> joined = Joinable(programs, inputs);
  ASSERT_GT(joined.size(), 15u);
  GoldenBackend golden;
  Examiner examiner(&golden, profile, SmallOptions());
  for (const Examination& each : examiner.ExamineJoined(joined, 0)) {
    EXPECT_NE(each.outcome, Outcome::kFinding) << each.signature.Text() << ": " << each.detail;
    if (each.outcome == Outcome::kAgrees) {
      EXPECT_TRUE(Literal::BitEqual(each.actual[0].result, each.golden[0].result));
    }
  }
  // Where the whole fails, each is asked alone, and only what is wrong alone is accused.
  constexpr const char* kModules[] = {
      "HloModule a ENTRY e { a = f32[2] parameter(0) ROOT b = f32[2] tanh(a) }",
      "HloModule b ENTRY e { a = f32[2] parameter(0) ROOT b = f32[2] reverse(a), dimensions={0} }",
      "HloModule c ENTRY e { a = f32[2] parameter(0) ROOT b = f32[2] negate(a) }"};
  std::vector<std::unique_ptr<Module>> modules;
  std::vector<ProgramToJoin> three;
  std::vector<DeviceInputs> one(1);
  one[0].arguments = {Literal::Zeros(Shape(ElementType::kF32, {2}))};
  one[0].arguments[0].Set(1, {EncodeFloat(ElementType::kF32, 1), 0});
  for (const char* text : kModules) {
    modules.push_back(*ParseModule(text));
    three.push_back({modules.back().get(), one});
  }
  FailingTogether target;
  Examiner failing(&target, profile, SmallOptions());
  std::vector<Examination> found = failing.ExamineJoined(three, 0);
  EXPECT_EQ(found[0].outcome, Outcome::kFinding);
  EXPECT_EQ(found[0].signature.operation, "tanh f32");
  EXPECT_EQ(found[0].signature.relation, "");
  EXPECT_EQ(found[1].outcome, Outcome::kAgrees);
  EXPECT_EQ(found[2].outcome, Outcome::kAgrees);
  // A failure of the whole alone is a finding, too.
  LargeModulesCrash crashing;
  Examiner of_crashes(&crashing, profile, SmallOptions());
  found = of_crashes.ExamineJoined(three, 0);
  EXPECT_EQ(found[0].outcome, Outcome::kFinding);
  EXPECT_EQ(found[0].signature.Text(), "crash: tanh f32, process ' exited (joined)");
  EXPECT_EQ(found[1].outcome, Outcome::kAgrees);
  // An operation that was refused before does not make the others fail again.
  RefusesReverse refusing;
  Examiner of_refusals(&refusing, profile, SmallOptions());
  for (const int64_t questions : {5, 2}) {
    refusing.asked = 0;
    found = of_refusals.ExamineJoined(three, 0);
    EXPECT_EQ(refusing.asked, questions);
    EXPECT_EQ(found[0].outcome, Outcome::kAgrees);
    EXPECT_EQ(found[1].outcome, Outcome::kUnsupported);
    EXPECT_EQ(found[2].outcome, Outcome::kAgrees);
  }
}

// An implementation that loses every value of one operation is right about a program without that
// operation, and is caught where the relation rewrites the program into one that has it.
TEST(ExaminerTest, RelationsFindWhatTheProgramDoesNotAsk) {
  constexpr char kAdd[] =
      "ENTRY e { a = s32[2,4] parameter(0) b = s32[2,4] parameter(1) "
      "ROOT c = s32[2,4] add(a, b) }";
  constexpr char kChoose[] =
      "ENTRY e { a = s32[2,4] parameter(0) b = s32[2,4] parameter(1) "
      "p = pred[2,4] compare(a, b), direction=LT ROOT c = s32[2,4] select(p, a, b) }";
  constexpr char kLoop[] =
      "body { s = (s32[], s32[2,4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "v = s32[2,4] get-tuple-element(s), index=1 k = s32[] constant(1) n = s32[] add(i, k) "
      "w = s32[2,4] negate(v) ROOT t = (s32[], s32[2,4]) tuple(n, w) } "
      "cond { s = (s32[], s32[2,4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
      "m = s32[] constant(3) ROOT c = pred[] compare(i, m), direction=LT } "
      "ENTRY e { z = s32[] constant(0) a = s32[2,4] parameter(0) "
      "t = (s32[], s32[2,4]) tuple(z, a) "
      "ROOT w = (s32[], s32[2,4]) while(t), condition=cond, body=body }";
  struct Row {
    const char* relation;
    Opcode lost;
    const char* module;
  };
  const Row rows[] = {
      {"parameters_as_constants", Opcode::kConstant, kAdd},
      {"branches_swapped", Opcode::kNot, kChoose},
      {"reversed_around", Opcode::kReverse, kAdd},
      {"transposed_around", Opcode::kTranspose, kAdd},
      {"flattened_around", Opcode::kReshape, kAdd},
      {"doubled_around", Opcode::kConcatenate, kAdd},
      {"split_around", Opcode::kSlice, kAdd},
      {"barrier_behind", Opcode::kOptimizationBarrier, kAdd},
      {"padded_and_sliced", Opcode::kPad, kAdd},
      {"laid_out_anew", Opcode::kCopy, kAdd},
      {"selected", Opcode::kSelect, kAdd},
      {"widened_and_narrowed", Opcode::kConvert, kAdd},
      {"outlined", Opcode::kCall, kAdd},
      {"fused", Opcode::kFusion, kAdd},
      {"called_whole", Opcode::kCall, kAdd},
      {"in_a_branch", Opcode::kConditional, kAdd},
      {"in_a_loop", Opcode::kCompare, kAdd},
      {"arguments_in_a_tuple", Opcode::kGetTupleElement, kAdd},
      {"on_two_partitions", Opcode::kAllGather, kAdd},
      {"peeled", Opcode::kConditional, kLoop},
  };
  const conformance::TargetProfile profile = ProfileOf("golden");
  ExaminerOptions options = SmallOptions();
  options.ways = options.repeat = options.localize = false;
  for (const Row& row : rows) {
    conformance::Mutant mutant;
    mutant.name = "test/value_lost";
    mutant.opcodes = {row.lost};
    mutant.description = "every value of the operation is zero";
    mutant.defect = [](conformance::Site& site) -> Instruction* {
      return site.Call(
          {site.Unchanged()}, site.original().shape(),
          [](const Instruction& x, absl::Span<const Literal>,
             const CustomCall&) -> absl::StatusOr<Literal> { return Literal::Zeros(x.shape()); });
    };
    const auto module = ParseModule(row.module);
    ASSERT_TRUE(module.ok()) << module.status();
    // As programs of the fuzzer are, without layouts.
    (*module)->entry_layout.reset();
    for (const auto& computation : (*module)->computations()) {
      for (const auto& each : computation->instructions()) {
        Shape shape = each->shape();
        shape.ClearLayouts();
        each->set_shape(shape);
      }
    }
    std::vector<DeviceInputs> inputs(1);
    for (const Instruction* parameter : (*module)->entry()->parameters()) {
      conformance::ProfileUse use;
      use.profile = conformance::ValueProfile::kUnique;
      use.seed = static_cast<uint64_t>(parameter->parameter_number() + 1);
      absl::StatusOr<Literal> value = conformance::MakeValues(use, parameter->shape());
      ASSERT_TRUE(value.ok()) << value.status();
      inputs[0].arguments.push_back(*std::move(value));
    }
    int64_t turn = 0;
    while (Relations()[turn].name != row.relation) ++turn;
    conformance::MutantBackend target(mutant);
    Examiner examiner(&target, profile, options);
    const Examination found = examiner.Examine(**module, inputs, turn);
    EXPECT_EQ(found.outcome, Outcome::kFinding) << row.relation;
    EXPECT_EQ(found.signature.relation, row.relation) << found.signature.Text();
  }
}

TEST(ExaminerTest, RewritesThatOutgrowTheBudgetAreNoFindings) {
  const auto module = ParseModule(
      "ENTRY e { p = f32[32769,0,32769] parameter(0) ROOT r = f32[32769,0,32769] abs(p) }");
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<DeviceInputs> inputs(1);
  inputs[0].arguments.push_back(
      Literal::Zeros(Shape(ElementType::kF32, {int64_t{32769}, int64_t{0}, int64_t{32769}})));
  const conformance::TargetProfile profile = ProfileOf("golden");
  Examiner examiner(nullptr, profile, SmallOptions());
  for (size_t turn = 0; turn < Relations().size(); ++turn) {
    const Examination found = examiner.Examine(**module, inputs, static_cast<int64_t>(turn));
    EXPECT_NE(found.outcome, Outcome::kFinding) << found.signature.Text() << found.detail;
  }
}

TEST(ExaminerTest, MessagesOfOneCauseAreOne) {
  EXPECT_EQ(WithoutNumbers("add of 17 elements"), WithoutNumbers("add of 3 elements"));
  EXPECT_EQ(WithoutNumbers("'a b' is 1.5"), WithoutNumbers("'c' is 2.5"));
  EXPECT_EQ(WithoutNumbers("f32[2,3,1]{2,1,0} p1"), WithoutNumbers("f32[7]{0} p12"));
  EXPECT_NE(WithoutNumbers("f32[2] p1"), WithoutNumbers("f32[] p1"));
  EXPECT_EQ(WithoutNumbers("1, 2"), "N, N");
  EXPECT_NE(WithoutNumbers("add of 17 elements"), WithoutNumbers("subtract of 17 elements"));
}

}  // namespace
}  // namespace assay::fuzz
