// An asynchronous start puts all that it runs on its thread: what it calls, what that calls, and
// the starts therein, whatever they say themselves. Readers of modules call this at the end.
// Test: parser_test.cc.
#ifndef ASSAY_SPEC_IR_ASYNC_THREADS_H_
#define ASSAY_SPEC_IR_ASYNC_THREADS_H_

#include "spec/ir/module.h"

namespace assay {

// Where several starts reach a computation the last one in the module counts.
void InheritAsyncThreads(const Module& module);

}  // namespace assay

#endif  // ASSAY_SPEC_IR_ASYNC_THREADS_H_
