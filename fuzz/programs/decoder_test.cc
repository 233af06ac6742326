// Any bytes are a valid program: short ones exhaustively, long ones at random. Every legal pair of
// operation and element type (docs/op_types.md, which another test writes by running each) and
// every attribute of the catalogue is reached, and every idiom. The programs are the same with
// every compiler.
#include "fuzz/programs/decoder.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "fuzz/programs/choices.h"
#include "fuzz/programs/idioms.h"
#include "fuzz/programs/variations.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace {

Grammar Made(const GrammarOptions& options = {}) {
  absl::StatusOr<Grammar> grammar = Grammar::Create(options);
  EXPECT_TRUE(grammar.ok()) << grammar.status();
  return *std::move(grammar);
}

// Decodes and verifies; false, with a failure, where either finds something wrong.
bool IsValid(const Grammar& grammar, absl::Span<const uint8_t> bytes, FuzzProgram* program) {
  *program = DecodeProgram(grammar, bytes);
  const Verification verification = VerifyModule(*program->module, {Rules::kStrict});
  EXPECT_TRUE(verification.ok()) << VerificationStatus(verification) << "\n"
                                 << PrintModule(*program->module);
  EXPECT_EQ(program->refused, 0) << program->refusal << "\n" << PrintModule(*program->module);
  return verification.ok() && program->refused == 0;
}

bool IsValid(const Grammar& grammar, absl::Span<const uint8_t> bytes) {
  FuzzProgram program;
  return IsValid(grammar, bytes, &program);
}

// What holds for the values, too.
void CheckInputs(const FuzzProgram& program) {
  const absl::StatusOr<std::vector<DeviceInputs>> inputs = MakeInputs(program);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  const std::vector<Instruction*> parameters = program.module->entry()->parameters();
  for (const DeviceInputs& own : *inputs) {
    ASSERT_EQ(own.arguments.size(), parameters.size());
    for (size_t k = 0; k < parameters.size(); ++k) {
      ASSERT_TRUE(Shape::Compatible(own.arguments[k].shape(), parameters[k]->shape()));
    }
  }
}

TEST(DecoderTest, HeadersOfUpToTwoBytesAreValid) {
  const Grammar grammar = Made();
  ASSERT_TRUE(IsValid(grammar, {}));
  for (int a = 0; a < 256; ++a) {
    const uint8_t one[] = {static_cast<uint8_t>(a)};
    ASSERT_TRUE(IsValid(grammar, one));
    for (int b = 0; b < 256; b += 256 / Scheduled(32)) {
      const uint8_t two[] = {static_cast<uint8_t>(a), static_cast<uint8_t>(b)};
      ASSERT_TRUE(IsValid(grammar, two));
    }
  }
}

// A record of three bytes behind headers of each mode; the first chooses the operation.
TEST(DecoderTest, RecordsOfThreeBytesAreValid) {
  const Grammar grammar = Made();
  for (int mode = 0; mode < 8; mode += 1) {
    for (int a = 0; a < 256; ++a) {
      for (int b = 0; b < 256; b += 256 / Scheduled(16)) {
        std::vector<uint8_t> bytes(kRecordBytes + 3);
        bytes[0] = static_cast<uint8_t>(mode);
        bytes[1] = static_cast<uint8_t>(b);
        bytes[kRecordBytes] = static_cast<uint8_t>(a);
        bytes[kRecordBytes + 1] = static_cast<uint8_t>(b);
        bytes[kRecordBytes + 2] = static_cast<uint8_t>(255 - a);
        ASSERT_TRUE(IsValid(grammar, bytes)) << mode << " " << a << " " << b;
      }
    }
  }
}

