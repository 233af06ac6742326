// Where the program's author wrote an instruction, for messages. Tests: source_text_test.cc.
#ifndef ASSAY_SPEC_IR_SOURCE_TEXT_H_
#define ASSAY_SPEC_IR_SOURCE_TEXT_H_

#include <cstdint>
#include <string>

#include "spec/ir/module.h"

namespace assay {

struct SourcePlace {
  std::string file;  // as the module has it, with its folders; empty: it does not say
  int32_t line = 0;
};
// From the metadata, or else from the innermost stack frame.
SourcePlace SourcePlaceOf(const Instruction& instruction);
// "model.py:41, op_name jit(f)/tanh": the file without its folders and the line, from the metadata
// or else from the innermost stack frame, and the framework's name of the operation. Parts that the
// module does not tell are left out; empty if it tells nothing.
std::string SourceText(const Instruction& instruction);
// The name of the instruction, with the source text in parentheses where there is one.
std::string NameWithSource(const Instruction& instruction);

}  // namespace assay

#endif  // ASSAY_SPEC_IR_SOURCE_TEXT_H_
