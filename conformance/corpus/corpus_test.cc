// The corpus as a whole: it expands, it is what the manifest says, and it runs.
#include "conformance/corpus/corpus.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/corpus/all_cases.h"
#include "conformance/corpus/case_reader.h"
#include "conformance/corpus/case_template.h"
#include "conformance/corpus/cover_pairs.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/judge/verdict.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"
#include "spec/text/parser.h"
#include "spec/verify/verifier.h"

namespace assay::conformance {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

// The lines of a manifest, hash and tier by id.
std::map<std::string, std::string> LinesById(absl::string_view manifest) {
  std::map<std::string, std::string> lines;
  for (absl::string_view line : absl::StrSplit(manifest, '\n', absl::SkipEmpty())) {
    lines.insert(absl::StrSplit(line, absl::MaxSplits('\t', 1)));
  }
  return lines;
}

// A target that verifies by the strict rules must be able to run what JAX wrote.
TEST(Corpus, SamplesAreLegalByTheStrictRules) {
  int samples = 0;
  for (const CorpusFile& file : CorpusFiles()) {
    if (!absl::EndsWith(file.name, ".hlo")) continue;
    ++samples;
    const auto module = ParseModule(file.text);
    ASSERT_TRUE(module.ok()) << file.name << ": " << module.status();
    const absl::Status legal = VerificationStatus(VerifyModule(**module, {Rules::kStrict}));
    EXPECT_TRUE(legal.ok()) << file.name << ": " << legal;
  }
  EXPECT_GE(samples, 30);
}

// A case that vanishes or changes fails here until the manifest is written anew on purpose.
TEST(Corpus, IsWhatTheManifestSays) {
  const std::string path = ASSAY_SOURCE_DIR "/conformance/corpus/manifest.tsv";
  const std::string manifest = Manifest(AllCases());
  if (std::getenv("ASSAY_WRITE_MANIFEST") != nullptr) {
    std::ofstream(path) << manifest;
    return;
  }
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  std::map<std::string, std::string> wanted = LinesById(content.str());
  std::vector<std::string> mistakes;
  for (const auto& [id, line] : LinesById(manifest)) {
    const auto old = wanted.find(id);
    if (old == wanted.end()) {
      mistakes.push_back(id + " is new");
    } else if (old->second != line) {
      mistakes.push_back(absl::StrCat(id, " has changed from ", old->second, " to ", line));
    }
    if (old != wanted.end()) wanted.erase(old);
  }
  for (const auto& [id, line] : wanted) mistakes.push_back(id + " has vanished");
  for (size_t i = 0; i < mistakes.size() && i < 20; ++i) ADD_FAILURE() << mistakes[i];
  EXPECT_TRUE(mistakes.empty())
      << mistakes.size() << " lines; ASSAY_WRITE_MANIFEST=1 writes conformance/corpus/manifest.tsv";
}

TEST(Corpus, EveryTextReadsAsTheSameCase) {
  for (size_t i = 0; i < AllCases().size(); i += 7 * kScheduleStride) {
    const CorpusCase& each = AllCases()[i];
    const auto again = ReadCases(FormatCase(each), "text");
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << FormatCase(each);
    EXPECT_EQ(CaseHash((*again)[0]), CaseHash(each)) << each.id;
  }
}

// The values that are written hold; the test corpus_check runs the other cases too.
TEST(Corpus, WrittenValuesHold) {
  RunBudget budget;
  budget.seconds = 10;
  int64_t confirmed = 0;
  for (const CorpusCase& each : AllCases()) {
    if (each.expect == CorpusCase::Expect::kGolden) continue;
    EXPECT_EQ(CheckCase(each, budget), absl::OkStatus());
    confirmed += !each.confirmed.empty();
  }
  EXPECT_GT(AllCases().size(), 20000u);
  EXPECT_GT(confirmed, 1300);
}

// docs/op_types.md says which operations run on which types: each pair has a case.
TEST(Corpus, EveryPairOfOperationAndTypeHasACase) {
  std::ifstream file(ASSAY_SOURCE_DIR "/docs/op_types.md");
  std::set<std::pair<std::string, std::string>> covered;
  std::map<std::string, int64_t> by_op;
  for (const CorpusCase& each : AllCases()) {
    covered.insert({std::string(each.Tag("op")), std::string(each.Tag("type"))});
    if (!each.Tag("op").empty()) ++by_op[std::string(each.Tag("op"))];
  }
  std::vector<std::string> types;
  std::string line, missing;
  int64_t pairs = 0;
  while (std::getline(file, line)) {
    if (!absl::StartsWith(line, "| ")) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    const std::string op = cells[0].substr(2);
    if (op == "operation") {
      for (size_t i = 1; i < cells.size(); ++i) {
        types.emplace_back(absl::StripSuffix(cells[i], " |"));
      }
      continue;
    }
    if (absl::StrContains(op, " ")) continue;  // a form of an operation that has a row of its own
    for (size_t i = 1; i < cells.size() && i <= types.size(); ++i) {
      if (!absl::StartsWith(cells[i], "+")) continue;
      ++pairs;
      if (covered.count({op, types[i - 1]}) == 0)
        absl::StrAppend(&missing, op, "/", types[i - 1], " ");
    }
  }
  EXPECT_GT(pairs, 2000);
  EXPECT_EQ(missing, "");
  for (const auto& [op, count] : by_op) {
    EXPECT_LE(count * 100, static_cast<int64_t>(AllCases().size()) * 4) << op << " has " << count;
  }
}

// decision_points.tsv: each has a case that names it, or one that is refused by a clause, or a
// reason.
TEST(Corpus, EveryDecisionPointHasACase) {
  std::set<std::string> decisions, clauses;
  for (const CorpusCase& each : AllCases()) {
    if (!each.clause.empty()) clauses.insert(each.clause);
    for (const CaseTag& tag : each.tags) {
      if (tag.key == "decision") decisions.insert(tag.value);
    }
  }
  std::ifstream file(ASSAY_SOURCE_DIR "/conformance/corpus/decision_points.tsv");
  std::set<std::string> known;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    ASSERT_EQ(cells.size(), 3u) << line;
    EXPECT_TRUE(known.insert(cells[0]).second) << line;
    absl::string_view how = cells[1];
    if (how == "case") {
      EXPECT_EQ(decisions.count(cells[0]), 1u) << line;
    } else if (absl::ConsumePrefix(&how, "refused ")) {
      EXPECT_EQ(clauses.count(std::string(how)), 1u) << line;
    } else {
      EXPECT_TRUE(absl::StartsWith(how, "none: ")) << line;
      EXPECT_EQ(decisions.count(cells[0]), 0u) << line;
    }
  }
  EXPECT_GT(known.size(), 150u);
  for (const std::string& decision : decisions) EXPECT_EQ(known.count(decision), 1u) << decision;
}

