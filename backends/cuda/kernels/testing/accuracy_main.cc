// Writes the tables of docs/cuda_accuracy.md: the largest errors of the kernels' functions.
//
// usage: cuda_accuracy [INPUTS [PAIRS [FUNCTION [TYPE]]]]
//   INPUTS    inputs of functions of one operand; 4294967296 takes every f32
//   PAIRS     pairs, complex numbers and f64 operands
//   FUNCTION  measures one function only, or `all`
//   TYPE      measures one of the types of 16 bits and more only
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "backends/cuda/kernels/testing/step_computation.h"

namespace assay::cuda {
namespace {

// A row for each type of at most 8 bits: the sums and the maximum over its functions.
void PrintNarrowTypes(int64_t pairs, const std::string& only) {
  std::printf(
      "\n## Types of at most 8 bits\n\n"
      "| type | functions | inputs in all | largest error | not nearest "
      "|\n|---|---|---|---|---|\n");
  for (const ElementType type : kArrayTypes) {
    if (!IsFloat(type) || Info(type).bits > 8) continue;
    int64_t functions = 0, inputs = 0, not_nearest = 0;
    double largest = 0.5;
    for (const Opcode opcode : measure::MeasuredFunctions(type)) {
      if (!only.empty() && Name(opcode) != only) continue;
      const measure::Accuracy accuracy = Measured(opcode, type, pairs, 1);
      ++functions;
      inputs += accuracy.inputs;
      not_nearest += accuracy.not_nearest;
      largest = std::max(largest, accuracy.largest);
    }
    std::printf("| %s | %lld | %lld | %.2f | %lld |\n", std::string(Name(type)).c_str(),
                static_cast<long long>(functions), static_cast<long long>(inputs), largest,
                static_cast<long long>(not_nearest));
    std::fflush(stdout);
  }
}

int Run(int argc, char** argv) {
  const int64_t inputs = argc > 1 ? std::atoll(argv[1]) : 1 << 24;
  const int64_t pairs = argc > 2 ? std::atoll(argv[2]) : 1 << 20;
  const std::string function = argc > 3 ? argv[3] : "all", type = argc > 4 ? argv[4] : "";
  const std::string only = function == "all" ? "" : function;
  if (type.empty()) PrintNarrowTypes(pairs, only);
  measure::PrintTables(inputs, pairs, only, type, Measured);
  return 0;
}

}  // namespace
}  // namespace assay::cuda

int main(int argc, char** argv) { return assay::cuda::Run(argc, argv); }
