// The pieces of text that the printer puts together: numbers, strings, and the values of attributes
// in the form of hlo_text_format.md 7.2. Each function appends to `out`.
// Private to the printer. Tests: printer_test.cc.
#ifndef ASSAY_SPEC_TEXT_PRINTER_VALUES_H_
#define ASSAY_SPEC_TEXT_PRINTER_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/attribute_values.h"
#include "spec/ir/literal.h"
#include "spec/ir/metadata.h"

namespace assay::printing {

void AppendInt(int64_t value, std::string* out);
inline void AppendBool(bool value, std::string* out) { out->append(value ? "true" : "false"); }
// C's %.<digits>g.
void AppendDigits(double value, int digits, std::string* out);
// Six digits as XLA writes them, or as many as it takes to read the same double (float, where the
// value is one) back.
void AppendNumber(double value, bool exact, std::string* out);
// With quotes and escapes (hlo_text_format.md 1.6).
void AppendQuoted(absl::string_view text, std::string* out, char quote = '"');
// Whether a name means something else when it stands without '%'.
bool IsReserved(absl::string_view name);
// Brace text as it is, anything else quoted (1.7).
void AppendRawOrQuoted(absl::string_view text, std::string* out);

// Calls `append` on each of the items, with `separator` between them.
template <typename Items, typename Append>
void AppendJoined(const Items& items, absl::string_view separator, std::string* out,
                  const Append& append) {
  bool first = true;
  for (const auto& item : items) {
    if (!first) out->append(separator.data(), separator.size());
    first = false;
    append(item);
  }
}
// The comment every five entries of a long list: ", " or ", /*index=5*/" before entry `index`.
void AppendIndexedSeparator(int64_t index, int64_t interval, std::string* out);

void AppendInts(absl::Span<const int64_t> values, std::string* out);     // 1,2
void AppendIntList(absl::Span<const int64_t> values, std::string* out);  // {1,2}
void AppendIntLists(const std::vector<std::vector<int64_t>>& lists, std::string* out);
void AppendWindow(const Window& window, std::string* out);           // {size=2x2}
void AppendPadding(const PaddingConfig& padding, std::string* out);  // 0_0x1_1
void AppendSlices(const Slices& slices, std::string* out);           // {[0:4], [1:5]}
void AppendDimLabels(const ConvolutionDimensions& dimensions, std::string* out);
void AppendPrecisions(absl::Span<const int64_t> precisions, std::string* out);
void AppendResultAccuracy(const ResultAccuracy& accuracy, bool exact, std::string* out);
void AppendSparsity(const SparsityConfig& config, std::string* out);
void AppendAliases(const OutputOperandAliases& aliases, std::string* out);
void AppendFrontendAttributes(const FrontendAttributes& attributes, std::string* out);
void AppendStatistics(const Statistics& statistics, bool exact, std::string* out);

// {op_type="add" op_name="f"}; without fields {}.
void AppendMetadata(const Metadata& metadata, std::string* out);
void AppendOriginArray(const std::optional<OriginArray>& array, std::string* out);  // {"a" {0}}
void AppendOrigin(const OriginValue& origin, std::string* out);

// printer_sharding.cc
void AppendSharding(const Sharding& sharding, bool with_metadata, std::string* out);
void AppendReplicaGroups(const ReplicaGroups& groups, bool expand, std::string* out);

// printer_literal.cc
void AppendElement(ElementType type, Element element, std::string* out);
void AppendLiteral(const Literal& literal, std::string* out);
void AppendTypedLiteral(const Literal& literal, std::string* out);
// What stands for the elements of a constant that is not known: dots for every array; a tuple keeps
// its form so that it can be read back (with any value for its scalars).
void AppendElided(const Shape& shape, std::string* out);

}  // namespace assay::printing

#endif  // ASSAY_SPEC_TEXT_PRINTER_VALUES_H_