TEST(Corpus, EveryFreedomHasCases) {
  std::map<std::string, int64_t> count;
  for (const CorpusCase& each : AllCases()) {
    for (const CaseTag& tag : each.tags) {
      if (tag.key == "freedom") ++count[tag.value];
    }
  }
  for (int i = 0; i < kFreedoms; ++i) {
    const std::string name(FreedomName(static_cast<Freedom>(i)));
    EXPECT_GT(count[name], 4) << name;
  }
}

// Besides the samples there are fifty programs of a hundred instructions and more.
TEST(Corpus, HasWholePrograms) {
  int64_t samples = 0, large = 0;
  for (const CorpusCase& each : AllCases()) {
    if (each.Tag("form") != "program") continue;
    const auto module = ParseModule(each.module);
    ASSERT_TRUE(module.ok()) << each.id << ": " << module.status();
    int64_t instructions = 0;
    for (const auto& computation : (*module)->computations()) {
      instructions += computation->instruction_count();
    }
    const bool sample = absl::StrContains(each.where, "samples/");
    samples += sample;
    large += !sample && instructions >= 100;
  }
  EXPECT_EQ(samples, 35);
  EXPECT_GE(large, 50);
}

// Each clause that has a near miss has it as a case.
TEST(Corpus, EveryClauseHasACase) {
  std::set<std::string> clauses;
  int64_t refused = 0;
  for (const CorpusCase& each : AllCases()) {
    refused += each.expect == CorpusCase::Expect::kRefused;
    if (!each.clause.empty()) clauses.insert(each.clause);
  }
  EXPECT_GT(refused, 450);
  // The rows whose test is a text of spec/verify/testdata: any other near miss is not a module's
  // text.
  std::ifstream file(ASSAY_SOURCE_DIR "/docs/clauses.md");
  int64_t rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (!absl::StrContains(line, ".cases:")) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    EXPECT_EQ(clauses.count(std::string(absl::StripPrefix(cells[0], "| "))), 1) << cells[0];
    ++rows;
  }
  EXPECT_GT(rows, 300);
}

