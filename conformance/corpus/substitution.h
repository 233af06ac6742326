// Names in the texts of templates, $NAME, and what they stand for. Tests: corpus_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_SUBSTITUTION_H_
#define ASSAY_CONFORMANCE_CORPUS_SUBSTITUTION_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/element/element_type.h"

namespace assay::conformance {

using Substitutions = std::vector<std::pair<std::string, std::string>>;

// The text with each $NAME replaced by what the longest name that stands there means ($n2 is not
// $n). Values are taken as they are, whatever they contain.
std::string SubstituteOnce(absl::string_view text, const Substitutions& names);
// The same where values may have names in turn, as deep as templates go.
std::string Substitute(std::string text, const Substitutions& names);

// The names that every template has, for an element type: $T, $MAX, ...
const Substitutions& NamesOf(ElementType type);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_SUBSTITUTION_H_
