// One or two cases for each form that elementwise operations have: operands of one type, results of
// another, scalar operands, attributes. What each operation computes is tested beside
// the scalar definitions. Source: ops_elementwise_and_types.md 5, 8.
#include "evaluator/ops/op_case_text.h"

namespace assay {

std::vector<CaseText> ElementwiseCases() {
  return {
      {"8.1 subtract: f64",
       "f64[2] subtract(f64[2] a, f64[2] b)",
       {"{1,0}", "{0.5,0}"},
       {"{0.5,0}"}},
      {"8.2 divide: s32 by zero and overflow",
       "s32[3] divide(s32[3] a, s32[3] b)",
       {"{7,7,-2147483648}", "{-2,0,-1}"},
       {"{-3,-1,-2147483648}"}},
      {"8.4 compare: float",
       "pred[3] compare(f32[3] a, f32[3] b), direction=LT",
       {"{1,nan,-0}", "{2,1,0}"},
       {"{1,0,0}"}},
      {"8.4 compare: total order",
       "pred[3] compare(f32[3] a, f32[3] b), direction=LT, type=TOTALORDER",
       {"{1,nan,-0}", "{2,1,0}"},
       {"{1,0,1}"}},
      {"8.4 compare: complex",
       "pred[2] compare(c64[2] a, c64[2] b), direction=EQ",
       {"{(1,2),(1,2)}", "{(1,2),(1,3)}"},
       {"{1,0}"}},
      {"6.12 complex",
       "c64[2] complex(f32[2] a, f32[2] b)",
       {"{1,-0}", "{2,inf}"},
       {"{(1,2),(-0,inf)}"}},
      {"6.12 real", "f64[2] real(c128[2] z)", {"{(1,2),(-0,3)}"}, {"{1,-0}"}},
      {"6.12 imag: real operand", "f32[2] imag(f32[2] z)", {"{1,-5}"}, {"{0,0}"}},
      {"6.12 abs: complex", "f32[2] abs(c64[2] z)", {"{(3,-4),(0,0)}"}, {"{5,0}"}},
      {"8.8 convert: s32 to bf16 rounds once",
       "bf16[1] convert(s32[1] x)",
       {"{16842753}"},
       {"{16908288}"}},
      {"8.8 convert: f32 to s8 saturates",
       "s8[4] convert(f32[4] x)",
       {"{300,-300,nan,-1.9}"},
       {"{127,-128,0,-1}"}},
      {"8.8 convert: f32 to pred", "pred[4] convert(f32[4] x)", {"{0,-0,nan,0.5}"}, {"{0,0,1,1}"}},
      {"8.9 reduce-precision",
       "f32[2] reduce-precision(f32[2] x), exponent_bits=5, "
       "mantissa_bits=10",
       {"{65519,65520}"},
       {"{65504,inf}"}},
      {"8.11 stochastic-convert",
       "s32[7] stochastic-convert(f32[7] x, u32[7] r)",
       {"{1.5,1.5,-1.5,-1.5,0.25,nan,3e9}",
        "{2147483647,2147483648,2147483647,2147483648,1073741823,0,0}"},
       {"{2,1,-2,-1,1,0,2147483647}"}},
      {"8.4 is-finite", "pred[3] is-finite(f32[3] x)", {"{1,inf,nan}"}, {"{1,0,0}"}},
      {"8.5 exponential: a function",
       "f32[2] exponential(f32[2] x)",
       {"{0,1}"},
       {"{1,2.71828175}"}},
      {"6.11 power", "f32[2] power(f32[2] x, f32[2] y)", {"{2,9}", "{10,0.5}"}, {"{1024,3}"}},
      {"8.3 count-leading-zeros", "u8[3] count-leading-zeros(u8[3] x)", {"{0,1,255}"}, {"{8,7,0}"}},
      {"6.1 a scalar", "f32[] multiply(f32[] a, f32[] b)", {"3", "-0.5"}, {"-1.5"}},
      {"6.1 no elements", "f32[0,3] add(f32[0,3] a, f32[0,3] b)", {"{}", "{}"}, {"{}"}},
  };
}

}  // namespace assay
