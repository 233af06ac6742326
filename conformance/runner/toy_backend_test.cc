// The suite judges a backend that shares only the runtime with golden: an engine of three
// operations on s32. Its cases pass, and with one defect a case is wrong.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/engine_backend.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/corpus/selection.h"
#include "conformance/runner/runner.h"
#include "gtest/gtest.h"
#include "runtime/testing/toy_engine.h"
#include "spec/analysis/effects.h"

namespace assay::conformance {
namespace {

// Whether the engine is asked for the value of a collective; the runtime moves the others itself.
bool IsComputed(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

class ToyBackend : public EngineBackend {
 public:
  explicit ToyBackend(
      std::unique_ptr<const runtime::Engine> engine = std::make_unique<runtime::ToyEngine>())
      : engine_(std::move(engine)) {}

  absl::string_view name() const override { return "toy"; }
  BackendCapabilities capabilities() const override {
    return {.modules_are_verified = true, .devices = runtime::kMostProcesses};
  }
  // A plan asks the engine for every kernel that does not wait for what only a run knows.
  absl::Status Supports(const Module& module) override {
    for (const auto& computation : module.computations()) {
      for (const auto& each : computation->instructions()) {
        absl::Status status;
        if (IsComputed(each->opcode())) {
          status = engine_->PrepareCollective(*each, /*members=*/1, /*position=*/0).status();
        } else if (!runtime::IsRunByRuntime(each->opcode()) && analysis::HasDynamicSizes(*each)) {
          status = runtime::ToyEngine::Supports(*each);
        }
        if (!status.ok()) return status;
      }
    }
    return Plan(module, {}).status();
  }

 protected:
  absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> Plan(
      const Module& module, const CompileOptions& options) override {
    runtime::PlanOptions plan;
    plan.observed = options.observed;
    plan.seconds = options.seconds;
    return runtime::ModulePlan::Create(module, *engine_, plan);
  }

 private:
  const std::unique_ptr<const runtime::Engine> engine_;
};

// What another kernel writes, and one more in the first element.
class OneMore : public runtime::Kernel {
 public:
  explicit OneMore(std::unique_ptr<runtime::Kernel> kernel) : kernel_(std::move(kernel)) {}
  absl::Status Execute(absl::Span<const runtime::ArrayRef> operands,
                       absl::Span<const runtime::MutableArrayRef> results,
                       runtime::Context& context) const override {
    absl::Status status = kernel_->Execute(operands, results, context);
    if (!status.ok()) return status;
    uint32_t element;
    std::memcpy(&element, results[0].data, sizeof element);
    ++element;
    std::memcpy(results[0].data, &element, sizeof element);
    return absl::OkStatus();
  }
  int in_place_operand() const override { return kernel_->in_place_operand(); }

 private:
  const std::unique_ptr<runtime::Kernel> kernel_;
};

class DefectiveEngine : public runtime::ToyEngine {
 public:
  runtime::KernelOr Prepare(const Instruction& op) const override {
    runtime::KernelOr kernel = ToyEngine::Prepare(op);
    if (!kernel.ok() || op.opcode() != Opcode::kMultiply || op.shape().element_count() == 0) {
      return kernel;
    }
    return std::make_unique<OneMore>(*std::move(kernel));
  }
};

bool Has(const Module& module, Opcode opcode) {
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      if (each->opcode() == opcode) return true;
    }
  }
  return false;
}

// The legal cases of the quick tier that the toy backend supports and that the filter takes.
std::vector<CorpusCase> SupportedCases(const std::function<bool(const Module&)>& filter) {
  CaseFilter quick;
  quick.tier = Tier::kQuick;
  absl::StatusOr<std::vector<CorpusCase>> cases = SelectCorpusCases(quick);
  EXPECT_TRUE(cases.ok()) << cases.status();
  ToyBackend backend;
  std::vector<CorpusCase> supported;
  for (CorpusCase& each : *cases) {
    if (each.expect == CorpusCase::Expect::kRefused) continue;
    const absl::StatusOr<std::unique_ptr<Module>> module = ReadModule(each);
    EXPECT_TRUE(module.ok()) << module.status();
    if (module.ok() && filter(**module) && backend.Supports(**module).ok()) {
      supported.push_back(std::move(each));
    }
  }
  return supported;
}

std::vector<CaseResult> Judge(const std::vector<CorpusCase>& cases,
                              const std::function<std::unique_ptr<Backend>()>& make) {
  const TargetProfile profile = *TargetProfile::Find("golden");
  std::vector<const CorpusCase*> pointers;
  for (const CorpusCase& each : cases) pointers.push_back(&each);
  std::vector<CaseResult> results;
  SuiteOptions options;
  options.profile = &profile;
  options.jobs = 4;
  options.each.again = Again::kAll;
  options.make_target = make;
  options.take = [&](const CorpusCase&, CaseResult result) {
    results.push_back(std::move(result));
    return true;
  };
  EXPECT_TRUE(RunCases(pointers, options).ok());
  return results;
}

TEST(ToyBackend, PassesWhatItSupports) {
  const std::vector<CorpusCase> cases = SupportedCases([](const Module&) { return true; });
  EXPECT_GE(cases.size(), 500);
  for (const Opcode opcode :
       {Opcode::kAdd, Opcode::kMultiply, Opcode::kCompare, Opcode::kWhile, Opcode::kConditional,
        Opcode::kCall, Opcode::kTuple, Opcode::kAsyncStart, Opcode::kAllReduce,
        Opcode::kCollectivePermute, Opcode::kInfeed, Opcode::kOutfeed, Opcode::kSend}) {
    EXPECT_TRUE(
        std::any_of(cases.begin(), cases.end(),
                    [&](const CorpusCase& each) { return Has(**ReadModule(each), opcode); }))
        << "no case that the engine runs has " << Name(opcode);
  }
  const std::vector<CaseResult> results =
      Judge(cases, [] { return std::make_unique<ToyBackend>(); });
  EXPECT_EQ(results.size(), cases.size());
  for (const CaseResult& each : results) {
    EXPECT_TRUE(IsPass(each.outcome))
        << each.id << ": " << OutcomeName(each.outcome) << ", " << each.message;
  }
  RecordProperty("cases", static_cast<int>(cases.size()));
}

TEST(ToyBackend, WithADefectIsAccusedAndOnlyWhereItMultiplies) {
  const auto multiplies = [](const Module& module) { return Has(module, Opcode::kMultiply); };
  const std::vector<CorpusCase> cases = SupportedCases(multiplies);
  EXPECT_FALSE(cases.empty());
  const auto make_defective = [] {
    return std::make_unique<ToyBackend>(std::make_unique<DefectiveEngine>());
  };
  int accused = 0;
  for (const CaseResult& each : Judge(cases, make_defective)) {
    accused += each.outcome == Outcome::kWrong ? 1 : 0;
  }
  EXPECT_GE(accused, 20);
  const auto only_adds = [&](const Module& module) {
    return !multiplies(module) && Has(module, Opcode::kAdd);
  };
  for (const CaseResult& each : Judge(SupportedCases(only_adds), make_defective)) {
    EXPECT_TRUE(IsPass(each.outcome)) << each.id << ": " << each.message;
  }
}

}  // namespace
}  // namespace assay::conformance