TEST(Corpus, CheckCaseSeesWhatIsWrong) {
  const auto check = [](absl::string_view inputs, absl::string_view expect) {
    const auto cases = ReadCases(
        absl::StrCat("case add/s8/x\ntags:\nmodule:\n  ENTRY e { a = s8[2] parameter(0) b = s8[2] "
                     "parameter(1) ROOT r = add(a, b) }\ninputs:\n  arg0 = literal s8[2] {1, 2}\n",
                     inputs, expect),
        "f");
    EXPECT_TRUE(cases.ok()) << cases.status();
    return std::string(CheckCase((*cases)[0], {}).message());
  };
  EXPECT_EQ(
      check("  arg1 = literal s8[2] {3, 127}\n", "expect:\n  out0 = literal s8[2] {4, -127}\n"),
      "");
  EXPECT_EQ(
      check("  arg1 = literal s8[2] {3, 127}\n", "expect:\n  out0 = literal s8[2] {4, 127}\n"),
      "f:1: case add/s8/x: out0 has -127, but 127 is expected at {1}");
  EXPECT_THAT(check("", "expect: golden\n"), HasSubstr("there is no arg1 for"));
  EXPECT_THAT(check("  arg1 = benign s8[3]\n", "expect: golden\n"),
              HasSubstr("arg1 is s8[3], but the parameter is s8[2]"));
  EXPECT_THAT(check("  arg1 = benign u8[2]\n", "expect: golden\n"), HasSubstr("arg1 is u8[2]"));
  EXPECT_THAT(check("  arg1 = benign s8[2]\n  arg2 = benign s8[2]\n", "expect: golden\n"),
              HasSubstr("arg2 is there, but arg0 to arg1 are wanted"));
  EXPECT_THAT(check("  arg1.dev1 = benign s8[2]\n", "expect: golden\n"),
              HasSubstr("there is no arg1"));
  EXPECT_THAT(check("  arg1 = benign s8[2]\n", "expect:\n  out1 = literal s8[2] {4, 127}\n"),
              HasSubstr("out1 is there"));
  EXPECT_THAT(check("  arg1 = benign s8[2]\n", "expect: refused binary_c3\n"),
              HasSubstr("nothing refuses it"));
}

TEST(Templates, CoverPairs) {
  EXPECT_EQ(CoverPairs({}).size(), 1u);
  EXPECT_EQ(CoverPairs({3, 4}).size(), 12u);
  EXPECT_EQ(CoverPairs({13}).size(), 13u);
  const std::vector<size_t> sizes = {3, 2, 4, 3};
  const auto rows = CoverPairs(sizes);
  EXPECT_LE(rows.size(), 16u);  // of 72
  for (size_t a = 0; a < 4; ++a) {
    for (size_t b = a + 1; b < 4; ++b) {
      std::set<std::pair<size_t, size_t>> pairs;
      for (const auto& row : rows) pairs.insert({row[a], row[b]});
      EXPECT_EQ(pairs.size(), sizes[a] * sizes[b]);
    }
  }
}

