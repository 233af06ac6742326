// Test helpers: cases from text, and a target with scripted results.
#ifndef ASSAY_CONFORMANCE_RUNNER_TESTING_H_
#define ASSAY_CONFORMANCE_RUNNER_TESTING_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/golden/golden_backend.h"
#include "conformance/corpus/case_reader.h"
#include "gtest/gtest.h"

namespace assay::conformance {

// Parses a case. `module` has the entry computation and others before it; `sections` has the inputs
// and the following sections of a case file.
inline CorpusCase CaseOf(const std::string& module, const std::string& sections,
                         const std::string& id = "test/f32/case") {
  std::string text =
      "case " + id + "\ntags: op=add type=f32\nmodule:\n  " + module + "\n" + sections + "\n";
  absl::StatusOr<std::vector<CorpusCase>> cases = ReadCases(text, "test.cases");
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases->front();
}

inline CorpusCase AddCase(const std::string& id = "add/f32/case") {
  return CaseOf("ENTRY e { a = f32[2] parameter(0) b = f32[2] parameter(1) ROOT r = add(a, b) }",
                "inputs:\n  arg0 = literal f32[2] {1, 2}\n  arg1 = literal f32[2] {3, 4}\n"
                "expect: golden",
                id);
}

// The golden backend, whose runs `answer` may change.
class ScriptedBackend : public GoldenBackend {
 public:
  using Answer = std::function<absl::StatusOr<ModuleRun>(int call, absl::StatusOr<ModuleRun>)>;
  explicit ScriptedBackend(Answer answer) : answer_(std::move(answer)) {}

  absl::string_view name() const override { return "scripted"; }
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override {
    return answer_(calls_++, GoldenBackend::RunSets(module, inputs));
  }
  int calls() const { return calls_; }

 private:
  Answer answer_;
  int calls_ = 0;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_TESTING_H_
