// For tests: an instruction given as text runs as kernel and by its definition on random operands
// of several kinds, also in the storage that an operand may lend; every bit must agree.
#ifndef ASSAY_EVALUATOR_KERNELS_DIFFERENTIAL_H_
#define ASSAY_EVALUATOR_KERNELS_DIFFERENTIAL_H_

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <typeinfo>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/evaluator.h"
#include "evaluator/ops/testing.h"
#include "gtest/gtest.h"
#include "runtime/float_environment.h"
#include "spec/element/element.h"
#include "spec/ir/literal.h"
#include "spec/ops/shape_inference.h"
#include "spec/text/parser.h"

namespace assay::evaluator {

// What the elements of an operand are drawn from.
enum class Profile {
  kBits,    // any pattern: NaN, infinities, subnormals, both zeros among them
  kSmall,   // whole numbers from -4 to 4 (unsigned: 0 to 4)
  kCancel,  // floats of a few far apart magnitudes and both signs, so that sums cancel
};
inline constexpr Profile kProfiles[] = {Profile::kBits, Profile::kSmall, Profile::kCancel};

class Differential {
 public:
  // `instruction` is what follows "ROOT r = "; it names its operands p0, p1, ...; `computations`
  // stand before the entry. Operands that `indices` marks are whole numbers from -3 to 9 in any
  // profile.
  struct Case {
    std::string instruction;
    std::vector<std::string> parameters;  // shapes
    std::string computations;
    std::vector<bool> indices;
  };

  void Check(const Case& c,
             std::vector<Profile> profiles = {Profile::kBits, Profile::kSmall, Profile::kCancel}) {
    CheckAll(c, profiles.size(), [&](const Instruction& root, size_t round) {
      std::vector<Literal> operands;
      for (size_t i = 0; i < c.parameters.size(); ++i) {
        const bool index = i < c.indices.size() && c.indices[i];
        operands.push_back(Random(root.operand(i)->shape(), profiles[round], index));
      }
      return operands;
    });
  }
  // On operands of the caller's choice. Returns what both gave.
  std::vector<Literal> CheckOn(const Case& c, const std::vector<Literal>& operands) {
    CheckAll(c, 1, [&](const Instruction&, size_t) { return operands; });
    return last_;
  }
  int64_t cases() const { return cases_; }
  // Cases for which there is no kernel but the definition.
  int64_t fallbacks() const { return fallbacks_; }

  // Elements of one kind.
  Literal Random(const Shape& shape, Profile profile, bool index = false) {
    Literal literal = Literal::Zeros(shape);
    const ElementType type = shape.element_type();
    const ElementType part = Info(type).component;
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      if (index) {
        literal.Set(i, {EncodeInteger(type, random_() % 13 - 3)});
        continue;
      }
      Element element = {RandomPart(part, profile), 0};
      if (IsComplex(type)) element.imag = RandomPart(part, profile);
      literal.Set(i, element);
    }
    return literal;
  }

  // The leaves of the result. `lent` >= 0: leaf 0 lies in the storage of a copy of that operand.
  static std::vector<Literal> Run(const Shape& shape, const Kernel& kernel,
                                  const std::vector<Literal>& operands, int lent = -1) {
    std::vector<Literal> results;
    for (const Shape* leaf : Leaves(shape)) {
      results.push_back(Literal::Zeros(*leaf));
      std::memset(results.back().mutable_data(), 0x5A, results.back().byte_size());
    }
    std::vector<ArrayRef> inputs;
    for (const Literal& operand : operands) inputs.push_back({&operand.shape(), operand.data()});
    if (lent >= 0 && results[0].byte_size() > 0) {
      std::memcpy(results[0].mutable_data(), operands[lent].data(), results[0].byte_size());
      inputs[lent].data = results[0].data();
    }
    std::vector<MutableArrayRef> outputs;
    for (Literal& result : results) outputs.push_back({&result.shape(), result.mutable_data()});
    EvaluationContext context;
    const PrepareFunction prepare = PrepareStraight;
    StraightCaller caller(prepare, context);
    context.caller = &caller;
    const runtime::FloatEnvironmentGuard guard;
    const absl::Status status = kernel.Run(inputs, outputs, context);
    EXPECT_TRUE(status.ok()) << status;
    return results;
  }

