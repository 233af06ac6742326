// Block programs against the golden definitions of their steps, one element at a time: the
// computations here are of operations that are rounded correctly, so that every bit must agree.
#include "backends/cpu/vector/block_program.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/vector/program_builder.h"
#include "evaluator/scalar/scalar_ops.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/float_environment.h"
#include "spec/analysis/flat_region.h"
#include "spec/text/parser.h"

namespace assay::cpu {
namespace {

using ::testing::HasSubstr;

// Several operations, constants, values that are read again later, and more of them alive than
// there are outputs.
constexpr const char* kChain = R"(ENTRY e {
  a = T[] parameter(0)
  b = T[] parameter(1)
  two = T[] constant(2)
  sum = T[] add(a, b)
  product = T[] multiply(sum, two)
  difference = T[] subtract(product, b)
  less = pred[] compare(a, difference), direction=LT
  larger = T[] maximum(a, difference)
  chosen = T[] select(less, larger, sum)
  again = T[] multiply(chosen, sum)
  ROOT r = T[] subtract(again, product)
})";
constexpr const char* kTwoOutputs = R"(ENTRY e {
  a = T[] parameter(0)
  b = T[] parameter(1)
  sum = T[] add(a, b)
  same = pred[] compare(sum, b), direction=EQ
  wide = f64[] convert(sum)
  ROOT r = (T[], pred[], f64[], T[], T[]) tuple(sum, same, wide, sum, a)
})";
constexpr const char* kConstantOutput = R"(ENTRY e {
  a = T[] parameter(0)
  b = T[] parameter(1)
  three = T[] constant(3)
  nine = T[] multiply(three, three)
  ROOT r = (T[], T[]) tuple(nine, b)
})";

class BlockProgramOf : public ::testing::TestWithParam<ElementType> {
 protected:
  void Check(std::string text, int64_t n) {
    for (size_t at; (at = text.find("T[]")) != std::string::npos;) {
      text.replace(at, 1, std::string(Name(GetParam())));
    }
    const auto module = ParseModule(absl::StrCat("HloModule m\n", text));
    ASSERT_TRUE(module.ok()) << module.status() << text;
    const Computation& computation = *(*module)->entry();
    const auto program = BlockProgram::Create(computation);
    ASSERT_TRUE(program.ok()) << program.status();
    const auto region = *analysis::FlattenRegion(computation);
    std::mt19937_64 random(n);
    std::vector<std::vector<std::byte>> inputs, outputs;
    for (const ElementType type : region.parameter_types) {
      inputs.push_back(Random(type, n, random));
    }
    std::vector<std::byte*> results;
    for (const ElementType type : region.result_types) {
      outputs.emplace_back(n * Info(type).storage_bytes + 1);
    }
    for (auto& output : outputs) results.push_back(output.data() + 1);
    std::vector<const std::byte*> operands;
    for (const auto& input : inputs) operands.push_back(input.data());
    const auto scratch = std::make_unique<std::byte[]>((*program)->scratch_bytes() + 64);
    const auto address = reinterpret_cast<uintptr_t>(scratch.get());
    std::byte* aligned = scratch.get() + (64 - address % 64) % 64;
    const runtime::FloatEnvironmentGuard guard;
    (*program)->Run(operands, absl::MakeSpan(results), n, aligned);
    for (int64_t i = 0; i < n; ++i) {
      const std::vector<Element> expected = Golden(region, operands, i);
      for (size_t j = 0; j < expected.size(); ++j) {
        const ElementType type = region.result_types[j];
        const Element actual = LoadElement(type, results[j], i);
        const bool nan = IsFloat(type) && IsNan(type, actual.bits) && IsNan(type, expected[j].bits);
        ASSERT_TRUE(nan || actual == expected[j]) << "output " << j << ", element " << i;
      }
    }
    // Over the first input.
    if (results.size() > 1) return;
    (*program)->Run(operands, absl::MakeSpan(results), n, aligned);
    std::byte* over = inputs[0].data();
    (*program)->Run(operands, {&over, 1}, n, aligned);
    EXPECT_TRUE(std::equal(inputs[0].begin(), inputs[0].end(), results[0]));
  }