TEST(Templates, ExpandOverTypesChoicesAndProfiles) {
  const auto templates = ReadTemplates(R"(
template pad/low
types: f32 C s1
profiles: patterns finite
vary: n = 1 | 2
vary: low high = 0 1 | 2 -1
tags: decision=N-2
module:
  ENTRY e { a = $T[$n] parameter(0) p = $T[] parameter(1)
    ROOT r = pad(a, p), padding=$low_$high }
inputs:
  arg1 = integers seed=4
)",
                                       "t");
  ASSERT_TRUE(templates.ok()) << templates.status();
  std::vector<CorpusCase> cases;
  ASSERT_EQ(ExpandTemplate((*templates)[0], &cases), absl::OkStatus());
  // Four variants; s1 has no finite profile.
  ASSERT_EQ(cases.size(), 4u * 7);
  EXPECT_EQ(cases[0].id, "pad/f32/low.1.0_1/patterns");
  EXPECT_THAT(cases[0].module, HasSubstr("f32[1] parameter(0)"));
  EXPECT_THAT(cases[0].module, HasSubstr("padding=0_1"));
  EXPECT_EQ(cases[0].inputs[1].use.profile, ValueProfile::kIntegers);
  EXPECT_EQ(cases[0].inputs[1].use.seed, 4u);
  EXPECT_EQ(cases[0].Tag("decision"), "N-2");
  // Indices stay in the range that the operation needs.
  const auto slices = ReadTemplates(
      "template dynamic-slice/one\ntypes: s8\nprofiles: patterns\nmodule:\n  ENTRY e { a = $T[9] "
      "parameter(0) i = u8[] parameter(1) ROOT r = $T[4] dynamic-slice(a, i), "
      "dynamic_slice_sizes={4} }\n",
      "t");
  ASSERT_TRUE(slices.ok()) << slices.status();
  cases.clear();
  ASSERT_EQ(ExpandTemplate((*slices)[0], &cases), absl::OkStatus());
  EXPECT_EQ(cases[0].inputs[1].use.high, 5);
}

// Variants are forms of their own in one type, and of all others one form.
TEST(Templates, HaveTheirFormsInOneType) {
  const auto cases = ExpandTemplates(
      "template reverse/x\ntypes: bf16 f32\nprofiles: benign\nvary: n = 2 | 3\nquick: "
      "f32\nmodule:\n"
      "  ENTRY e { a = $T[$n] parameter(0) ROOT r = reverse(a), dimensions={0} }\n",
      "t");
  ASSERT_TRUE(cases.ok()) << cases.status();
  std::vector<std::string> forms;
  for (const CorpusCase& each : *cases) {
    forms.push_back(absl::StrCat(each.id, " ", each.Tag("form")));
  }
  EXPECT_THAT(forms,
              UnorderedElementsAre("reverse/bf16/x.2/benign x", "reverse/bf16/x.3/benign x",
                                   "reverse/f32/x.2/benign x.2", "reverse/f32/x.3/benign x.3"));
}

// Programs have no operation; inputs that are written and the bounds of types stand for each type.
TEST(Templates, ExpandToPrograms) {
  const auto cases = ExpandTemplates(
      "template program/x\ntypes: s8 u8 bf16\nprofiles: benign\nmodule:\n  ENTRY e {"
      " a = $T[2] parameter(0) b = $T[] parameter(1) m = $T[2] constant({$LOW, $TINY}) n = $T[] "
      "constant($MAX) ROOT r = tuple(a, b, m, n) }\ninputs:\n  arg0 = literal {$MAX, -3}\n",
      "t");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 2u);  // u8 has no -3
  EXPECT_EQ((*cases)[0].id, "program/s8/x/benign");
  EXPECT_EQ((*cases)[0].Tag("op"), "");
  EXPECT_EQ((*cases)[0].Tag("form"), "x");
  EXPECT_THAT((*cases)[0].module, HasSubstr("constant({-128, 1}) n = s8[] constant(127)"));
  EXPECT_EQ((*cases)[0].inputs[0].literal->Get(0).bits, 127u);
  EXPECT_EQ((*cases)[1].inputs[0].literal->Get(0).bits, 0x7f7fu);
  EXPECT_EQ((*cases)[1].inputs[0].literal->Get(1).bits, 0xc040u);
}