  static void ExpectSame(const std::vector<Literal>& got, const std::vector<Literal>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t leaf = 0; leaf < got.size(); ++leaf) {
      if (Literal::BitEqual(got[leaf], want[leaf])) continue;
      for (int64_t i = 0; i < got[leaf].element_count(); ++i) {
        const Element a = got[leaf].Get(i), b = want[leaf].Get(i);
        ASSERT_TRUE(a == b) << "leaf " << leaf << " element " << i << std::hex << ": kernel "
                            << a.bits << ":" << a.imag << ", definition " << b.bits << ":"
                            << b.imag;
      }
      FAIL() << "surplus bits of leaf " << leaf << " differ";
    }
  }

 private:
  template <typename MakeOperands>
  void CheckAll(const Case& c, size_t rounds, MakeOperands make_operands) {
    std::string text = absl::StrCat("HloModule m\n\n", c.computations, "\nENTRY e {\n");
    for (size_t i = 0; i < c.parameters.size(); ++i) {
      absl::StrAppend(&text, "  p", i, " = ", c.parameters[i], " parameter(", i, ")\n");
    }
    absl::StrAppend(&text, "  ROOT r = ", c.instruction, "\n}\n");
    SCOPED_TRACE(text);
    absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status();
    const Instruction& root = *(*module)->entry()->root();
    const absl::Status checked = CheckInstruction(root);
    ASSERT_TRUE(checked.ok()) << checked;
    absl::StatusOr<std::unique_ptr<Kernel>> kernel = PrepareKernel(root);
    absl::StatusOr<std::unique_ptr<Kernel>> straight = PrepareStraight(root);
    ASSERT_TRUE(straight.ok()) << straight.status();
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    const Kernel& kernel_used = **kernel;
    const Kernel& definition = **straight;
    if (typeid(kernel_used) == typeid(definition)) ++fallbacks_;
    for (size_t round = 0; round < rounds; ++round) {
      const std::vector<Literal> operands = make_operands(root, round);
      const std::vector<Literal> want = Run(root.shape(), **straight, operands);
      ExpectSame(Run(root.shape(), **kernel, operands), want);
      const int lent = (*kernel)->in_place_operand();
      if (lent >= 0 && root.shape().is_array() &&
          operands[lent].byte_size() == want[0].byte_size()) {
        ExpectSame(Run(root.shape(), **kernel, operands, lent), want);
      }
      if (::testing::Test::HasFailure()) return;
      last_ = want;
    }
    ++cases_;
  }

  uint64_t RandomPart(ElementType type, Profile profile) {
    const int64_t whole = static_cast<int64_t>(random_() % 9) - 4;
    if (!IsFloat(type)) {
      if (profile == Profile::kSmall) {
        return EncodeInteger(type, static_cast<uint64_t>(IsSigned(type) ? whole : whole & 3));
      }
      return EncodeInteger(type, random_());
    }
    if (profile == Profile::kSmall) return EncodeFloat(type, static_cast<double>(whole));
    if (profile == Profile::kCancel) {
      static constexpr double kScales[] = {1, 3, 0x1p-9, 0x1p12, 0x1p40, 0x1p-60, 1.7};
      const double magnitude = kScales[random_() % 7];
      return EncodeFloat(type, random_() % 2 == 0 ? magnitude : -magnitude);
    }
    uint64_t bits = random_() & (~uint64_t{0} >> (64 - Info(type).bits));
    // Special patterns are rare among the wide ones.
    if (Info(type).bits > 16) {
      switch (random_() % 16) {
        case 0:
          return Infinity(type, bits % 2 == 0);
        case 1:
          return EncodeFloat(type, bits % 2 == 0 ? 0.0 : -0.0);
        case 2:
          return MinPositive(type);
        case 3:
          return CanonicalNan(type) | (bits & 0xff);
        default:
          break;
      }
    }
    return bits;
  }

  std::mt19937_64 random_{20240607};
  std::vector<Literal> last_;
  int64_t cases_ = 0;
  int64_t fallbacks_ = 0;
};

// "f32[2,3]".
inline std::string ShapeText(ElementType type, const std::string& sizes) {
  return absl::StrCat(std::string(Name(type)), "[", sizes, "]");
}

// A computation of two scalars of one type: "op(a, b)".
inline std::string BinaryComputation(const std::string& name, ElementType type,
                                     const std::string& op) {
  const std::string t = ShapeText(type, "");
  return absl::StrCat(name, " {\n  a = ", t, " parameter(0)\n  b = ", t,
                      " parameter(1)\n  ROOT c = ", t, " ", op, "\n}\n");
}

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_KERNELS_DIFFERENTIAL_H_
