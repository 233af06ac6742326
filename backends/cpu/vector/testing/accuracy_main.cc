// Writes the tables of docs/cpu_accuracy.md: the largest errors of the cpu backend's functions.
//
// usage: cpu_accuracy [INPUTS [PAIRS [FUNCTION [TYPE]]]]
//   INPUTS    inputs of functions of one operand; 4294967296 takes every f32
//   PAIRS     pairs, complex numbers and f64 operands
//   FUNCTION  measures one function only, or `all`
//   TYPE      measures one type only
#include <cstdint>
#include <cstdlib>
#include <string>

#include "backends/cpu/vector/testing/block_computation.h"

namespace assay::cpu {
namespace {

int Run(int argc, char** argv) {
  const int64_t inputs = argc > 1 ? std::atoll(argv[1]) : 1 << 24;
  const int64_t pairs = argc > 2 ? std::atoll(argv[2]) : 1 << 20;
  const std::string function = argc > 3 ? argv[3] : "all", type = argc > 4 ? argv[4] : "";
  measure::PrintTables(inputs, pairs, function == "all" ? "" : function, type, Measured);
  return 0;
}

}  // namespace
}  // namespace assay::cpu

int main(int argc, char** argv) { return assay::cpu::Run(argc, argv); }
