// Cases of the corpus and the samples as StableHLO programs: module, text in either form or an
// artifact, module again, and the golden result of both is the same, bit for bit. A sample of the
// cases runs here; all of them with
//   ASSAY_STABLEHLO_CASES=1 assay_stablehlo_round_trip_test
// where ASSAY_STABLEHLO_PART=I/N takes the I-th of N parts (from 0). Every case goes through one
// form to golden, and through the other two to a module that must be the same. The test also prints
// why cases have no StableHLO equivalent, and how many each reason has (docs/stablehlo_writing.md).
// With ASSAY_STABLEHLO_TEXTS=FOLDER the texts are also written there, so that stablehlo_text.py
// --source FOLDER holds them against MLIR.
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/ready_case.h"
#include "gtest/gtest.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/from_module.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/to_module.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

// Every how manyeth case runs.
int Stride() {
  const char* asked = std::getenv("ASSAY_STABLEHLO_CASES");
  int stride;
  return asked != nullptr && absl::SimpleAtoi(asked, &stride) && stride > 0 ? stride : 97;
}

// The part that runs: the first of its cases, and how many parts there are.
std::pair<size_t, size_t> Part() {
  const char* asked = std::getenv("ASSAY_STABLEHLO_PART");
  const std::pair<absl::string_view, absl::string_view> words =
      absl::StrSplit(asked == nullptr ? "0/1" : asked, absl::MaxSplits('/', 1));
  size_t part, parts;
  if (!absl::SimpleAtoi(words.first, &part) || !absl::SimpleAtoi(words.second, &parts) ||
      part >= parts) {
    return {0, 1};
  }
  return {part, parts};
}

enum class Form { kPretty, kGeneric, kArtifact };
constexpr int kForms = 3;

absl::StatusOr<std::unique_ptr<stablehlo::Program>> Reread(const stablehlo::Program& program,
                                                           Form form) {
  if (form == Form::kArtifact) {
    absl::StatusOr<std::string> bytes = WriteArtifact(program, stablehlo::kNewestVersion);
    if (!bytes.ok()) return bytes.status();
    return stablehlo::ParseBytecode(*bytes, "program.mlirbc");
  }
  return stablehlo::ParseText(
      PrintText(program, form == Form::kPretty ? stablehlo::PrintForm::kPretty
                                               : stablehlo::PrintForm::kGeneric),
      "program.mlir");
}

// What the program says after it was written in this form and read again.
absl::StatusOr<std::unique_ptr<Module>> ThroughForm(const Module& module, Form form) {
  auto program = stablehlo::FromModule(module, {},
                                       form == Form::kArtifact ? stablehlo::ChloForm::kComposites
                                                               : stablehlo::ChloForm::kOperations);
  if (!program.ok()) return program.status();
  auto parsed = Reread(**program, form);
  if (!parsed.ok()) return absl::InternalError(parsed.status().message());
  auto converted = stablehlo::ToModule(**parsed);
  if (!converted.ok()) return absl::InternalError(converted.status().ToString());
  return std::move(converted->module);
}

// What the module computes as StableHLO, in one of the forms. With `all_forms` the others must say
// the same.
absl::StatusOr<std::unique_ptr<Module>> RoundTrip(const Module& module, size_t number,
                                                  bool all_forms, std::string* text) {
  auto program = stablehlo::FromModule(module);
  if (!program.ok()) return program.status();
  *text = PrintText(**program, stablehlo::PrintForm::kPretty);
  auto first = ThroughForm(module, static_cast<Form>(number % kForms));
  for (int other = 1; all_forms && first.ok() && other < kForms; ++other) {
    auto second = ThroughForm(module, static_cast<Form>((number + other) % kForms));
    if (!second.ok()) return second.status();
    PrintOptions print = PrintOptions::ShortParsable();
    print.canonicalize_names = true;  // artifacts keep those of parameters, text does not
    if (PrintModule(**first, print) != PrintModule(**second, print)) {
      return absl::InternalError("two forms are read as different modules");
    }
  }
  return first;
}

