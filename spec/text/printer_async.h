// Which asynchronous instructions are written in the short form `negate-start(x)` instead of
// `async-start(x), calls=%wrapper` (hlo_text_format.md 6.6, 9.2).
// Private to the printer. Tests: printer_test.cc.
#ifndef ASSAY_SPEC_TEXT_PRINTER_ASYNC_H_
#define ASSAY_SPEC_TEXT_PRINTER_ASYNC_H_

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/ir/module.h"

namespace assay::printing {

class AsyncSugar {
 public:
  // The wrapped instruction when `instruction` is an async start, update or done whose wrapper is
  // nothing but one operation on its parameters in order; null otherwise.
  const Instruction* Wrapped(const Instruction& instruction);

  // The wrappers that only such starts call: they need not be written.
  absl::flat_hash_set<const Computation*> HiddenWrappers(const Module& module);

 private:
  // By instruction, so that long chains of updates are followed once.
  absl::flat_hash_map<const Instruction*, const Instruction*> wrapped_;
};

}  // namespace assay::printing

#endif  // ASSAY_SPEC_TEXT_PRINTER_ASYNC_H_