// What the infeeds take has the profile, with seeds that go on from those of the arguments.
TEST(Templates, FillQueues) {
  const auto cases = ExpandTemplates(
      "template infeed/x\ntypes: s8 f32\nprofiles: patterns ties\nmodule:\n  ENTRY e {"
      " p = $T[2] parameter(0) now = token[] after-all() i = (($T[2], s16[3]), token[]) infeed(now)"
      " ROOT r = negate(p) }\n",
      "t");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 2u);  // whole numbers have no ties
  EXPECT_EQ((*cases)[0].id, "infeed/s8/x/patterns");
  for (const CorpusCase& each : *cases) {
    ASSERT_EQ(each.infeed.size(), 2u);
    EXPECT_EQ(each.infeed[1].number, 1);
    EXPECT_EQ(each.infeed[1].shape.ToString(), "s16[3]");
    EXPECT_EQ(each.infeed[0].use.profile, ValueProfile::kPatterns);
    EXPECT_EQ(each.infeed[1].use.seed, 3u);
  }
}

// The queues of a case and what it expects of them, with one mistake each.
TEST(Corpus, QueuesAreHeld) {
  constexpr char kCase[] = R"(case outfeed/s32/x
tags: op=outfeed type=s32
module:
  ENTRY e {
    now = token[] after-all()
    i = (s32[2], token[]) infeed(now)
    x = s32[2] get-tuple-element(i), index=0
    t = token[] get-tuple-element(i), index=1
    ROOT o = token[] outfeed(x, t), outfeed_shape=s32[2]
  }
inputs:
  infeed0.dev0 = literal s32[2] {1, 2}
  infeed0.dev1 = literal s32[2] {3, 4}
processes: replicas=2 partitions=1
expect:
  outfeed0.dev0 = literal s32[2] {1, 2}
  outfeed0.dev1 = literal s32[2] {3, 4}
)";
  const struct {
    const char *from, *to, *message;
  } kRows[] = {
      {"", "", ""},
      {"infeed0.dev1", "infeed1.dev1", "infeed1 of device 1 is there, but infeed0 is not"},
      {"infeed0.dev1", "infeed0.dev2", "infeed0 of device 2 is there, but 2 run"},
      {"  infeed0.dev1 = literal s32[2] {3, 4}\n", "", "infeed exhausted at item 0"},
      {"infeed0.dev1 = literal s32[2]", "infeed0.dev1 = literal u32[2]", "array 0 is u32[2]"},
      {"  outfeed0.dev1 = literal s32[2] {3, 4}\n", "", "1 arrays are fed out, but 0 are expected"},
      {"outfeed0.dev1 = literal s32[2] {3, 4}", "outfeed0.dev1 = literal s32[2] {3, 5}",
       "outfeed0 has 4, but 5 is expected at {1}"},
      {"outfeed0.dev1", "outfeed1.dev1", "outfeed1 of device 1 is there, but outfeed0 is not"},
      {"expect:", "expect:\n  out0 = literal s32[] 1", "out0 is there"},
  };
  for (const auto& row : kRows) {
    const std::string text = absl::StrReplaceAll(kCase, {{*row.from ? row.from : "\r", row.to}});
    const auto cases = ReadCases(text, "f");
    ASSERT_TRUE(cases.ok()) << cases.status();
    const absl::Status status = CheckCase(cases->front(), RunBudget());
    EXPECT_EQ(status.ok(), *row.message == 0) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.message));
  }
}

