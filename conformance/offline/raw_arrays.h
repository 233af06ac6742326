// Cases in plain form, for those who have neither a reader of zip archives nor one of HLO: arrays
// as .bin files, and a question.json that says operation, attributes, shapes and file names.
// docs/corpus_format.md, section 5, is the contract. Tests: tools/cli/judge_cli_test.py.
#ifndef ASSAY_CONFORMANCE_OFFLINE_RAW_ARRAYS_H_
#define ASSAY_CONFORMANCE_OFFLINE_RAW_ARRAYS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/arrays/arrays.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The elements in row-major order, little-endian, without a header; a type narrower than a byte
// takes one byte for each element.
std::string RawBytes(const Literal& array);
// INVALID_ARGUMENT if the number of bytes is not that of the shape.
absl::StatusOr<Literal> FromRawBytes(const Shape& shape, absl::string_view bytes);

// Writes question.json, NAME.bin for each argument, and expected_NAME.bin for each result, whose
// answer is NAME.bin. UNIMPLEMENTED if a result has a dynamic dimension, since an answer could not
// say its size.
absl::Status WriteRawQuestion(const Module& module, absl::Span<const NamedLiteral> arguments,
                              absl::Span<const NamedLiteral> results, const std::string& folder);

// Whether an answer in plain form lies in the folder.
bool HasRawAnswer(const std::string& folder);
// The arrays of the answer, as question.json names them. NOT_FOUND if one is missing,
// INVALID_ARGUMENT, naming the file, if one does not fit.
absl::StatusOr<std::vector<NamedLiteral>> ReadRawAnswer(const std::string& folder);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_OFFLINE_RAW_ARRAYS_H_
