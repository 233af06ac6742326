// Orders in which every item comes after what it needs, and names that HLO text can hold.
// Tests: ordering_test.cc.
#ifndef ASSAY_SPEC_PROTO_ORDERING_H_
#define ASSAY_SPEC_PROTO_ORDERING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace assay {

struct Ordering {
  std::vector<int64_t> order;  // the given order where that is possible
  std::vector<int64_t> cycle;  // items that need each other in a circle; the first is repeated last
};
// `needs[i]` are the items that item i needs. No recursion; linear apart from a heap.
Ordering OrderByNeed(absl::Span<const std::vector<int64_t>> needs);
// Whether `order` names every item once, each after what it needs.
bool HasNeedsFirst(absl::Span<const std::vector<int64_t>> needs, absl::Span<const int64_t> order);

// The name as XLA makes it readable (hlo_text_format.md 6.2); `fallback` for an empty one.
std::string SanitizedName(absl::string_view name, absl::string_view fallback);

}  // namespace assay

#endif  // ASSAY_SPEC_PROTO_ORDERING_H_
