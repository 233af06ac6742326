// Every clause of the elementwise rules, and what is inferred where no shape is written (the
// expected shapes are those of XLA's reader).
#include "gtest/gtest.h"
#include "spec/ops/rule_rows.h"

namespace assay {
namespace {

TEST(ElementwiseRules, EveryClauseRefuses) {
  ExpectRows(
      "", {
              {"unary_c1", "f32[2] | f32[2] sine(p0)", "(f32[2]) | f32[2] sine(p0)"},
              {"unary_c2", "f32[2] | f32[2] sine(p0)", "s32[2] | s32[2] sine(p0)"},
              {"unary_c2", "s32[2] | s32[2] abs(p0)", "u32[2] | u32[2] abs(p0)"},
              {"unary_c2", "s32[2] | s32[2] sign(p0)", "u32[2] | u32[2] sign(p0)"},
              {"unary_c2", "u8[2] | u8[2] negate(p0)", "pred[2] | pred[2] negate(p0)"},
              {"unary_c2", "pred[2] | pred[2] not(p0)", "f32[2] | f32[2] not(p0)"},
              {"unary_c2", "s4[2] | s4[2] popcnt(p0)", "pred[2] | pred[2] popcnt(p0)"},
              {"unary_c2", "f32[2] | f32[2] cbrt(p0)", "c64[2] | c64[2] cbrt(p0)"},
              {"unary_c2", "f32[2] | pred[2] is-finite(p0)", "c64[2] | pred[2] is-finite(p0)"},
              {"unary_c2", "c64[2] | f32[2] real(p0)", "s32[2] | s32[2] real(p0)"},
              {"binary_c1", "f32[2]; f32[2] | f32[2] add(p0, p1)",
               "f32[2]; (f32[2]) | f32[2] add(p0, p1)"},
              {"binary_c2", "f32[2]; f32[2] | f32[2] add(p0, p1)",
               "f32[2]; s32[2] | f32[2] add(p0, p1)"},
              {"binary_c2", "f32[2]; f32[2] | f32[2] add(p0, p1)",
               "f32[2]; f16[2] | f32[2] add(p0, p1)"},
              {"binary_c3", "f32[2]; f32[2] | f32[2] add(p0, p1)",
               "f32[2]; f32[] | f32[2] add(p0, p1)"},
              {"binary_c3", "f32[2]; f32[2] | f32[2] add(p0, p1)",
               "f32[2]; f32[1] | f32[2] add(p0, p1)"},
              {"binary_c4", "s32[2]; s32[2] | s32[2] and(p0, p1)",
               "f32[2]; f32[2] | f32[2] and(p0, p1)"},
              {"binary_c4", "u8[2]; u8[2] | u8[2] subtract(p0, p1)",
               "pred[2]; pred[2] | pred[2] subtract(p0, p1)"},
              {"binary_c4", "f32[2]; f32[2] | f32[2] atan2(p0, p1)",
               "s32[2]; s32[2] | s32[2] atan2(p0, p1)"},
              {"binary_c4", "s8[2]; s8[2] | s8[2] shift-left(p0, p1)",
               "f32[2]; f32[2] | f32[2] shift-left(p0, p1)"},
              {"binary_c4", "f32[2]; f32[2] | f32[2] remainder(p0, p1)",
               "c64[2]; c64[2] | c64[2] remainder(p0, p1)"},
              {"binary_c4", "s32[2]; s32[2] | s32[2] mulhi(p0, p1)",
               "f32[2]; f32[2] | f32[2] mulhi(p0, p1)"},
              {"extremum_c1", "pred[2]; pred[2] | pred[2] maximum(p0, p1)",
               "c64[2]; c64[2] | c64[2] maximum(p0, p1)"},
              {"convert_c1", "f32[2] | s8[2] convert(p0)", "f32[2] | (s8[2]) convert(p0)"},
              {"reduce_precision_c1",
               "f32[2] | f32[2] reduce-precision(p0), exponent_bits=1, mantissa_bits=0",
               "f32[2] | f32[2] reduce-precision(p0), exponent_bits=0, mantissa_bits=0"},
              {"reduce_precision_c2",
               "f32[2] | f32[2] reduce-precision(p0), exponent_bits=1, mantissa_bits=0",
               "f32[2] | f32[2] reduce-precision(p0), exponent_bits=1, mantissa_bits=-1"},
              {"complex_c2", "f64[2]; f64[2] | c128[2] complex(p0, p1)",
               "f16[2]; f16[2] | c64[2] complex(p0, p1)"},
              {"compare_c1", "f32[]; f32[] | pred[] compare(p0, p1), direction=LT, type=TOTALORDER",
               "s32[]; s32[] | pred[] compare(p0, p1), direction=LT, type=TOTALORDER"},
              {"compare_c1", "s32[]; s32[] | pred[] compare(p0, p1), direction=LT, type=SIGNED",
               "u32[]; u32[] | pred[] compare(p0, p1), direction=LT, type=SIGNED"},
              {"compare_c1", "pred[]; pred[] | pred[] compare(p0, p1), direction=LT, type=UNSIGNED",
               "f32[]; f32[] | pred[] compare(p0, p1), direction=LT, type=UNSIGNED"},
              {"compare_c2", "c64[]; c64[] | pred[] compare(p0, p1), direction=NE",
               "c64[]; c64[] | pred[] compare(p0, p1), direction=LT"},
              {"select_c1", "pred[2]; f32[2]; f32[2] | f32[2] select(p0, p1, p2)",
               "pred[]; (f32[2]); (f32[2]) | (f32[2]) select(p0, p1, p2)"},
              {"select_c2", "pred[2]; f32[2]; f32[2] | f32[2] select(p0, p1, p2)",
               "s32[2]; f32[2]; f32[2] | f32[2] select(p0, p1, p2)"},
              {"select_c3", "pred[2]; f32[2]; f32[2] | f32[2] select(p0, p1, p2)",
               "pred[2]; f32[2]; f32[3] | f32[2] select(p0, p1, p2)"},
              {"select_c3", "pred[2]; f32[2]; f32[2] | f32[2] select(p0, p1, p2)",
               "pred[2]; f32[2]; f16[2] | f32[2] select(p0, p1, p2)"},
              {"select_c4", "pred[]; f32[2]; f32[2] | f32[2] select(p0, p1, p2)",
               "pred[1]; f32[2]; f32[2] | f32[2] select(p0, p1, p2)"},
              {"clamp_c1", "f32[]; f32[2]; f32[] | f32[2] clamp(p0, p1, p2)",
               "token[]; f32[2]; f32[] | f32[2] clamp(p0, p1, p2)"},
              {"clamp_c2", "f32[]; f32[2]; f32[] | f32[2] clamp(p0, p1, p2)",
               "f32[]; f32[2]; s32[] | f32[2] clamp(p0, p1, p2)"},
              {"clamp_c3", "f32[2]; f32[2]; f32[] | f32[2] clamp(p0, p1, p2)",
               "f32[1]; f32[2]; f32[] | f32[2] clamp(p0, p1, p2)"},
              {"clamp_c4", "f32[]; f32[2]; f32[2] | f32[2] clamp(p0, p1, p2)",
               "f32[]; f32[2]; f32[1] | f32[2] clamp(p0, p1, p2)"},
              {"clamp_c5", "f32[]; f32[2]; f32[] | f32[2] clamp(p0, p1, p2)",
               "c64[]; c64[2]; c64[] | c64[2] clamp(p0, p1, p2)"},
              {"stochastic_convert_c1", "f32[2]; u32[2] | s8[2] stochastic-convert(p0, p1)",
               "f32[2]; u32[2] | (s8[2]) stochastic-convert(p0, p1)"},
              {"stochastic_convert_c2", "f32[2]; u32[2] | s8[2] stochastic-convert(p0, p1)",
               "s32[2]; u32[2] | s8[2] stochastic-convert(p0, p1)"},
              {"stochastic_convert_c3", "f32[2]; u32[2] | s8[2] stochastic-convert(p0, p1)",
               "f32[2]; u16[2] | s8[2] stochastic-convert(p0, p1)"},
              {"stochastic_convert_c4", "f32[2]; u32[2] | s8[2] stochastic-convert(p0, p1)",
               "f32[2]; u32[1] | s8[2] stochastic-convert(p0, p1)"},
              {"shape_c1", "f32[4] | f32[4] negate(p0)",
               "f32[4000000000,4000000000] | f32[4000000000,4000000000] negate(p0)"},
              {"shape_c2", "f32[2] | f32[2] negate(p0)", "f32[2] | f32[3] negate(p0)"},
              {"shape_c2", "f32[2] | s8[2] convert(p0)", "f32[2] | s8[3] convert(p0)"},
              {"shape_c2", "f32[2]; f32[2] | pred[2] compare(p0, p1), direction=EQ",
               "f32[2]; f32[2] | s8[2] compare(p0, p1), direction=EQ"},
          });
}

TEST(ElementwiseRules, ReaderRefusesWhatDoesNotStretchOrMix) {
  ExpectReaderRows(
      "",
      {
          {"binary_c2", "f16[2]; f32[2] | add(p0, p1)", "s32[2]; f32[2] | add(p0, p1)"},
          {"binary_c3", "f32[2,3]; f32[] | add(p0, p1)", "f32[2,3]; f32[3] | add(p0, p1)"},
          {"binary_c3", "f32[2,3]; f32[1,3] | add(p0, p1)", "f32[2,3]; f32[3,3] | add(p0, p1)"},
          {"complex_c1", "f32[2]; f32[2] | complex(p0, p1)", "f32[2]; f64[2] | complex(p0, p1)"},
      });
}

TEST(ElementwiseRules, InfersLikeXlasReader) {
  ExpectInference("", {
                          {"f32[2,3]{0,1}; f32[2,3]{1,0} | add(p0, p1)", "f32[2,3]{0,1}"},
                          {"f32[2,3]{0,1}; f32[] | add(p0, p1)", "f32[2,3]{1,0}"},
                          {"f32[]; f32[2,3]{0,1} | add(p0, p1)", "f32[2,3]{1,0}"},
                          {"f32[2,1]{0,1}; f32[1,3]{1,0} | add(p0, p1)", "f32[2,3]{1,0}"},
                          {"f16[2,3]{0,1}; f32[2,3] | add(p0, p1)", "f32[2,3]{0,1}"},
                          {"f32[2,3]{0,1}; f16[2,3] | add(p0, p1)", "f32[2,3]{0,1}"},
                          {"f32[<=2,3]; f32[2,3] | add(p0, p1)", "f32[<=2,3]{1,0}"},
                          {"f32[2,3]; f32[<=2,3] | add(p0, p1)", "f32[<=2,3]{1,0}"},
                          {"f32[?,3]; f32[5,3] | add(p0, p1)", "f32[5,3]{1,0}"},
                          {"f32[?,3]; f32[1,3] | add(p0, p1)", "f32[?,3]{1,0}"},
                          {"c64[2]; c64[2] | maximum(p0, p1)", "c64[2]{0}"},
                          {"c64[2]; c64[2] | compare(p0, p1), direction=LT", "pred[2]{0}"},
                          {"s4[8]{0:E(4)} | negate(p0)", "s4[8]{0:E(4)}"},
                          {"f32[2,3]{0,1} | is-finite(p0)", "pred[2,3]{0,1}"},
                          {"c64[2,3]{0,1} | abs(p0)", "f32[2,3]{0,1}"},
                          {"c128[2] | imag(p0)", "f64[2]{0}"},
                          {"f32[2]; f32[2] | complex(p0, p1)", "c64[2]{0}"},
                          {"pred[2]; f32[2]; f16[2] | select(p0, p1, p2)", "f32[2]{0}"},
                          {"pred[]; f32[2,3]{0,1}; f32[2,3] | select(p0, p1, p2)", "f32[2,3]{0,1}"},
                          {"f32[]; f32[2]; f32[] | clamp(p0, p1, p2)", "f32[2]{0}"},
                          {"f16[]; bf16[2]; f32[2] | clamp(p0, p1, p2)", "bf16[2]{0}"},
                      });
}

}  // namespace
}  // namespace assay
