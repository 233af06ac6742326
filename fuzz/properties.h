// What the readers owe to any input: an honest refusal, or a module that comes back the same from
// text and protobuf. A fuzz target that finds it broken ends the process with a message.
// Run over the seeds by the tests fuzz_text, fuzz_proto, fuzz_npz, fuzz_literal and fuzz_suite.
#ifndef ASSAY_FUZZ_PROPERTIES_H_
#define ASSAY_FUZZ_PROPERTIES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/ir/module.h"

namespace assay {

// Constants of one input may take this much: what is slow finds little.
inline constexpr int64_t kFuzzLiteralBytes = int64_t{1} << 16;

// Aborts with the property and the detail unless it holds.
void Require(bool holds, absl::string_view property, absl::string_view detail = "");
// As Require, for a status that must be OK.
void RequireOk(const absl::Status& status, absl::string_view property);
// A refusal has a message of bounded length and the code of a problem of the input.
void RequireRefusal(const absl::Status& status);

// The protobuf of a literal holds the same bits, or honestly refuses to.
void RequireLosslessProto(const Literal& literal);
// Of a module that was read from text: parse(print(m)) equals m and print(parse(print(m))) is the
// same text, with all the printer's forms that can be read back; text -> proto -> text loses
// nothing; the shape rules end in a status.
void RequireTextProperties(const Module& module);
// Of a module that was read from a protobuf, where more is possible than a text can say: the
// protobuf comes back whole, and where its text can be read, what is read has the properties above.
void RequireProtoProperties(const Module& module);

}  // namespace assay

#endif  // ASSAY_FUZZ_PROPERTIES_H_
