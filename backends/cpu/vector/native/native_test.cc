// The second tier against the kernels, which block_program_test.cc and the suite hold against the
// evaluator: random computations of every operation that it has, on values with NaNs, infinities,
// zeros of both signs and limits of integers, must give the same bits, NaNs for NaNs.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "backends/cpu/vector/block_program.h"
#include "backends/cpu/vector/native/native_program.h"
#include "backends/cpu/vector/tier.h"
#include "gtest/gtest.h"
#include "runtime/float_environment.h"
#include "spec/analysis/flat_region.h"
#include "spec/text/parser.h"

namespace assay::cpu {
namespace {

using Random = std::mt19937_64;
using Data = std::vector<std::vector<std::byte>>;

constexpr const char* kTypes[] = {"f32", "s32", "u32", "pred", "f64", "s64", "u64", "u8"};

// Random computations of the second tier's operations.
class Writer {
 public:
  // `types`: how many of kTypes may occur.
  Writer(Random& random, int types) : random_(random), types_(types) {}

  std::string Write(int parameters, int instructions) {
    for (int k = 0; k < parameters; ++k) {
      const std::string type = kTypes[k < types_ ? k : random_() % types_];
      Add(type, absl::StrCat("parameter(", k, ")"));
    }
    for (int i = 0; i < instructions; ++i) AddInstruction();
    std::vector<std::string> names, types;
    for (int k = 0; k < 4; ++k) {
      const size_t at = k == 0 ? values_.size() - 1 : random_() % values_.size();
      names.push_back(absl::StrCat("v", at));
      types.push_back(values_[at] + "[]");
    }
    return absl::StrCat("HloModule m\nENTRY e {\n", text_, "  ROOT r = (",
                        absl::StrJoin(types, ", "), ") tuple(", absl::StrJoin(names, ", "),
                        ")\n}\n");
  }

 private:
  void Add(const std::string& type, const std::string& call) {
    absl::StrAppend(&text_, "  v", values_.size(), " = ", type, "[] ", call, "\n");
    values_.push_back(type);
  }
  // A value of the type, computed for the purpose where there is none.
  std::string Operand(const std::string& type) {
    std::vector<size_t> fitting;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] == type) fitting.push_back(i);
    }
    if (fitting.empty() || random_() % 8 == 0) {
      Add(type, type == "pred" ? "constant(true)" : absl::StrCat("constant(", random_() % 5, ")"));
      fitting.push_back(values_.size() - 1);
    }
    // Late ones more often.
    const size_t back = std::min(random_() % fitting.size(), random_() % fitting.size());
    return absl::StrCat("v", fitting[fitting.size() - 1 - back]);
  }
  std::string Chosen(std::initializer_list<const char*> names) {
    return *(names.begin() + random_() % names.size());
  }

  void AddInstruction() {
    const std::string type = kTypes[random_() % types_];
    const bool is_float = type[0] == 'f', is_pred = type == "pred", is_byte = type == "u8";
    switch (random_() % 8) {
      case 0: {
        const std::string other = kTypes[random_() % types_];
        if (Converts(other, type)) return Add(type, absl::StrCat("convert(", Operand(other), ")"));
        break;
      }
      case 1: {
        const std::string which = Operand("pred"), x = Operand(type), y = Operand(type);
        return Add(type, absl::StrCat("select(", which, ", ", x, ", ", y, ")"));
      }
      case 2: {
        if (is_pred || is_byte) break;
        const std::string x = Operand(type), y = Operand(type);
        return Add("pred", absl::StrCat("compare(", x, ", ", y, "), direction=",
                                        Chosen({"EQ", "NE", "GE", "GT", "LE", "LT"})));
      }
      case 3: {
        if (is_pred || is_byte) break;
        const std::string x = Operand(type), y = Operand(type), z = Operand(type);
        return Add(type, absl::StrCat("clamp(", x, ", ", y, ", ", z, ")"));
      }
      case 4:
        if (is_pred || is_byte) return Add(type, absl::StrCat("not(", Operand(type), ")"));
        if (is_float) {
          return Add(type, absl::StrCat(Chosen({"abs", "negate", "sign", "ceil", "floor",
                                                "round-nearest-even", "sqrt"}),
                                        "(", Operand(type), ")"));
        }
        return Add(type, absl::StrCat(Chosen({"negate", "not"}), "(", Operand(type), ")"));
      default:
        break;
    }
    const std::string x = Operand(type), y = Operand(type);
    const std::string name =
        is_pred || is_byte ? Chosen({"and", "or", "xor"})
        : is_float         ? Chosen({"add", "subtract", "multiply", "divide", "maximum", "minimum"})
                   : Chosen({"add", "subtract", "multiply", "maximum", "minimum", "and", "or",
                             "xor", "shift-left", "shift-right-logical", "shift-right-arithmetic"});
    Add(type, absl::StrCat(name, "(", x, ", ", y, ")"));
  }

  static bool Converts(const std::string& from, const std::string& to) {
    if (from == to || to == "u8") return false;
    if (to == "pred") return from != "u8";
    return true;
  }

  Random& random_;
  const int types_;
  std::string text_;
  std::vector<std::string> values_;
};

