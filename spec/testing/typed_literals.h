// Literals of tests as typed text, `f32[2] {1, 2}`.
#ifndef ASSAY_SPEC_TESTING_TYPED_LITERALS_H_
#define ASSAY_SPEC_TESTING_TYPED_LITERALS_H_

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay {

inline Literal MustParseLiteral(absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseTypedLiteral(text);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return literal.ok() ? *std::move(literal) : Literal();
}

// A typed literal as results are printed.
inline std::string Canonical(absl::string_view text) {
  return PrintTypedLiteral(MustParseLiteral(text));
}

}  // namespace assay

#endif  // ASSAY_SPEC_TESTING_TYPED_LITERALS_H_
