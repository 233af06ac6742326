// How the written cases are noted, and how they become cases. Used by the op_cases_*.cc files only.
#ifndef ASSAY_EVALUATOR_OPS_OP_CASE_TEXT_H_
#define ASSAY_EVALUATOR_OPS_OP_CASE_TEXT_H_

#include <string>
#include <vector>

#include "evaluator/ops/testing.h"

namespace assay {

// Inputs and expected leaves are elements as inside constant(...), read in the shape of their
// parameter or result leaf; "7.." is the sequence 7, 8, 9, ... in row-major order, in any shape.
//
// A case about movement has `$T` for the type of what is moved. It becomes one case for each array
// type; its numbers then only name elements, and stand for patterns (NaN payloads among them).
struct CaseText {
  std::string name;
  std::string hlo;
  std::vector<std::string> inputs;
  std::vector<std::string> expected;
};

void AppendCase(const CaseText& text, std::vector<OpCase>& cases);

// Written cases, by family.
std::vector<CaseText> ElementwiseCases();    // the forms, not the functions
std::vector<CaseText> MovementCases();       // ops_structural.md 3, 12
std::vector<CaseText> IndexingCases();       // 3.10, 3.11, 4
std::vector<CaseText> ReductionCases();      // 5, 6
std::vector<CaseText> ContractionCases();    // 7, 8
std::vector<CaseText> LinearAlgebraCases();  // 9, 10, 11
std::vector<CaseText> DotFamilyCases();      // 7.2, 7.3, 7.4
// Every element type of every operation that computes, against exact arithmetic.
void AppendTypeCases(std::vector<OpCase>& cases);
// The vectors of ops_control_and_collectives.md 10.5.
void AppendRandomCases(std::vector<OpCase>& cases);

// "{ a = T[] parameter(0) b = T[] parameter(1) ROOT r = T[] op(a, b) }" for to_apply=.
std::string BinaryBody(const std::string& type, const std::string& op);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_OPS_OP_CASE_TEXT_H_
