// Block functions against the golden definition: every elementwise opcode on every element type
// that it admits, all patterns of types of at most 8 bits, all of unary 16-bit operations, edge
// cases and random patterns of the others.
#include "backends/cpu/vector/block_function.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/vector/testing/element_samples.h"
#include "evaluator/scalar/scalar_ops.h"
#include "gtest/gtest.h"
#include "runtime/float_environment.h"
#include "spec/text/parser.h"

namespace assay::cpu {
namespace {

// What a result may differ by: units in the last place of real results, for complex ones units of
// the larger part.
struct Allowance {
  int64_t units = 0;
};

double Part(ElementType component, uint64_t bits) { return DecodeFloat(component, bits); }

bool SameReal(ElementType type, uint64_t expected, uint64_t actual, int64_t units) {
  if (expected == actual) return true;
  if (!IsFloat(type)) return false;
  if (IsNan(type, expected) || IsNan(type, actual)) {
    return IsNan(type, expected) && IsNan(type, actual);
  }
  // Zeros of different sign are no neighbours.
  if (units == 0 || (IsZero(type, expected) && IsZero(type, actual))) return false;
  return std::abs(FloatOrdinal(type, expected) - FloatOrdinal(type, actual)) <= units;
}

bool SameComplex(ElementType type, Element expected, Element actual, int64_t units) {
  const ElementType component = Info(type).component;
  const double re = Part(component, expected.bits), im = Part(component, expected.imag);
  if (!std::isfinite(re) || !std::isfinite(im)) return true;  // complex_functions_test.cc
  const double modulus = std::max(std::abs(re), std::abs(im));
  const double unit = component == ElementType::kF32 ? 0x1p-23 : 0x1p-52;
  const double smallest = component == ElementType::kF32 ? 0x1p-149 : 0x1p-1074;
  const double allowed = static_cast<double>(units) * std::max(modulus * unit, smallest);
  return std::abs(Part(component, actual.bits) - re) <= allowed &&
         std::abs(Part(component, actual.imag) - im) <= allowed;
}

bool IsFinite(ElementType type, Element x) {
  const ElementType component = Info(type).component;
  return std::isfinite(DecodeFloat(component, x.bits)) &&
         std::isfinite(DecodeFloat(component, x.imag));
}

std::string Text(ElementType type, Element x) {
  return IsComplex(type) ? absl::StrCat("(", absl::Hex(x.bits), ", ", absl::Hex(x.imag), ")")
                         : absl::StrCat(absl::Hex(x.bits));
}

// One instruction on arrays of `type`, checked against its definition.
class Case {
 public:
  Case(const std::string& result, const std::string& call, const std::vector<ElementType>& types)
      : types_(types) {
    std::string text = "HloModule m\nENTRY e {\n";
    for (size_t k = 0; k < types.size(); ++k) {
      absl::StrAppend(&text, "p", k, " = ", std::string(Name(types[k])), "[8] parameter(", k,
                      ")\n");
    }
    absl::StrAppend(&text, "ROOT r = ", result, "[8] ", call, "\n}");
    auto module = ParseModule(text);
    EXPECT_TRUE(module.ok()) << module.status() << text;
    module_ = *std::move(module);
  }