// No array is too long if its sizes of 0 become larger, as those of operands that must not be empty
// do.
void CheckSizes(const FuzzProgram& program) {
  for (const auto& computation : program.module->computations()) {
    for (const auto& each : computation->instructions()) {
      for (const Shape* leaf : Leaves(each->shape())) {
        if (!leaf->is_array()) continue;
        double elements = 1;
        for (const int64_t size : leaf->dimensions()) elements *= size == 0 ? 1 : size;
        ASSERT_LE(elements, 16 * ProgramLimits().long_elements) << PrintModule(*program.module);
      }
    }
  }
}

TEST(DecoderTest, RandomProgramsAreValid) {
  const Grammar grammar = Made();
  const int64_t programs = Scheduled(40000);
  int64_t instructions = 0, left_out = 0, records = 0;
  std::set<absl::string_view> idioms, variations;
  for (int64_t i = 0; i < programs; ++i) {
    const std::vector<uint8_t> bytes = RandomBytes(1, i, 12);
    FuzzProgram program;
    ASSERT_TRUE(IsValid(grammar, bytes, &program)) << "program " << i;
    if (i % 16 == 0) CheckInputs(program);
    CheckSizes(program);
    records += static_cast<int64_t>(bytes.size()) / kRecordBytes - 1;
    instructions += program.module->instruction_count();
    left_out += program.left_out;
    idioms.insert(program.idioms.begin(), program.idioms.end());
    variations.insert(program.variations.begin(), program.variations.end());
  }
  for (const absl::Span<const Idiom> family :
       {AlgebraIdioms(), MovementIdioms(), ModelIdioms(), ExpressionIdioms(), GraphIdioms(),
        LoopIdioms(), SizeIdioms(), ChainIdioms(), PairIdioms(), NumberIdioms()}) {
    for (const Idiom& idiom : family) EXPECT_TRUE(idioms.contains(idiom.name)) << idiom.name;
  }
  for (const Variation& each : Variations())
    EXPECT_TRUE(variations.contains(each.name)) << each.name;
  // It would mean little if most records gave nothing.
  EXPECT_GT(instructions, 2 * records);
  EXPECT_LT(left_out, records / 20);
}

// The results of topk have a layout, which operands of one instruction may have to share.
TEST(DecoderTest, OperandsWithLayoutsAreValid) {
  GrammarOptions options;
  options.operations = {"all-to-all", "topk", "bitcast"};
  const Grammar grammar = Made(options);
  for (int64_t i = 0; i < Scheduled(1500); ++i) {
    ASSERT_TRUE(IsValid(grammar, RandomBytes(6, i, 12))) << "program " << i;
  }
}

// Of idioms the named operations are left, and what makes operands.
TEST(DecoderTest, NamedOperationsHaveIdioms) {
  GrammarOptions options;
  options.operations = {"add", "dot", "transpose"};
  const Grammar few = Made(options);
  const std::set<std::string> makes_operands = {
      "broadcast", "constant", "convert", "get-tuple-element", "parameter", "reshape", "tuple"};
  int64_t idioms = 0;
  for (int64_t i = 0; i < Scheduled(1000); ++i) {
    FuzzProgram program;
    ASSERT_TRUE(IsValid(few, RandomBytes(9, i, 12), &program)) << "program " << i;
    idioms += static_cast<int64_t>(program.idioms.size());
    for (const auto& each : program.module->entry()->instructions()) {
      const std::string name(each->info().name);
      const bool named = std::find(options.operations.begin(), options.operations.end(), name) !=
                         options.operations.end();
      ASSERT_TRUE(named || makes_operands.contains(name)) << PrintModule(*program.module);
    }
  }
  EXPECT_GT(idioms, Scheduled(1000));
  // Any operations.
  size_t uncalled = 0;
  std::mt19937 random(10);
  for (int64_t round = 0; round < Scheduled(60); ++round) {
    options.operations.clear();
    for (const Row& row : Rows()) {
      if (random() % (round % 2 == 0 ? 3 : 12) == 0) {
        options.operations.emplace_back(Info(row.opcode).name);
      }
    }
    if (options.operations.empty()) continue;
    const Grammar grammar = Made(options);
    for (int64_t i = 0; i < 60; ++i) {
      FuzzProgram program;
      ASSERT_TRUE(IsValid(grammar, RandomBytes(11 + round, i, 12), &program)) << round << " " << i;
      std::set<const Computation*> called = {program.module->entry()};
      for (const auto& computation : program.module->computations()) {
        for (const auto& each : computation->instructions()) {
          for (const Computation* callee : each->called_computations()) called.insert(callee);
        }
      }
      uncalled += program.module->computations().size() - called.size();
    }
  }
  // What is left out of rows and variations may leave a region behind.
  EXPECT_LT(uncalled, Scheduled(60));
}

