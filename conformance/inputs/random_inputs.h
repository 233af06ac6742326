// Arguments for a module from a seed: the same on every machine. They respect what the module needs
// (input_needs.h) and the ranges that the caller gives. Tests: random_inputs_test.cc.
#ifndef ASSAY_CONFORMANCE_INPUTS_RANDOM_INPUTS_H_
#define ASSAY_CONFORMANCE_INPUTS_RANDOM_INPUTS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::conformance {

struct ValueRange {
  double low = 0;
  double high = 0;
};

struct RandomInputOptions {
  uint64_t seed = 0;
  // Whose arguments these are: those of all processes go together when the seed is the same.
  ProcessId process;
  ProcessGrid grid;
  // By parameter name, or "argN". Values lie in [low, high]; they win over what the module needs.
  // INVALID_ARGUMENT where the parameter's type has no value there, and for two ranges of one.
  std::map<std::string, ValueRange> ranges;
  int64_t max_bytes = int64_t{4} << 30;  // all arguments together
};

// "x=-1:1" or "arg0=0:10". INVALID_ARGUMENT says what is wrong.
absl::Status ParseRange(absl::string_view text, std::map<std::string, ValueRange>* ranges);

// One literal per parameter of the entry. Without anything else to go by: floats in [-1, 1),
// signed integers in [-8, 7], unsigned in [0, 15], every pred; as far as the type reaches.
absl::StatusOr<std::vector<Literal>> RandomInputs(const Module& module,
                                                  const RandomInputOptions& options);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_INPUTS_RANDOM_INPUTS_H_
