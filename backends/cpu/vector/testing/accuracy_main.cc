// Writes docs/cpu_accuracy.md: the largest errors of the cpu backend's functions.
//
// usage: cpu_accuracy [INPUTS [PAIRS [FUNCTION]]] > docs/cpu_accuracy.md
//   INPUTS    inputs of functions of one operand; 4294967296 takes every f32
//   PAIRS     pairs, complex numbers and f64 operands
//   FUNCTION  measures one function only
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "backends/cpu/vector/kernel_table.h"
#include "backends/cpu/vector/testing/block_computation.h"

namespace assay::cpu {
namespace {

int Run(int argc, char** argv) {
  const int64_t inputs = argc > 1 ? std::atoll(argv[1]) : 1 << 24;
  const int64_t pairs = argc > 2 ? std::atoll(argv[2]) : 1 << 20;
  const std::string only = argc > 3 ? argv[3] : "";
  std::printf(
      "# Accuracy of the cpu backend's functions\n\n"
      "Largest errors in units of the last place of the exact result (of its larger part, if it "
      "is\n"
      "complex), and the number of results that are not the correctly rounded ones. Half a unit "
      "is\n"
      "the least that a largest error can be. The evaluator decides which results are correctly\n"
      "rounded, MPFR measures the others. This page is written by\n"
      "`build/release/bin/cpu_accuracy %lld %lld`, with the instruction set %s. All instruction\n"
      "sets give the same bits (`backends/cpu/vector/testing/instruction_sets_test.cc`); the\n"
      "baseline and AVX2 have run, AVX-512 has been compiled only.\n\n"
      "Functions of types of at most 8 bits are computed in f64 and rounded once; 16-bit ones in\n"
      "f32, and rounded to 16 bits from there. Basic operations and conversions of real types are\n"
      "rounded correctly. `sqrt` is an instruction. All functions underflow gradually.\n\n"
      "`power` of complex numbers is exp(w log z), whose angle has a relative error of 2^-58: it "
      "loses\n"
      "as many bits as the angle has before the point. It and `atan2` of complex numbers are "
      "measured\n"
      "on parts from 2^-12 to 2^8.\n",
      static_cast<long long>(inputs), static_cast<long long>(pairs), BestKernels().name);
  measure::PrintTables(inputs, pairs, only, Measured);
  return 0;
}

}  // namespace
}  // namespace assay::cpu

int main(int argc, char** argv) { return assay::cpu::Run(argc, argv); }
