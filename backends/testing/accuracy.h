// How far elementary functions of a backend are from the exact results, in units of the last place
// of these. Results that the evaluator's correctly rounded ones agree with are at most half a unit
// off; MPFR measures the others. Tests and tools: accuracy_test.cc and accuracy_main.cc of
// backends/cpu/vector/testing and backends/cuda/kernels/testing.
#ifndef ASSAY_BACKENDS_TESTING_ACCURACY_H_
#define ASSAY_BACKENDS_TESTING_ACCURACY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/element/element.h"
#include "spec/ir/module.h"
#include "spec/op_info.h"

namespace assay::measure {

struct Accuracy {
  Opcode opcode;
  ElementType type;
  int64_t inputs = 0;
  bool every_input = false;    // of the type
  int64_t not_nearest = 0;     // results that are not the correctly rounded ones
  double largest = 0;          // units in the last place
  std::vector<Element> where;  // the operands of the largest error
};

// Computes n results of an operation from operands that lie densely.
using BlockComputation =
    std::function<void(absl::Span<const std::byte* const> operands, std::byte* results, int64_t n)>;

// The functions that can be measured, by the class of the type: operations of the catalogue's
// accuracy class kFunction and the remainder on floats; these functions, multiply, divide and sign
// on complex numbers.
std::vector<Opcode> MeasuredFunctions(ElementType type);

// Measures on about `inputs` operands: patterns at equal distances for functions of one operand of
// at most 32 bits (all of them, if there are no more), else seeded random ones, half of them any
// patterns and half of ordinary magnitude (all of them for power and atan2 of complex numbers).
// Complex results are measured in units of the larger part, against the evaluator; those of c64
// that the C library shows to be nearest are not evaluated. Remainders are the C library's.
// `compute` is called by `threads` threads.
Accuracy Measure(Opcode opcode, ElementType type, const BlockComputation& compute, int64_t inputs,
                 int threads);

// A module whose root applies the operation to scalar parameters.
std::unique_ptr<Module> ModuleOf(Opcode opcode, ElementType type);

// The heading of a table for documents, and a row of it.
std::string TableHeading(ElementType type);
std::string TableRow(const Accuracy& accuracy);

// Prints the tables of the types of 16 bits and more: of functions of one operand of at most 32
// bits `inputs` operands, of all others `pairs`. A function or type that is not empty is the only
// one that is measured.
void PrintTables(
    int64_t inputs, int64_t pairs, const std::string& only, const std::string& only_type,
    const std::function<Accuracy(Opcode, ElementType, int64_t inputs, int threads)>& measured);

}  // namespace assay::measure

#endif  // ASSAY_BACKENDS_TESTING_ACCURACY_H_
