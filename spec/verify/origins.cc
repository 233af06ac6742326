// Origins: where the arrays of a value stood before optimisation.
//   origin_c1 an origin has the tuples of the shape it stands at
// Source: XLA's verifier; reference hlo_text_format.md 7.2 (the form). Tests: verify_cases_test.cc.
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

bool Fits(const OriginValue& origin, const Shape& shape) {
  if (!shape.is_tuple()) return !origin.is_tuple;
  if (shape.tuple_shapes().empty()) return origin.elements.empty();
  if (!origin.is_tuple || origin.elements.size() != shape.tuple_shapes().size()) return false;
  for (size_t i = 0; i < origin.elements.size(); ++i) {
    if (!Fits(origin.elements[i], shape.tuple_shape(i))) return false;
  }
  return true;
}

}  // namespace

void CheckOrigins(const Module& module, Findings& findings) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const OriginValue* origin = instruction->annotations().origin.get();
      if (origin == nullptr || origin->is_synthetic_call || Fits(*origin, instruction->shape()))
        continue;
      findings.Add(
          "origin_c1", *instruction,
          "an origin must have the tuples of the shape, " + instruction->shape().ToString(),
          "others");
    }
  }
}

}  // namespace assay
