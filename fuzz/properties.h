// The properties of the readers for any input: they reject it with a proper error, or they return a
// module that survives a round trip through text and protobuf. A fuzz target aborts with a message
// if a property does not hold. Run over the seeds by the tests fuzz_text, fuzz_proto, fuzz_npz,
// fuzz_literal and fuzz_suite.
#ifndef ASSAY_FUZZ_PROPERTIES_H_
#define ASSAY_FUZZ_PROPERTIES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

// The limit on the bytes of constants of one input. Slow inputs reduce coverage.
inline constexpr int64_t kFuzzLiteralBytes = int64_t{1} << 16;

// Aborts with the property and the detail unless `holds` is true.
void Require(bool holds, absl::string_view property, absl::string_view detail = "");
// Aborts with the property unless the status is OK.
void RequireOk(const absl::Status& status, absl::string_view property);
// Requires that an error has a message of bounded length and a code for invalid input.
void RequireRefusal(const absl::Status& status);

// Requires that the protobuf of a literal has the same bits, or that the conversion returns an
// error.
void RequireLosslessProto(const Literal& literal);
// Requires of a module read from text that parse(print(m)) equals m and print(parse(print(m))) is
// the same text, in all forms of the printer that can be parsed; that text -> proto -> text loses
// nothing; and that the shape rules return a status.
void RequireTextProperties(const Module& module);
// Requires of a module read from a protobuf, which can express more than text, that the protobuf
// round trip loses nothing and that its text, if it can be parsed, has the properties above.
void RequireProtoProperties(const Module& module);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROPERTIES_H_
