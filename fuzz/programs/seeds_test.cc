// Parts of the samples in programs: valid, the same again, and nearly all that the samples have.
#include "fuzz/programs/seeds.h"

#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "fuzz/programs/decoder.h"
#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"
#include "spec/testing/schedule.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace {

constexpr const char* kSamples[] = {
    "scan_rnn",         "transformer_block",   "convnet_grad",        "sort_topk_argsort",
    "rng_threefry",     "fft_spectrum",        "cholesky_and_solve",  "int8_quantized_dot",
    "mlp_train_loop",   "associative_scan",    "image_resize_gather", "complex_newton",
    "collectives_4dev", "hlo_rare_operations", "f64_ode_rk4",         "case_switch_cond"};

Grammar WithSamples() {
  std::vector<std::unique_ptr<Module>> modules;
  for (const char* name : kSamples) {
    std::ifstream file(absl::StrCat(ASSAY_SOURCE_DIR, "/conformance/samples/", name, ".hlo"));
    std::stringstream text;
    text << file.rdbuf();
    absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text.str());
    EXPECT_TRUE(module.ok()) << name << ": " << module.status();
    if (module.ok()) modules.push_back(*std::move(module));
  }
  GrammarOptions options;
  options.seeds = std::make_shared<const SeedModules>(std::move(modules));
  absl::StatusOr<Grammar> grammar = Grammar::Create(options);
  EXPECT_TRUE(grammar.ok()) << grammar.status();
  return *std::move(grammar);
}

TEST(SeedsTest, ProgramsWithPartsOfSamplesAreValid) {
  const Grammar grammar = WithSamples(), again = WithSamples();
  EXPECT_EQ(grammar.seeds()->hash(), again.seeds()->hash());
  std::set<Opcode> wanted, written;
  for (const Instruction* root : grammar.seeds()->roots()) wanted.insert(root->opcode());
  EXPECT_GT(wanted.size(), 50u);
  EXPECT_TRUE(wanted.contains(Opcode::kWhile));
  EXPECT_FALSE(wanted.contains(Opcode::kAllReduce));
  for (int64_t i = 0; i < Scheduled(3000); ++i) {
    const std::vector<uint8_t> bytes = RandomBytes(3, i, 8);
    const FuzzProgram program = DecodeProgram(grammar, bytes);
    const Verification verification = VerifyModule(*program.module, {Rules::kStrict});
    ASSERT_TRUE(verification.ok())
        << "program " << i << ": " << VerificationStatus(verification) << "\n"
        << PrintModule(*program.module);
    ASSERT_EQ(program.refused, 0) << program.refusal;
    for (const auto& each : program.module->entry()->instructions()) written.insert(each->opcode());
    if (i % 8 != 0) continue;
    ASSERT_TRUE(MakeInputs(program).ok());
    ASSERT_EQ(PrintModule(*program.module), PrintModule(*DecodeProgram(again, bytes).module));
  }
  for (const Opcode opcode : wanted) EXPECT_TRUE(written.contains(opcode)) << Name(opcode);
}

// With one operation in the grammar, all others come out of the samples: whole subgraphs do.
TEST(SeedsTest, SubgraphsStayTogether) {
  GrammarOptions options;
  options.operations = {"popcnt"};
  std::vector<std::unique_ptr<Module>> modules;
  modules.push_back(*ParseModule(
      "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) "
      "}\n"
      "ENTRY e { x = f32[4,6] parameter(0) y = f32[4,6] tanh(x) z = f32[] constant(0)\n"
      " r = f32[4] reduce(y, z), dimensions={1}, to_apply=sum ROOT c = f32[4] cosine(r) }"));
  options.seeds = std::make_shared<const SeedModules>(std::move(modules));
  EXPECT_EQ(options.seeds->roots().size(), 3u);
  const absl::StatusOr<Grammar> grammar = Grammar::Create(options);
  ASSERT_TRUE(grammar.ok()) << grammar.status();
  int64_t whole = 0, changed = 0;
  for (int64_t i = 0; i < 300; ++i) {
    const FuzzProgram program = DecodeProgram(*grammar, RandomBytes(1, i, 3));
    for (const auto& each : program.module->entry()->instructions()) {
      if (each->opcode() != Opcode::kReduce) continue;
      ++(each->operand(0)->opcode() == Opcode::kTanh ? whole : changed);
      EXPECT_EQ(each->operand(1)->opcode(), Opcode::kConstant);
    }
  }
  EXPECT_GT(whole, 50);
  EXPECT_GT(changed, 10);
}

// The first operation of a case is the one whose page a report recommends.
TEST(CaseOfTest, TagsNameNoConstants) {
  const auto module = MustParse(
      "HloModule m\nENTRY e {\n k = s32[] constant(0)\n a = f32[2,2] parameter(0)\n"
      " i = s32[] parameter(1)\n"
      " ROOT r = f32[1,2] dynamic-slice(a, i, k), dynamic_slice_sizes={1,2}\n}\n");
  std::vector<DeviceInputs> inputs(1);
  for (const Shape& shape : {Shape(ElementType::kF32, {2, 2}), Shape(ElementType::kS32, {})}) {
    inputs[0].arguments.push_back(Literal::Zeros(shape));
  }
  const conformance::CorpusCase made = CaseOf(*module, inputs, "fuzz/a");
  std::vector<std::string> operations;
  for (const conformance::CaseTag& tag : made.tags) {
    if (tag.key == "op") operations.push_back(tag.value);
  }
  EXPECT_EQ(operations, std::vector<std::string>{"dynamic-slice"});
}

}  // namespace
}  // namespace assay::fuzz
