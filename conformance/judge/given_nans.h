// Tells which NaNs come from the arguments and constants of a program. Such a NaN keeps its sign
// wherever it is moved (N-2). A NaN that an operation produces may have either sign, and so may, in
// a program, the result of abs, negate or convert of a NaN (N-1, V-7). Tests: allowance_test.cc,
// diagnose/program_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_GIVEN_NANS_H_
#define ASSAY_CONFORMANCE_JUDGE_GIVEN_NANS_H_

#include <cstdint>

#include "conformance/profiles/profile.h"
#include "spec/element/element.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Returns true if a movement may turn the first NaN of a type into the second one (N-2). Types of
// 32 bits and more keep every bit. Narrower types keep the sign; a signaling NaN may become any
// quiet one, and bits of the payload may be set. If `loses_payload`
// (N-2.1), narrower types keep the sign alone, and types of 8 bits and fewer not even that.
bool IsMovedNan(ElementType type, uint64_t from, uint64_t to, bool loses_payload);

// Returns true if the profile lets movements of the type change the payload of a NaN (N-2.1).
bool LosesPayload(const TargetProfile& profile, ElementType type);

// Returns the array with the canonical NaN of each sign in place of the others, in types in which
// the profile lets movements change the payload. If `drops_sign`, types of 8 bits and fewer get one
// NaN.
Literal WithoutPayloads(const Literal& literal, const TargetProfile& profile, bool drops_sign);

// Returns true if, under the profile, an elementwise instruction may return the NaN `actual` of a
// type where golden returns the NaN `golden`: any NaN, but for movements (N-2) and for the sign
// that abs and negate give (N-10).
bool MayBeNan(const Instruction& instruction, ElementType type, uint64_t golden, uint64_t actual,
              const TargetProfile& profile);

// Returns true if every NaN of the value comes from a constant or an argument of the entry
// computation through operations that only move elements, so that its sign is known. Calls and
// fusions are followed in both directions; parameters of loops and regions count as produced. The
// result is true for a value without floats.
bool HasGivenNansAlone(const Instruction& value);

// Returns true if the value is a constant or an argument of the entry computation, or a parameter
// that callers pass such values alone.
bool IsUnmoved(const Instruction& value);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_GIVEN_NANS_H_