TEST(Templates, NamePlaceAndMistake) {
  const struct {
    const char *text, *message;
  } kMistakes[] = {
      {"types: f32", "t:1: a template begins with"},
      {"template pad\ntypes: f32\nprofiles: benign\nmodule:\n  m", "t:5: a template begins with"},
      {"template padd/x\ntemplate pad/y", "t:2: there is no operation padd"},
      {"template pad/x\ntypes: f33", "t:2: 'f33' is not an element type"},
      {"template pad/x\nprofiles: x", "t:2: unknown profile x"},
      {"template pad/x\nvary: a b = 1", "t:2: a choice is written"},
      {"template pad/x\ninputs:\n  arg0 benign", "t:3: an input is written"},
      {"template pad/x\ninputs:\n  arg0 = indices low=1 offset=3",
       "t:3: 'offset=3': parameters are seed low high"},
      {"template pad/x\nelse: x", "t:2: unknown key 'else'"},
      {"template pad/x\ntypes: f32", "t:2: a template needs types, profiles and a module"},
  };
  for (const auto& mistake : kMistakes) {
    EXPECT_THAT(std::string(ReadTemplates(mistake.text, "t").status().message()),
                HasSubstr(mistake.message));
  }
  std::vector<CorpusCase> cases;
  const auto processes = ReadTemplates(
      "template not/x\ntypes: s8\nprofiles: benign\nreplicas: x\nmodule:\n  ENTRY e { a = $T[9] "
      "parameter(0) ROOT r = not(a) }\n",
      "t");
  EXPECT_THAT(std::string(ExpandTemplate((*processes)[0], &cases).message()),
              HasSubstr("t:1: replicas and partitions are numbers, each 1 to 1024"));
  const auto many_processes = ReadTemplates(
      "template not/x\ntypes: s8\nprofiles: benign\nreplicas: 4000000000\nmodule:\n  ENTRY e { a = "
      "$T[9] parameter(0) ROOT r = not(a) }\n",
      "t");
  EXPECT_THAT(std::string(ExpandTemplate((*many_processes)[0], &cases).message()),
              HasSubstr("t:1: replicas and partitions are numbers, each 1 to 1024"));
  const auto refused = ReadTemplates(
      "template not/x\ntypes: F\nprofiles: benign\nmodule:\n  ENTRY e { a = $T[9] "
      "parameter(0) ROOT r = not(a) }\n",
      "t");
  EXPECT_THAT(std::string(ExpandTemplate((*refused)[0], &cases).message()),
              HasSubstr("t:1: variant  is admitted with no type"));
  const auto dynamic = ReadTemplates(
      "template not/x\ntypes: s8\nprofiles: benign\nmodule:\n  ENTRY e { a = $T[<=9] "
      "parameter(0) ROOT r = $T[<=9] not(a) }\n",
      "t");
  EXPECT_THAT(std::string(ExpandTemplate((*dynamic)[0], &cases).message()),
              HasSubstr("an array with a dynamic dimension has no value profile"));
  // 8 choices of 10 values: a hundred million combinations are not looked at.
  std::string many = "template not/x\ntypes: s8\nprofiles: benign\n";
  for (int i = 0; i < 8; ++i) absl::StrAppend(&many, "vary: n", i, " = 0|1|2|3|4|5|6|7|8|9\n");
  absl::StrAppend(&many, "module:\n  ENTRY e { a = s8[9] parameter(0) ROOT r = not(a) }\n");
  const auto choices = ReadTemplates(many, "t");
  ASSERT_TRUE(choices.ok()) << choices.status();
  EXPECT_THAT(std::string(ExpandTemplate((*choices)[0], &cases).message()),
              HasSubstr("t:1: its choices have more combinations than 10000"));
}

TEST(Globs, Match) {
  EXPECT_TRUE(GlobMatches("", ""));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("add/*/f?2*", "add/x/y/f32"));
  EXPECT_TRUE(GlobMatches("a**b", "ab"));
  EXPECT_FALSE(GlobMatches("add", "add/f32"));
  EXPECT_FALSE(GlobMatches("?", ""));
  EXPECT_FALSE(GlobMatches("*a", std::string(100000, 'b')));
}

}  // namespace
}  // namespace assay::conformance
