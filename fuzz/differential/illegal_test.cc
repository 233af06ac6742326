// Illegal programs: every clause of the verifier that a module can break is broken by some, those
// who refuse them are not accused, and those who run them are found.
#include "fuzz/differential/illegal.h"

#include <fstream>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "backends/golden/golden_backend.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/programs/decoder.h"
#include "gtest/gtest.h"
#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

// Runs whatever it is given, or refuses what the verifier refuses.
class Unverified : public GoldenBackend {
 public:
  explicit Unverified(bool refuses) : refuses_(refuses) {}
  BackendCapabilities capabilities() const override { return {}; }
  absl::Status Supports(const Module&) override { return absl::OkStatus(); }
  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override {
    if (refuses_) return GoldenBackend::RunSets(module, inputs);
    return ModuleRun{{std::vector<DeviceOutputs>(1)}, 0};
  }

 private:
  const bool refuses_;
};

class Targets {
 public:
  void Ask(const IllegalProgram& illegal) {
    SCOPED_TRACE(illegal.clause + " " + illegal.operation);
    EXPECT_EQ(of_golden_.ExamineIllegal(illegal).outcome, Outcome::kUnsupported);
    EXPECT_EQ(of_refusing_.ExamineIllegal(illegal).outcome, Outcome::kAgrees);
    const Examination found = of_accepting_.ExamineIllegal(illegal);
    EXPECT_EQ(found.outcome, Outcome::kFinding);
    EXPECT_EQ(found.signature.kind, FindingKind::kAccepted);
    EXPECT_EQ(found.signature.operation, illegal.operation);
    // What is handed to a process, or written into a finding's folder.
    EXPECT_FALSE(PrintModule(*illegal.module).empty());
  }

 private:
  const conformance::TargetProfile profile_ = *conformance::TargetProfile::Find("golden");
  GoldenBackend golden_;
  Unverified accepts_{false}, refuses_{true};
  Examiner of_golden_{&golden_, profile_, {}}, of_accepting_{&accepts_, profile_, {}},
      of_refusing_{&refuses_, profile_, {}};
};

std::set<std::string> ClausesOfNearMisses(Targets* targets) {
  std::set<std::string> clauses;
  for (int64_t k = 0; k < NearMissCount(); ++k) {
    const std::optional<IllegalProgram> illegal = NearMissProgram(k);
    if (!illegal) continue;
    targets->Ask(*illegal);
    clauses.insert(illegal->clause);
  }
  return clauses;
}

std::set<std::string> ClausesOfChanges(const std::vector<std::string>& operations, int64_t programs,
                                       Targets* targets) {
  GrammarOptions options;
  options.operations = operations;
  const Grammar grammar = *Grammar::Create(options);
  std::set<std::string> clauses;
  int64_t broken = 0;
  for (int64_t i = 0; i < programs; ++i) {
    const bool asked = i % 10 == 0;
    const FuzzProgram program = DecodeProgram(grammar, RandomBytes(6, i, 6));
    const std::optional<IllegalProgram> illegal =
        BreakProgram(*program.module, asked ? *MakeInputs(program) : std::vector<DeviceInputs>(),
                     static_cast<uint64_t>(i));
    if (!illegal) continue;
    ++broken;
    clauses.insert(illegal->clause);
    if (asked) targets->Ask(*illegal);
  }
  EXPECT_GT(broken, programs * 9 / 10);
  return clauses;
}

// Clauses of XLA's rules that no illegal program of this test breaks, with the reason.
const std::map<std::string, std::string>& Unbroken() {
  constexpr const char* kNoText = "a module's text cannot say it";
  constexpr const char* kReader = "of texts without shapes, which targets do not get";
  static const auto* const table = new std::map<std::string, std::string>{
      {"broadcast_c5", kReader},
      {"buffer_c7", "the near miss takes a buffer, which has no value"},
      {"callee_c2", "parameter_c2 comes first"},
      {"calls_c1", kNoText},
      {"calls_c3", kNoText},
      {"concatenate_c6", "the near miss takes an array of 2^62 elements in one dimension"},
      {"constant_c1", kNoText},
      {"constant_c2", kNoText},
      {"custom_call_c3", "the generator constrains no layouts of operands"},
      {"custom_call_c4", "the generator constrains no layouts of operands"},
      {"form_c2", kNoText},
      {"graph_c1", kNoText},
      {"graph_c2", kNoText},
      {"graph_c3", kNoText},
      {"graph_c4", kNoText},
      {"graph_c5", kNoText},
      {"graph_c6", kNoText},
      {"map_c2", kReader},
      {"opt_barrier_c1", kReader},
      {"scan_c7", "where the scan has inputs, scan_c4 comes first"},
      {"tuple_c1", "a shape of millions of elements"},
      {"tuple_c2", "a shape of thousands of levels"},
  };
  return *table;
}

TEST(IllegalTest, EveryClauseIsBroken) {
  Targets targets;
  std::set<std::string> broken = ClausesOfNearMisses(&targets);
  EXPECT_GT(broken.size(), 250u);
  std::set<std::string> changed = ClausesOfChanges({}, 1500, &targets);
  EXPECT_GT(changed.size(), 100u);
  // Operations whose clauses few changes of other programs break.
  for (const char* operation : {"async-start", "complex", "conditional", "custom-call", "dot",
                                "dynamic-reshape", "dynamic-slice", "infeed", "recv", "scan"}) {
    changed.merge(ClausesOfChanges({operation}, 1000, &targets));
  }
  broken.merge(changed);
  std::ifstream page(ASSAY_SOURCE_DIR "/docs/clauses.md");
  int64_t rows = 0;
  for (std::string line; std::getline(page, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (cells.size() < 5 || absl::StripAsciiWhitespace(cells[3]) != "xla") continue;
    const std::string clause(absl::StripAsciiWhitespace(cells[1]));
    EXPECT_NE(broken.contains(clause), Unbroken().contains(clause)) << line;
    ++rows;
  }
  EXPECT_GT(rows, 300);
}

}  // namespace
}  // namespace assay::fuzz
