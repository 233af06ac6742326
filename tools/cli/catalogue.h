// Rows of the operation catalogue as text, JSON and a table of the documentation. Tests:
// show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_CATALOGUE_H_
#define ASSAY_TOOLS_CLI_CATALOGUE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "interpreter/interpreter.h"
#include "nlohmann/json_fwd.hpp"
#include "spec/op_info.h"

namespace assay::cli {

std::string ArityText(int arity);
absl::string_view FamilyName(Family family);
absl::string_view AccuracyName(Accuracy accuracy);
std::vector<std::string> TypeNames(const OpInfo& op);
// Returns "ints, required", "bool, default false".
std::string AttributeText(const AttributeUse& use);
// Returns how the CUDA backend runs the operation: "every type, by own kernels; with libraries=on
// cuBLASLt takes f16 bf16 f32 f64 c64 c128".
std::string CudaText(Opcode opcode);
nlohmann::json OpJson(const OpInfo& op);
// Returns the text of docs/operations.md.
std::string CatalogueMarkdown();

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_CATALOGUE_H_
