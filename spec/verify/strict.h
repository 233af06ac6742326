// Clauses that only strict rules demand. Private to spec/verify.
#ifndef ASSAY_SPEC_VERIFY_STRICT_H_
#define ASSAY_SPEC_VERIFY_STRICT_H_

#include "absl/strings/string_view.h"

namespace assay {

bool IsStrictClause(absl::string_view clause);

}  // namespace assay

#endif  // ASSAY_SPEC_VERIFY_STRICT_H_