// The module with pairs of asynchronous operations and with Shardy's dialect; null where the text
// has neither.
absl::StatusOr<std::unique_ptr<Module>> ThroughAllForms(const Module& module,
                                                        const std::string& common_text) {
  auto program =
      stablehlo::FromModule(module, {}, stablehlo::ChloForm::kOperations, stablehlo::kAllForms);
  if (!program.ok()) return program.status();
  const std::string text = PrintText(**program, stablehlo::PrintForm::kPretty);
  if (text == common_text) return nullptr;
  auto parsed = stablehlo::ParseText(text, "program.mlir");
  if (!parsed.ok()) return parsed.status();
  auto converted = stablehlo::ToModule(**parsed);
  if (!converted.ok()) return converted.status();
  return std::move(converted->module);
}

// The values of `rng` are any of a distribution: golden draws them by the instruction's name.
bool DrawsByName(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::kRng) return true;
    }
  }
  return false;
}

bool SameOutputs(const std::vector<DeviceOutputs>& a, const std::vector<DeviceOutputs>& b) {
  if (a.size() != b.size()) return false;
  for (size_t device = 0; device < a.size(); ++device) {
    if (!Literal::BitEqual(a[device].result, b[device].result)) return false;
    if (a[device].outfeed.size() != b[device].outfeed.size()) return false;
    for (size_t i = 0; i < a[device].outfeed.size(); ++i) {
      if (!Literal::BitEqual(a[device].outfeed[i], b[device].outfeed[i])) return false;
    }
  }
  return true;
}

// "conditional ... : reason" by its operation and reason, so that cases count together.
std::string ReasonOf(absl::string_view message, const Module& module) {
  const size_t at = message.find(" has no equivalent in StableHLO: ");
  if (at == absl::string_view::npos) return std::string(message.substr(0, 100));
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (message.substr(0, at) == instruction->Describe()) {
        return absl::StrCat(instruction->info().name, message.substr(at + 31));
      }
    }
  }
  return std::string(message);
}

TEST(StablehloRoundTrip, GoldenResultsStayTheSame) {
  absl::StatusOr<std::vector<CorpusCase>> cases = CorpusCases();
  ASSERT_TRUE(cases.ok()) << cases.status();
  const int stride = Stride();
  const auto [part, parts] = Part();
  int same = 0, with_pairs = 0;
  std::map<std::string, int> reasons;
  for (size_t i = part * stride; i < cases->size(); i += stride * parts) {
    const CorpusCase& each = (*cases)[i];
    if (each.expect == CorpusCase::Expect::kRefused) continue;
    absl::StatusOr<ReadyCase> ready = MakeReady(each);
    ASSERT_TRUE(ready.ok()) << ready.status();
    std::string text;
    absl::StatusOr<std::unique_ptr<Module>> back = RoundTrip(*ready->module, i, stride == 1, &text);
    if (const char* folder = std::getenv("ASSAY_STABLEHLO_TEXTS"); folder != nullptr) {
      std::ofstream(absl::StrCat(folder, "/", i, ".mlir")) << text;
    }
    if (!back.ok() && back.status().code() != absl::StatusCode::kInternal) {
      ++reasons[ReasonOf(back.status().message(), *ready->module)];
      continue;
    }
    if (!back.ok()) {
      ADD_FAILURE() << each.id << ": " << back.status() << "\n" << text.substr(0, 3000);
      continue;
    }
    if (DrawsByName(*ready->module)) {
      ++reasons["not compared, since it draws random numbers by the name of the instruction"];
      continue;
    }
    const auto want = RunGolden(*ready, RunBudget());
    ASSERT_TRUE(want.ok()) << each.id << ": " << want.status();
    const auto got = RunGolden(**back, ready->inputs, RunBudget());
    if (!got.ok() || !SameOutputs(*want, *got)) {
      ADD_FAILURE() << each.id << (got.ok() ? " differs" : got.status().ToString()) << "\n"
                    << text.substr(0, 3000);
      continue;
    }
    ++same;
    const auto all = ThroughAllForms(*ready->module, text);
    if (!all.ok()) {
      ADD_FAILURE() << each.id << " in all forms: " << all.status();
      continue;
    }
    if (*all == nullptr) continue;
    const auto paired = RunGolden(**all, ready->inputs, RunBudget());
    if (!paired.ok() || !SameOutputs(*want, *paired)) {
      ADD_FAILURE() << each.id
                    << " in all forms: " << (paired.ok() ? "differs" : paired.status().ToString());
      continue;
    }
    ++with_pairs;
  }
  EXPECT_GT(same, 0);
  for (const auto& [reason, count] : reasons) {
    if (stride == 1) std::cout << count << " cases: " << reason << "\n";
  }
  std::cout << same << " cases give the same bits, " << with_pairs
            << " of them also with asynchronous pairs or Shardy's dialect\n";
}

