// How far elementary functions of the cpu backend are from the exact results, in units of the last
// place of these. Results that the evaluator's correctly rounded ones agree with are at most half a
// unit off; MPFR measures the others. Tests: accuracy_test.cc; the tool is accuracy_main.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_TESTING_ACCURACY_H_
#define ASSAY_BACKENDS_CPU_VECTOR_TESTING_ACCURACY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "spec/element/element.h"
#include "spec/op_info.h"

namespace assay::cpu {

struct Accuracy {
  Opcode opcode;
  ElementType type;
  int64_t inputs = 0;
  bool every_input = false;    // of the type
  int64_t not_nearest = 0;     // results that are not the correctly rounded ones
  double largest = 0;          // units in the last place
  std::vector<Element> where;  // the operands of the largest error
};

// The functions that can be measured, by the class of the type: operations of the catalogue's
// accuracy class kFunction on floats; these, multiply and divide on complex numbers.
std::vector<Opcode> MeasuredFunctions(ElementType type);

// Measures on about `inputs` operands: patterns at equal distances for functions of one operand of
// at most 32 bits (all of them, if there are no more), else seeded random ones, half of them any
// patterns and half of ordinary magnitude (all of them for power and atan2 of complex numbers).
// Complex results are measured in units of the larger part, against the evaluator.
Accuracy Measure(Opcode opcode, ElementType type, int64_t inputs, int threads);

// Measures a function of one f32 on every `stride`-th of its 2^32 inputs, against the C library's
// function of f64. That is off by a unit of f64 or two, 2^-28 units of f32; so a result counts as
// not the nearest where it is more than half a unit and that off. Takes about a minute a function.
Accuracy MeasureEveryF32(Opcode opcode, int64_t stride, int threads);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_TESTING_ACCURACY_H_
