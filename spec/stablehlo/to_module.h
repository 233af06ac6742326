// A StableHLO program as a module: every operation becomes the HLO that means the same, functions
// and regions become computations. Where StableHLO defines more than HLO, or something else, the
// meaning of StableHLO is what the module computes (docs/stablehlo.md lists the differences).
// Tests: to_module_test.cc, lowering_test.cc, tools/cli/stablehlo_cli_test.py.
#ifndef ASSAY_SPEC_STABLEHLO_TO_MODULE_H_
#define ASSAY_SPEC_STABLEHLO_TO_MODULE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/ir/module.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

struct ToModuleOptions {
  std::string file_name;  // for messages
  // The function that becomes the entry. Empty: `main`, or the only function that there is.
  std::string entry;
  // The value of each symbolic dimension of an export: {"b", 4}.
  std::map<std::string, int64_t> dimensions;
  // The sizes of arguments with dynamic dimensions, by number: as the user says, and those of the
  // values that the program is to run on, which count for dimensions that are not known otherwise.
  std::map<int64_t, std::vector<int64_t>> argument_sizes;
  std::map<int64_t, std::vector<int64_t>> value_sizes;
  // CHLO functions as the formulas that XLA's converter makes of them, instead of operations of
  // their own.
  bool expand_chlo = false;
  // With `expand_chlo`: also those for which XLA's converter has an operation of HLO.
  bool expand_all_chlo = false;
};

// An expectation that the program states about its own values (check.expect_*).
struct Check {
  enum class Kind { kEqual, kAlmostEqual, kClose };
  Kind kind = Kind::kEqual;
  std::string place;      // "check.expect_eq at 7:12"
  double tolerance = 0;   // of kAlmostEqual: the largest absolute difference of numbers near 1
  uint64_t min_ulps = 0;  // of kClose
  uint64_t max_ulps = 0;
  // Where the two values stand: among the outputs of the entry, behind its results. An expected
  // value that is a constant stands here itself.
  int64_t actual_output = 0;
  int64_t expected_output = -1;
  std::optional<Literal> expected;
  int64_t device = 0;  // of a program that runs on several
};

struct ConvertedProgram {
  std::unique_ptr<Module> module;
  // Checks take their values from outputs that follow the results: with checks the root of the
  // entry is a tuple of `result_count` results and the values of checks.
  std::vector<Check> checks;
  int64_t result_count = 0;
  // jax.result_info of each result; empty where there is none.
  std::vector<std::string> result_names;
  // Of a program that states its own arguments (interpreter.run_parallel): those of each device.
  std::vector<std::vector<Literal>> device_arguments;
};

// INVALID_ARGUMENT for a program that is not legal, UNIMPLEMENTED for what has no meaning in HLO or
// none here; the message says the place ("f.mlir:7:12", or the operation's number in its function
// where the program is bytecode), the operation, and what is understood instead. The module has
// passed the verifier of HLO.
absl::StatusOr<ConvertedProgram> ToModule(const Program& program,
                                          const ToModuleOptions& options = {});

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_TO_MODULE_H_
