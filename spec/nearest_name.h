// Names that come close to a name that does not exist: of operations, of element types, of any
// list. Tests: nearest_name_test.cc.
#ifndef ASSAY_SPEC_NEAREST_NAME_H_
#define ASSAY_SPEC_NEAREST_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace assay {

// The operation or type that is probably meant: one of nearly the same spelling, one that the name
// is the beginning of, or what another project calls so (`float32`, `bool`). Empty if there is
// none.
std::string NearestOpcodeName(absl::string_view name);
std::string NearestTypeName(absl::string_view name);
// Returns the nearest of the names, the first of several, which differs in at most two characters.
// Empty if there is none.
std::string NearestName(absl::string_view name, absl::Span<const std::string> names);

// " (did you mean X?)", or nothing.
std::string DidYouMean(absl::string_view nearest);

}  // namespace assay

#endif  // ASSAY_SPEC_NEAREST_NAME_H_