 private:
  static std::vector<std::byte> Random(ElementType type, int64_t n, std::mt19937_64& random) {
    std::vector<std::byte> data(n * Info(type).storage_bytes);
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t mask =
          Info(type).bits == 64 ? ~uint64_t{0} : (uint64_t{1} << Info(type).bits) - 1;
      Element x = {.bits = random() & mask};
      if (IsFloat(type) && random() % 2 == 0) {
        x.bits = EncodeFloat(type, static_cast<double>(random() % 4001) / 16 - 125);
      }
      StoreElement(type, x, data.data(), i);
    }
    return data;
  }

  static std::vector<Element> Golden(const analysis::FlatRegion& region,
                                     const std::vector<const std::byte*>& inputs, int64_t i) {
    std::vector<Element> registers(region.register_count);
    for (size_t k = 0; k < inputs.size(); ++k) {
      registers[k] = LoadElement(region.parameter_types[k], inputs[k], i);
    }
    for (const auto& [number, element] : region.constants) registers[number] = element;
    for (const analysis::FlatRegion::Step& step : region.steps) {
      const evaluator::ScalarFunction f = *evaluator::PrepareScalarFunction(*step.instruction);
      const auto& o = step.operands;
      registers[step.result] = f.arity == 1 ? f(registers[o[0]])
                               : f.arity == 2
                                   ? f(registers[o[0]], registers[o[1]])
                                   : f(registers[o[0]], registers[o[1]], registers[o[2]]);
    }
    std::vector<Element> results;
    for (const int32_t result : region.results) results.push_back(registers[result]);
    return results;
  }
};

TEST_P(BlockProgramOf, ChainsOfOperations) {
  for (const int64_t n : {0, 1, 7, 1023, 1024, 1025, 3000}) Check(kChain, n);
}
TEST_P(BlockProgramOf, SeveralOutputs) {
  for (const int64_t n : {1, 1500}) Check(kTwoOutputs, n);
}
TEST_P(BlockProgramOf, OutputsThatAreNotComputed) {
  for (const int64_t n : {1, 1500}) Check(kConstantOutput, n);
}

INSTANTIATE_TEST_SUITE_P(Types, BlockProgramOf,
                         ::testing::Values(ElementType::kS4, ElementType::kS8, ElementType::kU16,
                                           ElementType::kS32, ElementType::kU64,
                                           ElementType::kF8E4M3FNUZ, ElementType::kF8E8M0FNU,
                                           ElementType::kBF16, ElementType::kF16, ElementType::kF32,
                                           ElementType::kF64),
                         [](const auto& info) { return std::string(Name(info.param)); });

// One element that stands for all, in two parts: Start, and Continue piece by piece.
TEST(BlockProgram, UniformInputsAndPieces) {
  const auto module = *ParseModule(R"(HloModule m
ENTRY e {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] subtract(a, b)
})");
  ProgramBuilder builder(BestKernels());
  const auto a = builder.AddInput(ElementType::kF32);
  const auto b = builder.AddInput(ElementType::kF32, true);
  builder.AddOutput(*builder.AddInstruction(*module->entry()->root(), {a, b}));
  const std::unique_ptr<BlockProgram> program = builder.Build();
  std::vector<float> x(2500), r(2500);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const float half = 0.5f;
  const auto scratch = std::make_unique<std::byte[]>(program->scratch_bytes() + 64);
  std::byte* aligned = scratch.get() + (64 - reinterpret_cast<uintptr_t>(scratch.get()) % 64) % 64;
  const std::byte* inputs[] = {nullptr, reinterpret_cast<const std::byte*>(&half)};
  program->Start(inputs, 2500, aligned);
  for (const auto& [first, n] : {std::pair<int64_t, int64_t>{0, 1}, {1, 1499}, {1500, 1000}}) {
    inputs[0] = reinterpret_cast<const std::byte*>(x.data() + first);
    auto* out = reinterpret_cast<std::byte*>(r.data() + first);
    program->Continue(inputs, {&out, 1}, n, aligned);
  }
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(r[i], static_cast<float>(i) - 0.5f);
}

TEST(BlockProgram, RefusesWhatIsNotElementwise) {
  const auto module = *ParseModule(R"(HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  ROOT r = f32[4] reverse(a), dimensions={0}
})");
  const auto program = BlockProgram::Create(*module->entry());
  EXPECT_EQ(program.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(program.status().message()), HasSubstr("not a scalar program"));
}

}  // namespace
}  // namespace assay::cpu