// Bytes cut anywhere, and limits of any size.
TEST(DecoderTest, CutProgramsAndTightLimitsAreValid) {
  for (const int64_t elements : {1, 8, 64}) {
    GrammarOptions options;
    options.limits.elements = elements;
    options.limits.argument_elements = elements;
    options.limits.all_elements = 4 * elements;
    options.limits.long_elements = elements;
    options.limits.products = elements;
    options.limits.parameters = 2;
    const Grammar grammar = Made(options);
    for (int64_t i = 0; i < Scheduled(2000); ++i) {
      std::vector<uint8_t> bytes = RandomBytes(2, i, 24);
      bytes.resize(bytes.size() - i % bytes.size());
      ASSERT_TRUE(IsValid(grammar, bytes)) << "program " << i;
    }
  }
}

std::string ReadPage(const std::string& path) {
  std::ifstream file(absl::StrCat(ASSAY_SOURCE_DIR, "/", path));
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

bool HasType(const Shape& shape, ElementType type) {
  for (const Shape* leaf : Leaves(shape)) {
    if (leaf->element_type() == type) return true;
  }
  return false;
}

bool Shows(const FuzzProgram& program, Opcode opcode, ElementType type) {
  for (const auto& computation : program.module->computations()) {
    for (const auto& each : computation->instructions()) {
      if (each->opcode() != opcode) continue;
      if (HasType(each->shape(), type)) return true;
      for (const Instruction* operand : each->operands()) {
        if (HasType(operand->shape(), type)) return true;
      }
    }
  }
  return false;
}

bool IsReached(absl::string_view name, ElementType type) {
  const Opcode opcode = *OpcodeFromName(name);
  GrammarOptions options;
  options.operations = {std::string(name)};
  options.types = {std::string(Name(type))};
  const Grammar grammar = Made(options);
  for (int64_t i = 0; i < 400; ++i) {
    FuzzProgram program;
    if (!IsValid(grammar, RandomBytes(3, i, 6), &program)) return false;
    if (Shows(program, opcode, type)) return true;
  }
  return false;
}

TEST(DecoderTest, EveryLegalPairOfOperationAndTypeIsReached) {
  int64_t pairs = 0, rows = 0;
  for (absl::string_view line : absl::StrSplit(ReadPage("docs/op_types.md"), '\n')) {
    const std::vector<absl::string_view> cells = absl::StrSplit(line, '|');
    if (cells.size() != std::size(kArrayTypes) + 3) continue;
    // "fft (RFFT)" is a form of fft.
    const absl::string_view name =
        std::vector<absl::string_view>(absl::StrSplit(absl::StripAsciiWhitespace(cells[1]), " ("))
            .front();
    if (!OpcodeFromName(name)) continue;
    ++rows;
    for (size_t k = 0; k < std::size(kArrayTypes); ++k) {
      if (absl::StripAsciiWhitespace(cells[k + 2]) != "+") continue;
      if (pairs++ % kScheduleStride != 0) continue;
      EXPECT_TRUE(IsReached(name, kArrayTypes[k])) << name << " of " << Name(kArrayTypes[k]);
    }
  }
  EXPECT_GT(rows, 110);
  EXPECT_GT(pairs, 2000);
}

// What no program has, with the reason.
const std::map<std::string, std::string>& Unreached() {
  static const auto* const table = new std::map<std::string, std::string>{
      {"convolution.convolution_kind", "golden runs no gradients"},
      {"convolution.algorithm", "no strict clause says which types it is for"},
      {"convolution.sparsity_config", "a sparse kernel is a tuple, which no target takes"},
      {"scaled-dot.algorithm", "no strict clause says which types it is for"},
      {"scaled-dot.operand_precision", "as of dot, where it is reached"},
      {"reshape.inferred_dimension", "changes no value"},
      {"call.is_composite", "changes no value"},
      {"async-start.async_execution_thread", "changes no value"},
      {"async-start.output_to_operand_aliasing", "changes no value"},
      {"fusion.output_to_operand_aliasing", "changes no value"},
      {"collective-permute.slice_sizes", "in place"},
      {"collective-permute-start.slice_sizes", "in place"},
      {"collective-broadcast.has_dynamic_root", "golden runs none"},
      {"all-gather.constrain_layout", "changes no value"},
      {"all-gather-start.constrain_layout", "changes no value"},
      {"all-to-all.constrain_layout", "changes no value"},
      {"infeed.infeed_config", "changes no value"},
      {"outfeed.outfeed_config", "changes no value"},
      {"send.is_host_transfer", "inputs of a program have no queue for it"},
      {"recv.is_host_transfer", "inputs of a program have no queue for it"},
  };
  return *table;
}

TEST(DecoderTest, EveryAttributeIsReached) {
  std::set<std::string> seen;
  for (const Row& row : Rows()) {
    GrammarOptions options;
    options.operations = {std::string(Info(row.opcode).name)};
    const Grammar grammar = Made(options);
    for (int64_t i = 0; i < Scheduled(300); ++i) {
      const FuzzProgram program = DecodeProgram(grammar, RandomBytes(4, i, 6));
      for (const auto& computation : program.module->computations()) {
        for (const auto& each : computation->instructions()) {
          for (const auto& [attr, value] : each->attributes().entries()) {
            seen.insert(absl::StrCat(each->info().name, ".", Info(attr).name));
          }
        }
      }
    }
  }
  if (kScheduleStride > 1) return;  // too few programs to reach all
  for (const Row& row : Rows()) {
    if (row.opcode == Opcode::kCustomCall) continue;  // one row of dozens of targets
    for (const AttributeUse& use : Info(row.opcode).attributes) {
      if (use.print == AttributeUse::Print::kNever && !use.required) continue;
      const std::string name = absl::StrCat(Info(row.opcode).name, ".", Info(use.attr).name);
      EXPECT_NE(seen.contains(name), Unreached().contains(name)) << name;
    }
  }
}

// FNV-1a of the texts: a compiler that evaluates the choices in another order shows here.
TEST(DecoderTest, ProgramsAreTheSameEverywhere) {
  const Grammar grammar = Made();
  uint64_t hash = 0xCBF29CE484222325;
  for (int64_t i = 0; i < 300; ++i) {
    const FuzzProgram program = DecodeProgram(grammar, RandomBytes(5, i, 10));
    for (const char c : PrintModule(*program.module)) {
      hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3;
    }
  }
  EXPECT_EQ(hash, 9131568314894358958u)
      << "where the grammar changed, this number changes; else it must not";
}

TEST(DecoderTest, UnknownNamesAreRefused) {
  GrammarOptions options;
  options.operations = {"addd"};
  EXPECT_EQ(Grammar::Create(options).status().code(), absl::StatusCode::kInvalidArgument);
  options.operations = {"recv-done"};
  EXPECT_EQ(Grammar::Create(options).status().code(), absl::StatusCode::kInvalidArgument);
  options.operations = {};
  options.types = {"f33"};
  EXPECT_EQ(Grammar::Create(options).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace assay::fuzz
