// The arguments that a template prescribes: lines "arg1 = indices low=0 high=3" or
// "arg1 = literal {1, 2}". Tests: corpus_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_FIXED_INPUTS_H_
#define ASSAY_CONFORMANCE_CORPUS_FIXED_INPUTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/value_profiles.h"

namespace assay::conformance {

// By number of the parameter leaf.
struct FixedInputs {
  std::map<int64_t, ProfileUse> uses;
  std::map<int64_t, std::string> literals;  // the elements as in an HLO constant
};

// Adds what a line says. The shape is that of the parameter. INVALID_ARGUMENT for other lines.
absl::Status ReadFixedInput(absl::string_view line, FixedInputs* inputs);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_FIXED_INPUTS_H_
