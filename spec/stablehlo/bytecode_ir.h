// The operations of a bytecode file, as a program. Source: reference stablehlo_format.md 3.3.
// Tests: bytecode_test.cc, bytecode_errors_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_BYTECODE_IR_H_
#define ASSAY_SPEC_STABLEHLO_BYTECODE_IR_H_

#include <memory>

#include "absl/status/status.h"
#include "spec/stablehlo/bytecode_file.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// Reads the operations into an empty program. `owner` keeps the bytes alive, or is null; the texts
// of the file must live as long as the program.
absl::Status ReadOperations(const BytecodeFile& file, std::shared_ptr<const void> owner,
                            Program& program);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_BYTECODE_IR_H_
