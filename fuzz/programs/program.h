// A program for differential fuzzing: a module and the values of its inputs. The decoder
// (decoder.h) makes a program of any bytes. Tests: decoder_test.cc.
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

// The limits of a program. The decoder omits instructions that would exceed them.
struct ProgramLimits {
  int64_t records = 24;             // records that are read
  int64_t elements = 4096;          // elements of one value
  int64_t all_elements = 1 << 16;   // of all values together
  int64_t argument_elements = 512;  // elements of one parameter or constant
  // Elements of one value in the few programs with long arrays. All values together may have four
  // times as many.
  int64_t long_elements = 1 << 17;
  int64_t products = 1 << 15;  // multiply-adds of one contraction, window or reduction
  // Elements of one function or quotient of complex numbers, and of one batch normalisation. Their
  // exact results take up to 400 us an element: without this limit 6 of 5,000 programs take longer
  // than the other 4,994 (29 November 2026).
  int64_t costly_elements = 320;
  int64_t parameters = 12;
};

// An input array.
struct ProgramArray {
  Shape shape;
  conformance::ProfileUse use;
};

struct FuzzProgram {
  std::unique_ptr<Module> module;
  std::vector<ProgramArray> arguments;  // the leaves of all parameters, in order
  std::vector<ProgramArray> infeed;     // the arrays of the infeeds, in order
  int64_t devices = 1;
  std::vector<absl::string_view> idioms;      // the names of its idioms, in order
  std::vector<absl::string_view> variations;  // the same of its variations
  // The number of records without an instruction because the result would exceed the limits.
  int64_t left_out = 0;
  // The number of instructions that the rules of spec/ops rejected. Such an instruction is an error
  // of a grammar row.
  int64_t refused = 0;
  std::string refusal;  // the first rejection
};

// Returns the input values by device. Devices have different values of the same profile.
absl::StatusOr<std::vector<DeviceInputs>> MakeInputs(const FuzzProgram& program);

// Returns other values for the same module: the elements of each array in reverse order.
std::vector<DeviceInputs> OtherInputs(absl::Span<const DeviceInputs> inputs);

// Returns the program as a corpus case without a stored golden result. The id must satisfy CheckId.
conformance::CorpusCase CaseOf(const FuzzProgram& program, std::string id);
// Returns a corpus case of any module and values.
conformance::CorpusCase CaseOf(const Module& module, absl::Span<const DeviceInputs> inputs,
                               std::string id);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_PROGRAM_H_
