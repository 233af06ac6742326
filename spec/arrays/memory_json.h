// Arrays as their linear memory, in JSON: cell by cell in the order of a layout, which may pad
// dimensions as the layout record of 2017 did (HLO's own formats have retired that). A file is an
// object, or a list of objects:
//
//   {"name": "arg0", "shape": "s32[2,3]{0,1}", "padded_dimensions": [3, 5], "padding_value": "0",
//    "memory": ["1", "4", "0", ...]}
//
// Elements are HLO's literal text. Cells of padding are not read; `padding_value` may be "zero",
// "one", "lowest", "highest" or "unknown", and is "unknown" where it is left out; unspecified cells
// are "_". Tests: memory_json_test.cc.
#ifndef ASSAY_SPEC_ARRAYS_MEMORY_JSON_H_
#define ASSAY_SPEC_ARRAYS_MEMORY_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"
#include "spec/arrays/arrays.h"
#include "spec/layout/array_memory.h"

namespace assay {

// The value and the layout it had in the file.
struct LaidOutArray {
  std::string name;
  Literal value;
  MemoryLayout layout;
};

// A padding value as in files: a kind of it, or an element.
absl::StatusOr<std::optional<Element>> ParsePaddingValue(absl::string_view text, ElementType type);

// The words for the cells of a memory: its elements, the padding value or "_".
std::vector<std::string> MemoryWords(const Literal& array, const ArrayMemory& memory);

nlohmann::json MemoryToJson(absl::string_view name, const Literal& array,
                            const ArrayMemory& memory);
// INVALID_ARGUMENT says what is wrong where; RESOURCE_EXHAUSTED for arrays above `max_bytes`.
absl::StatusOr<std::vector<LaidOutArray>> ParseMemoryJson(absl::string_view text,
                                                          int64_t max_bytes);

}  // namespace assay

#endif  // ASSAY_SPEC_ARRAYS_MEMORY_JSON_H_
