// The elementwise functions of document 003, a test per section: values by hand, functions at 1 and
// 2 from the real numbers. Functions of two operands are also given a vector beside a matrix,
// functions with a result accuracy both ways.
#include "conformance/seeds/examples.h"

namespace assay::conformance::elementwise_sections_test {
namespace {

using UnaryFunction = Op (*)(Op, CallSite);
using AccurateFunction = Op (*)(Op, const ResultAccuracy&, CallSite);

bool Unary(const std::string& section, UnaryFunction function, const char* operand,
           const char* expected) {
  return RegisterExample("003", section, __FILE__, __LINE__, [=] {
    Builder b("main");
    ExpectResult(b, function(In(&b, operand), CallSite::Current()), expected);
  });
}

bool Accurate(const std::string& section, UnaryFunction plain, AccurateFunction accurate,
              const char* operand, const char* expected) {
  return RegisterExample("003", section, __FILE__, __LINE__, [=] {
    Builder b("main");
    ExpectResult(b, plain(In(&b, operand), CallSite::Current()), expected);
    Builder c("accurate");
    const ResultAccuracy highest{.mode = ResultAccuracy::Mode::kHighest};
    ExpectResult(c, accurate(In(&c, operand), highest, CallSite::Current()), expected);
  });
}

bool Binary(const std::string& section, BinaryOperation function, const char* lhs, const char* rhs,
            const char* expected) {
  return RegisterExample("003", section, __FILE__, __LINE__, [=] {
    Builder b("main");
    ExpectResult(b, function(In(&b, lhs), In(&b, rhs), {}, CallSite::Current()), expected);
    // Every row of a matrix with a vector, by broadcast_dimensions.
    Builder c("broadcast_dimensions");
    const Op x = In(&c, lhs);
    const int64_t size = x.shape()->dimension(0);
    const Op matrix = BroadcastInDim(x, {2, size}, {1});
    const Op rows = function(matrix, In(&c, rhs), {1}, CallSite::Current());
    const Op wanted = BroadcastInDim(In(&c, expected), {2, size}, {1});
    const Literal result = RunResult(c, Tuple({rows, wanted}));
    ASSERT_TRUE(result.is_tuple());
    EXPECT_TRUE(Literal::BitEqual(result.element(0), result.element(1)));
  });
}

[[maybe_unused]] const bool kRegistered[] = {
    Unary("Abs", &Abs, "f32[3] {-2.5,0,7}", "f32[3] {2.5,0,7}"),
    Unary("Ceil", &Ceil, "f32[3] {-1.5,0.25,2}", "f32[3] {-1,1,2}"),
    Unary("Clz", &Clz, "s32[4] {0,1,255,-1}", "s32[4] {32,31,24,0}"),
    Unary("Floor", &Floor, "f32[3] {-1.5,0.25,2}", "f32[3] {-2,0,2}"),
    Unary("Imag", &Imag, "c64[2] {(1,-2),(3,4)}", "f32[2] {-2,4}"),
    Unary("IsFinite", &IsFinite, "f32[4] {1,inf,-inf,nan}", "pred[4] {1,0,0,0}"),
    Unary("Neg", &Neg, "s32[2] {3,-4}", "s32[2] {-3,4}"),
    Unary("Not", &Not, "s32[3] {0,-1,5}", "s32[3] {-1,0,-6}"),
    Unary("PopulationCount", &PopulationCount, "u32[4] {0,1,255,4294967295}", "u32[4] {0,1,8,32}"),
    Unary("Real", &Real, "c64[2] {(1,-2),(3,4)}", "f32[2] {1,3}"),
    Unary("Round", &Round, "f32[4] {-2.5,-0.4,0.5,1.5}", "f32[4] {-3,-0.0,1,2}"),
    Unary("RoundNearestAfz", &RoundNearestAfz, "f32[4] {-2.5,-0.4,0.5,1.5}",
          "f32[4] {-3,-0.0,1,2}"),
    Unary("RoundNearestEven", &RoundNearestEven, "f32[4] {-2.5,-0.4,0.5,1.5}",
          "f32[4] {-2,-0.0,0,2}"),
    Unary("Sign", &Sign, "f32[5] {-2.5,-0.0,0,7,nan}", "f32[5] {-1,-0.0,0,1,nan}"),
    Accurate("Cbrt", &Cbrt, &Cbrt, "f32[2] {27,2}", "f32[2] {3,1.2599210498948732}"),
    Accurate("Cos", &Cos, &Cos, "f32[2] {0,1}", "f32[2] {1,0.5403023058681398}"),
    Accurate("Cosh", &Cosh, &Cosh, "f32[2] {0,1}", "f32[2] {1,1.5430806348152437}"),
    Accurate("Erf", &Erf, &Erf, "f32[2] {0,1}", "f32[2] {0,0.8427007929497149}"),
    Accurate("Exp", &Exp, &Exp, "f32[2] {0,1}", "f32[2] {1,2.718281828459045}"),
    Accurate("Expm1", &Expm1, &Expm1, "f32[2] {0,1}", "f32[2] {0,1.718281828459045}"),
    Accurate("Log", &Log, &Log, "f32[2] {1,2}", "f32[2] {0,0.6931471805599453}"),
    Accurate("Log1p", &Log1p, &Log1p, "f32[2] {0,1}", "f32[2] {0,0.6931471805599453}"),
    Accurate("Logistic", &Logistic, &Logistic, "f32[2] {0,1}", "f32[2] {0.5,0.7310585786300049}"),
    Accurate("Rsqrt", &Rsqrt, &Rsqrt, "f32[2] {4,2}", "f32[2] {0.5,0.7071067811865476}"),
    Accurate("Sin", &Sin, &Sin, "f32[2] {0,1}", "f32[2] {0,0.8414709848078965}"),
    Accurate("Sqrt", &Sqrt, &Sqrt, "f32[2] {9,2}", "f32[2] {3,1.4142135623730951}"),
    Accurate("Tan", &Tan, &Tan, "f32[2] {0,1}", "f32[2] {0,1.5574077246549023}"),
    Accurate("Tanh", &Tanh, &Tanh, "f32[2] {0,1}", "f32[2] {0,0.7615941559557649}"),
    Binary("Add", &Add, "s32[3] {5,-7,2}", "s32[3] {3,2,-2}", "s32[3] {8,-5,0}"),
    Binary("And", &And, "u8[3] {12,255,3}", "u8[3] {10,15,4}", "u8[3] {8,15,0}"),
    Binary("Atan2", &Atan2, "f32[3] {0,1,0}", "f32[3] {1,1,-1}",
           "f32[3] {0,0.7853981633974483,3.141592653589793}"),
    Binary("Complex", &Complex, "f32[3] {1,2,3}", "f32[3] {-1,0,4}", "c64[3] {(1,-1),(2,0),(3,4)}"),
    Binary("Div", &Div, "f32[3] {5,-7,2}", "f32[3] {2,2,-2}", "f32[3] {2.5,-3.5,-1}"),
    Binary("Eq", &Eq, "f32[4] {1,0,3,nan}", "f32[4] {2,-0.0,3,nan}", "pred[4] {0,1,1,0}"),
    Binary("Ne", &Ne, "f32[4] {1,0,3,nan}", "f32[4] {2,-0.0,3,nan}", "pred[4] {1,0,0,1}"),
    Binary("Ge", &Ge, "f32[4] {1,2,3,nan}", "f32[4] {2,2,2,nan}", "pred[4] {0,1,1,0}"),
    Binary("Gt", &Gt, "f32[4] {1,2,3,nan}", "f32[4] {2,2,2,nan}", "pred[4] {0,0,1,0}"),
    Binary("Le", &Le, "f32[4] {1,2,3,nan}", "f32[4] {2,2,2,nan}", "pred[4] {1,1,0,0}"),
    Binary("Lt", &Lt, "f32[4] {1,2,3,nan}", "f32[4] {2,2,2,nan}", "pred[4] {1,0,0,0}"),
    Binary("Max", &Max, "s32[3] {5,-7,2}", "s32[3] {3,2,-2}", "s32[3] {5,2,2}"),
    Binary("Min", &Min, "s32[3] {5,-7,2}", "s32[3] {3,2,-2}", "s32[3] {3,-7,-2}"),
    Binary("Mul", &Mul, "s32[3] {5,-7,2}", "s32[3] {3,2,-2}", "s32[3] {15,-14,-4}"),
    Binary("Or", &Or, "u8[3] {12,240,3}", "u8[3] {10,15,4}", "u8[3] {14,255,7}"),
    Binary("Pow", &Pow, "f32[3] {2,-3,9}", "f32[3] {10,3,0.5}", "f32[3] {1024,-27,3}"),
    Binary("Rem", &Rem, "s32[3] {5,-7,7}", "s32[3] {3,2,-2}", "s32[3] {2,-1,1}"),
    Binary("ShiftLeft", &ShiftLeft, "s32[3] {1,-3,7}", "s32[3] {4,1,32}", "s32[3] {16,-6,0}"),
    Binary("ShiftRightArithmetic", &ShiftRightArithmetic, "s32[3] {16,-16,-1}", "s32[3] {2,2,32}",
           "s32[3] {4,-4,-1}"),
    Binary("ShiftRightLogical", &ShiftRightLogical, "s32[3] {16,-16,-1}", "s32[3] {2,28,32}",
           "s32[3] {4,15,0}"),
    Binary("Sub", &Sub, "s32[3] {5,-7,2}", "s32[3] {3,2,-2}", "s32[3] {2,-9,4}"),
    Binary("Xor", &Xor, "u8[3] {12,240,3}", "u8[3] {10,255,3}", "u8[3] {6,15,0}"),
    // -NaN < -Inf < -Finite < -0 < +0 < +Finite < +Inf < +NaN
    Binary("Eq_total_order", &EqTotalOrder, "f32[4] {-nan,-0.0,0,nan}", "f32[4] {-inf,0,-0.0,inf}",
           "pred[4] {0,0,0,0}"),
    Binary("Ne_total_order", &NeTotalOrder, "f32[4] {-nan,-0.0,0,nan}", "f32[4] {-inf,0,-0.0,inf}",
           "pred[4] {1,1,1,1}"),
    Binary("Ge_total_order", &GeTotalOrder, "f32[4] {-nan,-0.0,0,nan}", "f32[4] {-inf,0,-0.0,inf}",
           "pred[4] {0,0,1,1}"),
    Binary("Gt_total_order", &GtTotalOrder, "f32[4] {-nan,-0.0,0,nan}", "f32[4] {-inf,0,-0.0,inf}",
           "pred[4] {0,0,1,1}"),
    Binary("Le_total_order", &LeTotalOrder, "f32[4] {-nan,-0.0,0,nan}", "f32[4] {-inf,0,-0.0,inf}",
           "pred[4] {1,1,0,0}"),
    Binary("Lt_total_order", &LtTotalOrder, "f32[4] {-nan,-0.0,0,nan}", "f32[4] {-inf,0,-0.0,inf}",
           "pred[4] {1,1,0,0}"),
};

SEED_EXAMPLE("003", Compare) {
  Builder b("main");
  const Op x = In(&b, "s32[3] {1,2,3}"), y = In(&b, "s32[3] {2,2,2}");
  ExpectResult(b, Compare(x, y, {}, ComparisonDirection::kGe), "pred[3] {0,1,1}");
}

SEED_EXAMPLE("003", BitcastConvertType_example1) {
  Builder b("main");
  ExpectResult(b, BitcastConvertType(In(&b, "s32[1] {1065353216}"), kF32), "f32[1] {1}");
  Builder c("narrower");
  ExpectResult(c, BitcastConvertType(In(&c, "s32[] 67305985"), ElementType::kS8),
               "s8[4] {1,2,3,4}");
}

SEED_EXAMPLE("003", BitcastConvertType_widths_example1) {
  Builder b("main");
  const Op x = Parameter(&b, 0, Shape(kF32, {10}), "x");
  EXPECT_EQ(BitcastConvertType(x, ElementType::kF16).shape()->ToString(), "f16[10,2]");
  EXPECT_TRUE(b.Build().ok());
}
SEED_EXAMPLE("003", BitcastConvertType_widths_example2) {
  Builder b("main");
  // 0x3f800000: the half of the lower bits comes first.
  ExpectResult(b, BitcastConvertType(In(&b, "f32[] 1"), ElementType::kF16), "f16[2] {0,1.875}");
}
SEED_EXAMPLE("003", BitcastConvertType_widths_example3) {
  Builder b("main");
  const Op x = Parameter(&b, 0, Shape(ElementType::kF16, {10, 2}), "x");
  EXPECT_EQ(BitcastConvertType(x, kF32).shape()->ToString(), "f32[10]");
  EXPECT_TRUE(b.Build().ok());
}

SEED_EXAMPLE("003 004", Clamp_example1) {
  Builder b("main");
  const Op root = Clamp(In(&b, "s32[] 0"), In(&b, "s32[3] {-1,5,9}"), In(&b, "s32[] 6"));
  ExpectResult(b, root, "s32[3] {0,5,6}");
}

SEED_EXAMPLE("003 004", ReducePrecision) {
  Builder b("main");
  // As f16: 5 exponent and 10 mantissa bits. Ties go to the even neighbour, 1e6 is out of range.
  const Op x = In(&b, "f32[4] {1.00048828125,1.00146484375,1000000,-0.5}");
  ExpectResult(b, ReducePrecision(x, /*exponent_bits=*/5, /*mantissa_bits=*/10),
               "f32[4] {1,1.001953125,inf,-0.5}");
}

SEED_EXAMPLE("003", OptimizationBarrier) {
  Builder b("main");
  const Op x = In(&b, "s32[2] {1,2}");
  ExpectResult(b, OptimizationBarrier(Tuple({x, x})), "(s32[2] {1,2}, s32[2] {1,2})");
}

}  // namespace
}  // namespace assay::conformance::elementwise_sections_test
