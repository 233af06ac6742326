// Follows the NaNs that a program only moves. An argument or a constant gives such a NaN with its
// sign and payload, and every movement keeps them (N-2), so that the judge knows its bits. Of such
// a NaN abs and negate give the sign (N-10), which the judge then knows alone. A NaN that any other
// operation returns may have any bits (N-1). Tests: moved_nans_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_MOVED_NANS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_MOVED_NANS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/golden_instructions.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The marks of Box::given: nothing is known of a NaN, its bits are known, or its sign.
enum class NanMark : uint64_t { kUnknown, kBits, kSign };

// Returns the marks of Box::given for a value that an argument or a constant gives.
Literal MarkNans(const Literal& value);

// The same under the profile: in types in which it lets movements change the payload (N-2.1) the
// sign alone is known, and in types of 8 bits and fewer nothing, since any value may be moved.
Literal MarkGivenNans(const Literal& value, const TargetProfile& profile);

// Sets Box::given of each array of a result: the marks of a constant, those of the operands, moved
// by the instruction, or what is known of the results of abs, negate and of orders that are
// decided. Other instructions, dynamic sizes and places that are not known leave no marks.
absl::Status MarkMovedNans(const Instruction& instruction, Boxes operands,
                           const TargetProfile& profile, GoldenInstructions* golden,
                           absl::Span<Box> results);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_MOVED_NANS_H_
