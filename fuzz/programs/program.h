// Programs for differential fuzzing: a module and the values that go into it. The decoder
// (decoder.h) makes one of any bytes. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_PROGRAM_H_
#define ASSAY_FUZZ_PROGRAMS_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/device_io.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/corpus/value_profiles.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

// What a program may take. The decoder leaves out what would go beyond.
struct ProgramLimits {
  int64_t records = 24;             // that are read
  int64_t elements = 4096;          // of one value
  int64_t all_elements = 1 << 16;   // of all values together
  int64_t argument_elements = 512;  // of one parameter or constant
  // Of one value in the few programs of long arrays; of all values together four times as many.
  int64_t long_elements = 1 << 17;
  int64_t products = 1 << 15;  // multiply-adds of one contraction, window or reduction
  int64_t parameters = 12;
};

// An array that goes in.
struct ProgramArray {
  Shape shape;
  ProfileUse use;
};

struct FuzzProgram {
  std::unique_ptr<Module> module;
  std::vector<ProgramArray> arguments;  // the leaves of all parameters, in order
  std::vector<ProgramArray> infeed;     // what the infeeds take, in order
  int64_t devices = 1;
  std::vector<absl::string_view> idioms;  // the names of those that it has, as they come
  // Records that gave no instruction since their result would go beyond the limits.
  int64_t left_out = 0;
  // Instructions that the rules of spec/ops refused: a mistake of a row of the grammar.
  int64_t refused = 0;
  std::string refusal;  // the first one
};

// The values by device. Devices have different values of the same profile.
absl::StatusOr<std::vector<DeviceInputs>> MakeInputs(const FuzzProgram& program);

// Other values for the same module: those of each array in the reverse order.
std::vector<DeviceInputs> OtherInputs(absl::Span<const DeviceInputs> inputs);

// The program as a case of the corpus, whose golden result is left to the reader. The id has the
// form that CheckId demands.
CorpusCase CaseOf(const FuzzProgram& program, std::string id);
// The same for a module and values that no record stands for.
CorpusCase CaseOf(const Module& module, absl::Span<const DeviceInputs> inputs, std::string id);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_PROGRAM_H_
