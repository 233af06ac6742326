// Writes what stands before the computations of a module: its attributes and the tables of stack
// frames, origins and debugging (hlo_text_format.md 2). Private to the printer.
// Tests: printer_header_test.cc.
#ifndef ASSAY_SPEC_TEXT_PRINTER_HEADER_H_
#define ASSAY_SPEC_TEXT_PRINTER_HEADER_H_

#include <string>

#include "spec/ir/module.h"
#include "spec/text/printer.h"

namespace assay::printing {

// Up to and including the empty line before the first computation.
void AppendHeader(const Module& module, const PrintOptions& options, std::string* out);

}  // namespace assay::printing

#endif  // ASSAY_SPEC_TEXT_PRINTER_HEADER_H_
