// A module as a Python program of at most ten lines that calls jax.lax, for the reproductions of
// findings. Only what jax.lax lowers to the very operation is written. Tests: reducer_test.cc,
// tools/peers/repro_peer_test.py.
#ifndef ASSAY_FUZZ_REDUCE_LAX_PROGRAM_H_
#define ASSAY_FUZZ_REDUCE_LAX_PROGRAM_H_

#include <optional>
#include <string>

#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

// Returns a program that prints the expected and the actual results and exits with 1 if their bits
// differ. Returns nothing if an instruction, an
// attribute or a type cannot be written, or the program would be too long.
std::optional<std::string> LaxProgram(const Module& module, absl::Span<const Literal> arguments,
                                      const Literal& expected);

// Returns an expression that makes a NumPy array with the bits of the array; nothing if it has many
// elements or NumPy does not store its type as HLO does.
std::optional<std::string> NumpyArray(const Literal& literal);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_LAX_PROGRAM_H_