// Elements among which the special ones are many.
std::vector<std::byte> Elements(ElementType type, int64_t n, Random& random) {
  std::vector<std::byte> data(n * Info(type).storage_bytes);
  for (int64_t i = 0; i < n; ++i) {
    uint64_t bits = random();
    if (IsFloat(type)) {
      constexpr double kSpecial[] = {0.0,  -0.0, 1.0,  -1.0,   0.5,
                                     -2.5, 3e9,  -3e9, 1e-310, 2147483648.0};
      const uint64_t kind = random() % 16;
      const double infinity = std::numeric_limits<double>::infinity();
      const double value = kind < 10    ? kSpecial[kind]
                           : kind < 12  ? (kind == 10 ? infinity : -infinity)
                           : kind == 12 ? std::numeric_limits<double>::quiet_NaN()
                                        : (static_cast<double>(random() % 2000000) - 1e6) / 1024;
      bits = EncodeFloat(type, value);
    } else if (random() % 3 == 0) {
      bits = random() % 4 == 0 ? uint64_t{1} << 63 | uint64_t{1} << 31 : random() % 40;
    }
    StoreElement(type, {.bits = IsPred(type) ? bits & 1 : bits}, data.data(), i);
  }
  return data;
}

std::unique_ptr<BlockProgram> Program(const Computation& computation, Tier tier) {
  ChooseTier(tier);
  auto program = BlockProgram::Create(computation);
  ChooseTier(Tier::kAuto);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : nullptr;
}

Data Run(const BlockProgram& program, const analysis::FlatRegion& region, const Data& inputs,
         int64_t n) {
  Data outputs;
  std::vector<std::byte*> results;
  for (const ElementType type : region.result_types) {
    outputs.emplace_back(n * Info(type).storage_bytes, std::byte{0x5a});
  }
  for (auto& output : outputs) results.push_back(output.data());
  std::vector<const std::byte*> operands;
  for (const auto& input : inputs) operands.push_back(input.data());
  const auto scratch = std::make_unique<std::byte[]>(program.scratch_bytes() + 64);
  const auto address = reinterpret_cast<uintptr_t>(scratch.get());
  program.Run(operands, results, n, scratch.get() + (64 - address % 64) % 64);
  return outputs;
}

// With one NaN for all: which of two NaNs an operation passes on is the compiler's choice for the
// kernels.
Data WithOneNan(Data data, absl::Span<const ElementType> types) {
  for (size_t k = 0; k < data.size(); ++k) {
    const ElementType type = types[k];
    if (!IsFloat(type)) continue;
    const uint64_t nan = EncodeFloat(type, std::numeric_limits<double>::quiet_NaN());
    const int64_t n = static_cast<int64_t>(data[k].size()) / Info(type).storage_bytes;
    for (int64_t i = 0; i < n; ++i) {
      if (!std::isnan(DecodeFloat(type, LoadElement(type, data[k].data(), i).bits))) continue;
      StoreElement(type, {.bits = nan}, data[k].data(), i);
    }
  }
  return data;
}

// Returns the number of steps that were compiled.
int64_t Check(const std::string& text, Random& random) {
  const auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  if (!module.ok()) return 0;
  const Computation& computation = *(*module)->entry();
  const auto region = *analysis::FlattenRegion(computation);
  const auto blocks = Program(computation, Tier::kBlocks);
  const auto native = Program(computation, Tier::kNative);
  if (blocks == nullptr || native == nullptr) return 0;
  const runtime::FloatEnvironmentGuard guard;
  for (const int64_t n : {1, 15, 16, 53, 1300}) {
    Data inputs;
    for (const ElementType type : region.parameter_types) {
      inputs.push_back(Elements(type, n, random));
    }
    EXPECT_EQ(WithOneNan(Run(*blocks, region, inputs, n), region.result_types),
              WithOneNan(Run(*native, region, inputs, n), region.result_types))
        << n << " elements\n"
        << text;
  }
  int64_t steps = 0;
  if (native->native() == nullptr) return 0;
  for (const NativeProgram::Run& run : native->native()->runs()) {
    if (run.compiled != nullptr) steps += run.end - run.first;
  }
  return steps;
}

TEST(NativeTest, RandomComputationsGiveTheBitsOfTheKernels) {
  Random random(1);
  int64_t compiled = 0, all = 0;
  for (int i = 0; i < 600 && !HasFailure(); ++i) {
    const int types = i % 3 == 0 ? 4 : i % 3 == 1 ? 7 : 8;
    const int instructions = 3 + static_cast<int>(random() % (i % 10 == 0 ? 120 : 20));
    compiled += Check(Writer(random, types).Write(types, instructions), random);
    all += instructions;
  }
  if (NativeCodeRuns()) {
    EXPECT_GT(compiled, all / 3);
  }
}

TEST(NativeTest, BlocksAreCompiledAfterEnoughWork) {
  const auto module = ParseModule(R"(HloModule m
ENTRY e {
  a = f32[] parameter(0)
  b = f32[] add(a, a)
  ROOT r = f32[] multiply(b, a)
})");
  const auto program = Program(*(*module)->entry(), Tier::kAuto);
  ASSERT_NE(program, nullptr);
  if (!NativeCodeRuns()) return;
  ASSERT_NE(program->native(), nullptr);
  EXPECT_FALSE(program->native()->Ready(10));
  EXPECT_EQ(program->native()->runs()[0].compiled, nullptr);
  EXPECT_TRUE(program->native()->Ready(1 << 20));
  EXPECT_NE(program->native()->runs()[0].compiled, nullptr);
  EXPECT_EQ(Program(*(*module)->entry(), Tier::kBlocks)->native(), nullptr);
}

}  // namespace
}  // namespace assay::cpu
