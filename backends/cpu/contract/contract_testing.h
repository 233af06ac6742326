// Instructions alone, and the model against which contractions are held: it forms every sum element
// by element in integers of 128 bits or in long double, whose results may differ by the rounding of
// the sums.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_CONTRACT_TESTING_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_CONTRACT_TESTING_H_

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/contract/contract.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::cpu::contract_testing {

using runtime::ArrayRef;
using runtime::Context;
using runtime::MutableArrayRef;

inline Literal Value(const std::string& text) {
  absl::StatusOr<Literal> value = ParseTypedLiteral(text);
  EXPECT_TRUE(value.ok()) << value.status() << " in " << text;
  return std::move(value).value_or(Literal());
}

// An instruction alone, on parameters of these shapes.
inline std::unique_ptr<Module> One(const std::vector<std::string>& shapes,
                                   const std::string& result, const std::string& opcode,
                                   const std::string& attributes) {
  std::string text = "HloModule m\nENTRY e {\n", names;
  for (size_t i = 0; i < shapes.size(); ++i) {
    absl::StrAppend(&text, "  p", i, " = ", shapes[i], " parameter(", i, ")\n");
    absl::StrAppend(&names, i == 0 ? "" : ", ", "p", i);
  }
  absl::StrAppend(&text, "  ROOT r = ", result, " ", opcode, "(", names, ")", attributes, "\n}\n");
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : nullptr;
}

inline const Instruction& RootOf(const Module& module) { return *module.entry()->root(); }

inline absl::StatusOr<Literal> Compute(const Instruction& op, const std::vector<Literal>& operands,
                                       Context& context) {
  runtime::KernelOr kernel =
      op.opcode() == Opcode::kConvolution ? PrepareConvolution(op) : PrepareDot(op);
  if (!kernel.ok()) return kernel.status();
  Literal result = Literal::Zeros(op.shape());
  std::memset(result.mutable_data(), 0xee, result.byte_size());
  std::vector<ArrayRef> arrays;
  for (const Literal& operand : operands) arrays.push_back({&operand.shape(), operand.data()});
  const MutableArrayRef to = {&op.shape(), result.mutable_data()};
  absl::Status status = (*kernel)->Execute(arrays, absl::MakeConstSpan(&to, 1), context);
  if (!status.ok()) return status;
  return result;
}
inline absl::StatusOr<Literal> Compute(const Instruction& op,
                                       const std::vector<Literal>& operands) {
  Context context;
  return Compute(op, operands, context);
}

// Numbers of the model.
struct Exact {
  __int128 integer = 0;
  long double re = 0, im = 0;
};
inline Exact Read(ElementType type, Element element) {
  if (IsFloat(type)) return {0, DecodeFloat(type, element.bits), 0};
  if (IsComplex(type)) {
    const ElementType part = Info(type).component;
    return {0, DecodeFloat(part, element.bits), DecodeFloat(part, element.imag)};
  }
  if (IsSigned(type)) return {DecodeSigned(type, element.bits), 0, 0};
  return {static_cast<__int128>(DecodeUnsigned(type, element.bits)), 0, 0};
}

// A sum of products and what it may be in a result.
struct ModelSum {
  Exact sum;
  long double magnitudes = 0;
  int64_t products = 0;
  void Add(const Exact& a, const Exact& b) {
    sum.integer += static_cast<__int128>(static_cast<unsigned __int128>(a.integer) *
                                         static_cast<unsigned __int128>(b.integer));
    sum.re += a.re * b.re - a.im * b.im;
    sum.im += a.re * b.im + a.im * b.re;
    magnitudes += (std::fabs(a.re) + std::fabs(a.im)) * (std::fabs(b.re) + std::fabs(b.im));
    ++products;
  }
  // `bits`: precision of the arithmetic.
  void Expect(ElementType type, Element actual, int bits, const std::string& where) const {
    if (IsPred(type)) {
      EXPECT_EQ(actual.bits, sum.integer != 0) << where;
    } else if (IsInteger(type)) {
      EXPECT_EQ(actual.bits, EncodeInteger(type, static_cast<uint64_t>(sum.integer))) << where;
    } else {
      const ElementType part = Info(type).component;
      const long double own = std::ldexp(1.0L, -Info(part).format->precision());
      const long double bound =
          static_cast<long double>(products + 3) * std::ldexp(magnitudes, -bits) * 2 +
          std::ldexp(1.0L, -140);
      const Exact got = Read(type, actual);
      EXPECT_LE(std::fabs(got.re - sum.re), bound + own * std::fabs(sum.re)) << where;
      EXPECT_LE(std::fabs(got.im - sum.im), bound + own * std::fabs(sum.im)) << where;
    }
  }
};

inline int ArithmeticBits(const Instruction& op) {
  for (const Shape* shape : {&op.operand(0)->shape(), &op.operand(1)->shape(), &op.shape()}) {
    if (Info(shape->element_type()).component == ElementType::kF64) return 53;
  }
  return 24;
}

// Small numbers, so that the narrowest types hold sums of some of them.
inline Literal Random(const Shape& shape, std::mt19937_64& random) {
  Literal literal = Literal::Zeros(shape);
  const ElementType type = shape.element_type();
  auto element = [&]() -> uint64_t {
    const ElementType part = Info(type).component;
    if (!IsFloat(part)) return EncodeInteger(type, random());
    const double value = std::ldexp(static_cast<double>(random() % 4001) - 2000, -11);
    return EncodeFloat(part, Info(part).format->has_sign ? value : std::fabs(value) + 0.01);
  };
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    literal.Set(i, {element(), IsComplex(type) ? element() : 0});
  }
  return literal;
}

}  // namespace assay::cpu::contract_testing

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_CONTRACT_TESTING_H_