  // The columns of operands have one length.
  void Check(const std::vector<std::vector<Element>>& operands, int64_t units) {
    const runtime::FloatEnvironmentGuard guard;
    const Instruction& root = *module_->entry()->root();
    const ElementType type = root.shape().element_type();
    const auto golden = evaluator::PrepareScalarFunction(root);
    ASSERT_TRUE(golden.ok()) << golden.status();
    const auto function = FindBlockFunction(root);
    ASSERT_TRUE(function.ok()) << function.status();
    const auto n = static_cast<int64_t>(operands[0].size());
    std::vector<std::vector<std::byte>> arrays;
    std::vector<const std::byte*> addresses;
    for (size_t k = 0; k < operands.size(); ++k) {
      // One byte off alignment.
      arrays.emplace_back(n * Info(types_[k]).storage_bytes + 1);
      for (int64_t i = 0; i < n; ++i) {
        StoreElement(types_[k], operands[k][i], arrays[k].data() + 1, i);
      }
    }
    for (const auto& array : arrays) addresses.push_back(array.data() + 1);
    std::vector<std::byte> result(n * Info(type).storage_bytes, std::byte{0xcd});
    (*function)(addresses, result.data(), n);
    int failures = 0;
    for (int64_t i = 0; i < n && failures < 3; ++i) {
      Element expected;
      if (operands.size() == 1) expected = (*golden)(operands[0][i]);
      if (operands.size() == 2) expected = (*golden)(operands[0][i], operands[1][i]);
      if (operands.size() == 3) {
        expected = (*golden)(operands[0][i], operands[1][i], operands[2][i]);
      }
      const Element actual = LoadElement(type, result.data(), i);
      const bool same = IsComplex(type) ? SameComplex(type, expected, actual, units)
                                        : SameReal(type, expected.bits, actual.bits, units);
      if (same) continue;
      // Any result is admissible (decision X-1).
      if (IsComplex(type) && root.opcode() == Opcode::kDivide && !IsFinite(type, operands[1][i])) {
        continue;
      }
      ++failures;
      std::string shown;
      for (size_t k = 0; k < operands.size(); ++k) {
        absl::StrAppend(&shown, " ", Text(types_[k], operands[k][i]));
      }
      ADD_FAILURE() << root.Describe() << shown << ": expected " << Text(type, expected) << ", not "
                    << Text(type, actual);
    }
  }

