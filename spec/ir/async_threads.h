// An asynchronous start puts all that it runs on its thread: what it calls, what that calls, and
// the starts therein, whatever they say themselves. Readers of modules call this at the end.
// Test: parser_test.cc.
#ifndef ASSAY_SPEC_IR_ASYNC_THREADS_H_
#define ASSAY_SPEC_IR_ASYNC_THREADS_H_

#include "spec/ir/module.h"

namespace assay {

// Returns true for the operations that run a computation asynchronously: async-start, async-update
// and async-done. all-reduce-start and its like are operations of their own.
inline bool IsAsync(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate ||
         opcode == Opcode::kAsyncDone;
}

// Where several starts reach a computation the last one in the module counts.
void InheritAsyncThreads(const Module& module);

}  // namespace assay

#endif  // ASSAY_SPEC_IR_ASYNC_THREADS_H_