// The value of a program whose composites have other names, so that they are their decompositions;
// with `decomposed` false the composites are what they name.
absl::StatusOr<Literal> ValueOfComposites(absl::string_view hlo, bool decomposed) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(hlo);
  if (!module.ok()) return module.status();
  auto program = stablehlo::FromModule(**module, {}, stablehlo::ChloForm::kComposites);
  if (!program.ok()) return program.status();
  std::string text = PrintText(**program, stablehlo::PrintForm::kPretty);
  const int replaced = absl::StrReplaceAll({{"composite \"chlo.", "composite \"mine."}}, &text);
  if (replaced == 0) return absl::InternalError(absl::StrCat("no composite in ", text));
  auto parsed = decomposed ? stablehlo::ParseText(text, "composites.mlir") : std::move(program);
  if (!parsed.ok()) return parsed.status();
  auto converted = stablehlo::ToModule(**parsed);
  if (!converted.ok()) return converted.status();
  const DeviceInputs none;
  auto outputs = RunGolden(*converted->module, {&none, 1}, RunBudget());
  if (!outputs.ok()) return outputs.status();
  return (*outputs)[0].result;
}

// Ties keep their order, NaN and zeros are ordered by their signs.
TEST(StablehloRoundTrip, LargestElementsAreASort) {
  for (const absl::string_view constant :
       {"c = f32[2,5] constant({{1, nan, -0, 0, 1}, {-inf, -nan, 2, inf, 2}})",
        "c = u8[2,5] constant({{255, 1, 255, 0, 128}, {0, 0, 0, 1, 1}})",
        "c = s8[2,5] constant({{-128, 1, 127, 0, 1}, {-1, -1, -2, 1, 1}})"}) {
    const absl::string_view type = absl::StartsWith(constant, "c = f32")  ? "f32"
                                   : absl::StartsWith(constant, "c = u8") ? "u8"
                                                                          : "s8";
    const std::string hlo = absl::StrCat("ENTRY e { ", constant, " ROOT t = (", type,
                                         "[2,3], s32[2,3]) topk(c), k=3, largest=true }");
    const absl::StatusOr<Literal> want = ValueOfComposites(hlo, false);
    const absl::StatusOr<Literal> got = ValueOfComposites(hlo, true);
    ASSERT_TRUE(want.ok()) << want.status();
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_TRUE(Literal::BitEqual(*want, *got)) << PrintLiteral(*want) << "\n"
                                                << PrintLiteral(*got);
  }
}