 private:
  std::vector<ElementType> types_;
  std::unique_ptr<Module> module_;
};

int64_t Units(const OpInfo& info, ElementType type) {
  if (IsComplex(type))
    return info.accuracy == Accuracy::kExact && info.opcode != Opcode::kSign ? 0 : 8;
  if (info.accuracy != Accuracy::kFunction || IsInteger(type) || info.opcode == Opcode::kSqrt)
    return 0;
  return Info(type).bits < 32 ? 1 : 2;
}

class EveryType : public ::testing::TestWithParam<ElementType> {};

TEST_P(EveryType, PlainOperations) {
  const ElementType type = GetParam();
  for (const OpInfo& info : Catalogue()) {
    const bool special = info.opcode == Opcode::kCompare || info.opcode == Opcode::kConvert ||
                         info.opcode == Opcode::kReducePrecision ||
                         info.opcode == Opcode::kStochasticConvert ||
                         info.opcode == Opcode::kSelect;
    if (!info.elementwise() || special || !info.types.Contains(type)) continue;
    // Of huge angles, and near the cuts where one part is lost beside the other, these two promise
    // nothing (docs/cpu_accuracy.md).
    const bool ordinary =
        IsComplex(type) && (info.opcode == Opcode::kPower || info.opcode == Opcode::kAtan2);
    const ElementType result = evaluator::ScalarResultType(info.opcode, type);
    if (!evaluator::FindScalarFunction({info.opcode, type, result})) continue;
    const std::string call =
        absl::StrCat(std::string(info.name), info.arity == 1   ? "(p0)"
                                             : info.arity == 2 ? "(p0, p1)"
                                                               : "(p0, p1, p2)");
    Case(std::string(Name(result)), call, std::vector<ElementType>(info.arity, type))
        .Check(SampleTuples(type, info.arity, ordinary), Units(info, type));
  }
}

// y / x is zero, or imaginary, beside an x that is not real.
TEST(BlockFunction, AnglesOnTheAxis) {
  for (const ElementType type : {ElementType::kC64, ElementType::kC128}) {
    const ElementType part = Info(type).component;
    const auto at = [&](double re, double im) {
      return Element{.bits = EncodeFloat(part, re), .imag = EncodeFloat(part, im)};
    };
    std::vector<Element> y, x;
    for (const double re : {-9.5, 9.5}) {
      for (const double im : {-30.5, 30.5}) {
        for (const auto& [y_re, y_im] : {std::pair{0.0, 0.0},
                                         {0.0, -0.0},
                                         {-0.0, 0.0},
                                         {-0.0, -0.0},
                                         {-30.5, 9.5},
                                         {30.5, 9.5},
                                         {-30.5, -9.5},
                                         {30.5, -9.5}}) {
          for (const double scale : {0x1p-30, 0.5}) {
            x.push_back(at(re, im));
            y.push_back(at(y_re * scale, y_im * scale));
          }
        }
      }
    }
    Case(std::string(Name(type)), "atan2(p0, p1)", {type, type}).Check({y, x}, 1);
  }
}

// The real part of y / x has a denormal for a factor: its sign, which decides between pi and -pi,
// is that of the parts themselves.
TEST(BlockFunction, AnglesBesideTheAxisByDenormals) {
  for (const ElementType type : {ElementType::kC64, ElementType::kC128}) {
    const ElementType part = Info(type).component;
    const auto at = [&](uint64_t re, double im, bool negative) {
      const uint64_t sign = uint64_t{negative} << (Info(part).bits - 1);
      return Element{.bits = re | sign, .imag = EncodeFloat(part, im)};
    };
    std::vector<Element> y, x;
    for (const uint64_t re : {uint64_t{1}, uint64_t{77777}, EncodeFloat(part, 0.5)}) {
      for (const double im : {-4.0, 4.0, -2.25, 2.25, -30.5, 30.5}) {
        for (int signs = 0; signs < 8; ++signs) {
          x.push_back(at(1, im, (signs & 1) != 0));
          y.push_back(at(re, (signs & 4) != 0 ? -0.0 : 0.0, (signs & 2) != 0));
        }
      }
    }
    Case(std::string(Name(type)), "atan2(p0, p1)", {type, type}).Check({y, x}, 1);
  }
}

TEST_P(EveryType, Comparisons) {
  const ElementType type = GetParam();
  for (const std::string direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
    if (IsComplex(type) && direction != "EQ" && direction != "NE") continue;
    const std::string call = absl::StrCat("compare(p0, p1), direction=", direction);
    Case("pred", call, {type, type}).Check(SampleTuples(type, 2), 0);
    if (!IsFloat(type)) continue;
    Case("pred", absl::StrCat(call, ", type=TOTALORDER"), {type, type})
        .Check(SampleTuples(type, 2), 0);
  }
}

TEST_P(EveryType, ConversionsToEveryType) {
  const ElementType type = GetParam();
  for (const ElementType to : kArrayTypes) {
    if (IsComplex(type) && !IsComplex(to)) continue;
    Case(std::string(Name(to)), "convert(p0)", {type}).Check(SampleTuples(type, 1), 0);
  }
}

TEST_P(EveryType, Moves) {
  const ElementType type = GetParam();
  std::vector<std::vector<Element>> operands = SampleTuples(type, 2);
  operands.insert(operands.begin(), std::vector<Element>(operands[0].size()));
  for (size_t i = 0; i < operands[0].size(); i += 3) operands[0][i].bits = 1;
  Case(std::string(Name(type)), "select(p0, p1, p2)", {ElementType::kPred, type, type})
      .Check(operands, 0);
  Case(std::string(Name(type)), "copy(p0)", {type}).Check(SampleTuples(type, 1), 0);
  for (const ElementType to : kArrayTypes) {
    if (Info(to).bits != Info(type).bits || IsComplex(to) != IsComplex(type)) continue;
    if (IsPred(to) || IsPred(type)) continue;
    Case(std::string(Name(to)), "bitcast-convert(p0)", {type}).Check(SampleTuples(type, 1), 0);
  }
}

TEST_P(EveryType, ReducesPrecision) {
  const ElementType type = GetParam();
  if (!IsFloat(type)) return;
  for (const int exponent_bits : {1, 2, 3, 4, 5, 8, 11}) {
    for (const int mantissa_bits : {0, 1, 2, 3, 7, 10, 23, 52}) {
      Case(std::string(Name(type)),
           absl::StrCat("reduce-precision(p0), exponent_bits=", exponent_bits,
                        ", mantissa_bits=", mantissa_bits),
           {type})
          .Check(SampleTuples(type, 1), 0);
    }
  }
}

TEST_P(EveryType, StochasticConversions) {
  const ElementType type = GetParam();
  if (!IsFloat(type)) return;
  for (const ElementType random : {ElementType::kU4, ElementType::kU8, ElementType::kU16,
                                   ElementType::kU32, ElementType::kU64}) {
    if (Info(random).bits != Info(type).bits) continue;
    for (const ElementType to : kArrayTypes) {
      if (!IsSigned(to)) continue;
      std::vector<std::vector<Element>> operands = SampleTuples(type, 2);
      operands[1] = SampleTuples(random, 2)[1];
      const size_t n = std::min(operands[0].size(), operands[1].size());
      operands[0].resize(n);
      operands[1].resize(n);
      Case(std::string(Name(to)), "stochastic-convert(p0, p1)", {type, random}).Check(operands, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType, ::testing::ValuesIn(kArrayTypes),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace assay::cpu
