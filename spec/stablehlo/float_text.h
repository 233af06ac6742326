// Decimal and hexadecimal spellings of floats, as MLIR has them. Tests: float_text_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_FLOAT_TEXT_H_
#define ASSAY_SPEC_STABLEHLO_FLOAT_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/element/element_type.h"

namespace assay::stablehlo {

// The double nearest to a decimal; infinite or zero where it is too large or too small. False where
// the text is not a decimal.
bool ReadDecimal(absl::string_view text, double& value);

// The bits of a decimal in a float type: rounded to nearest. f8E8M0FNU, which has neither zero nor
// sign, has its smallest value for all that is smaller, as MLIR has it, and NaN for other
// negatives.
uint64_t EncodeDecimal(ElementType type, double value);

// The spelling of a float: a decimal with a point that reads back as the same bits by way of double
// (1.000000e+00, or as many digits as it takes), or the bits as 0x7FC00000 where none does.
std::string FloatText(ElementType type, uint64_t bits);
void AppendFloatText(ElementType type, uint64_t bits, std::string& out);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_FLOAT_TEXT_H_