// The upper half of a product, of which C++ has the whole in 128 bits.
TEST(StablehloRoundTrip, UpperHalvesOfProducts) {
  const std::vector<int64_t> values = {0,
                                       1,
                                       -1,
                                       2,
                                       3,
                                       -7,
                                       127,
                                       -128,
                                       255,
                                       32767,
                                       -32768,
                                       65535,
                                       2147483647,
                                       -2147483648,
                                       4294967295,
                                       4294967296,
                                       6148914691236517205,
                                       -6148914691236517206,
                                       INT64_MAX,
                                       INT64_MIN};
  for (const ElementType type :
       {ElementType::kS4, ElementType::kU4, ElementType::kS8, ElementType::kU8, ElementType::kS16,
        ElementType::kU16, ElementType::kS32, ElementType::kU32, ElementType::kS64,
        ElementType::kU64}) {
    const int bits = Info(type).bits;
    std::vector<__int128> factors;  // those bits of each value, as a number of the type
    for (const int64_t value : values) {
      const auto shifted = static_cast<uint64_t>(value) << (64 - bits);
      factors.push_back(IsSigned(type) ? __int128{static_cast<int64_t>(shifted) >> (64 - bits)}
                                       : __int128{shifted >> (64 - bits)});
    }
    const auto count = static_cast<int64_t>(factors.size() * factors.size());
    const Shape shape(type, {count});
    Literal left = Literal::Zeros(shape), right = left, want = left;
    int64_t next = 0;
    for (const __int128 a : factors) {
      for (const __int128 b : factors) {
        const auto element = [&](__int128 value) {
          return Element{EncodeInteger(type, static_cast<uint64_t>(value))};
        };
        left.Set(next, element(a));
        right.Set(next, element(b));
        // Unsigned products may need all 128 bits.
        want.Set(next++, element(static_cast<__int128>(static_cast<unsigned __int128>(a) *
                                                       static_cast<unsigned __int128>(b)) >>
                                 bits));
      }
    }
    const std::string array = absl::StrCat(Name(type), "[", count, "]");
    const absl::StatusOr<Literal> got = ValueOfComposites(
        absl::StrCat("ENTRY e { a = ", array, " constant(", PrintLiteral(left), ") b = ", array,
                     " constant(", PrintLiteral(right), ") ROOT m = ", array, " mulhi(a, b) }"),
        true);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_TRUE(Literal::BitEqual(*got, want)) << array << PrintLiteral(*got);
  }
}

// The arrays that the root is given, where they are parameters and constants; else none.
std::vector<Literal> OperandsOfRoot(const ReadyCase& ready) {
  std::vector<Literal> values;
  for (const Instruction* operand : ready.module->entry()->root()->operands()) {
    if (operand->opcode() == Opcode::kConstant) {
      values.push_back(*operand->literal());
    } else if (operand->opcode() == Opcode::kParameter) {
      values.push_back(ready.inputs[0].arguments[operand->parameter_number()]);
    } else {
      return {};
    }
  }
  return values;
}

// The loops beside composites give what the operations give, for cases of the corpus. Scans of
// floating-point numbers are left out: a loop rounds in every step, golden rounds each sum once.
TEST(StablehloRoundTrip, ScansAndRaggedDotsAreLoops) {
  absl::StatusOr<std::vector<CorpusCase>> cases = CorpusCases({{"scan", "ragged-dot"}});
  ASSERT_TRUE(cases.ok()) << cases.status();
  std::map<absl::string_view, int> found, compared;
  const int stride = Stride() == 1 ? 1 : 9;
  for (const CorpusCase& each : *cases) {
    const bool is_scan = absl::StartsWith(each.id, "scan/");
    if (!is_scan && !absl::StartsWith(each.id, "ragged-dot/")) continue;
    if (each.expect == CorpusCase::Expect::kRefused) continue;
    const absl::string_view symbol = is_scan ? "chlo.scan.impl" : "chlo.ragged_dot.impl";
    if (found[symbol]++ % stride != 0) continue;
    absl::StatusOr<ReadyCase> ready = MakeReady(each);
    ASSERT_TRUE(ready.ok()) << ready.status();
    DeviceInputs inputs;
    inputs.arguments = OperandsOfRoot(*ready);
    if (inputs.arguments.empty()) continue;
    bool has_fractions = false;
    for (const Shape* leaf : Leaves(ready->module->entry()->root()->shape())) {
      has_fractions |= IsFloat(leaf->element_type()) || IsComplex(leaf->element_type());
    }
    if (is_scan && has_fractions) continue;
    auto program = stablehlo::FromModule(*ready->module, {}, stablehlo::ChloForm::kComposites);
    if (absl::IsUnimplemented(program.status())) continue;
    ASSERT_TRUE(program.ok()) << each.id << ": " << program.status();
    stablehlo::ToModuleOptions options;
    options.entry = std::string(symbol);
    const auto loop = stablehlo::ToModule(**program, options);
    ASSERT_TRUE(loop.ok()) << each.id << ": " << loop.status();
    const auto want = RunGolden(*ready, RunBudget());
    ASSERT_TRUE(want.ok()) << each.id << ": " << want.status();
    const auto got = RunGolden(*loop->module, {&inputs, 1}, RunBudget());
    ASSERT_TRUE(got.ok()) << each.id << ": " << got.status();
    // A function returns a tuple of one array as the array.
    const Literal& result = (*want)[0].result;
    const bool is_single = result.is_tuple() && result.elements().size() == 1;
    EXPECT_TRUE(Literal::BitEqual(is_single ? result.elements()[0] : result, (*got)[0].result))
        << each.id;
    ++compared[symbol];
  }
  for (const auto& [symbol, count] : found) {
    EXPECT_GT(compared[symbol], 0) << symbol;
    if (stride == 1) std::cout << compared[symbol] << " of " << count << ": " << symbol << "\n";
  }
  EXPECT_EQ(found.size(), 2);
}

// erf and XLA's formula of erfc are each other's complement: below 1 erfc is 1 - erf, from there on
// erf is 1 - erfc.
TEST(StablehloRoundTrip, ErfIsTheComplementOfErfc) {
  for (const absl::string_view type : {"f32", "f64"}) {
    const std::string values = "{0, -0, 1e-30, -0.25, 0.5, 0.999, -0.7, 1, -1, 1.5, -2.5, 3, -9}";
    const std::string constant = absl::StrCat(type, "[13] constant(", values, ")");
    const absl::StatusOr<Literal> erf = ValueOfComposites(
        absl::StrCat("ENTRY e { c = ", constant, " ROOT r = ", type, "[13] erf(c) }"), true);
    ASSERT_TRUE(erf.ok()) << erf.status();
    const std::string array = absl::StrCat("tensor<13x", type, ">");
    const auto program =
        stablehlo::ParseText(absl::StrCat("func.func @main(%a: ", array, ") -> ", array,
                                          " {\n  %r = chlo.erfc %a : ", array, " -> ", array,
                                          "\n  return %r : ", array, "\n}"),
                             "erfc.mlir");
    ASSERT_TRUE(program.ok()) << program.status();
    const auto converted = stablehlo::ToModule(**program);
    ASSERT_TRUE(converted.ok()) << converted.status();
    const ElementType element = type == "f32" ? ElementType::kF32 : ElementType::kF64;
    const auto input = ParseLiteral(values, Shape(element, {13}));
    ASSERT_TRUE(input.ok()) << input.status();
    DeviceInputs inputs;
    inputs.arguments = {*input};
    const auto erfc = RunGolden(*converted->module, {&inputs, 1}, RunBudget());
    ASSERT_TRUE(erfc.ok()) << erfc.status();
    for (int64_t i = 0; i < 13; ++i) {
      const auto number = [&](const Literal& literal) {
        return DecodeFloat(element, literal.Get(i).bits);
      };
      const auto complement = [&](double x) {
        return type == "f32" ? double{1.0f - static_cast<float>(x)} : 1.0 - x;
      };
      const double x = number(*input), f = number(*erf), c = number((*erfc)[0].result);
      if (x > -1 && x < 1) {
        EXPECT_EQ(c, complement(f)) << type << " " << x;
        EXPECT_EQ(x == 0, f == 0) << type << " " << x;
      } else {
        EXPECT_EQ(f, complement(c)) << type << " " << x;
      }
    }
  }
}

}  // namespace
}  // namespace assay::conformance
