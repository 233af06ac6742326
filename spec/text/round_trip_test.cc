// parse(print(m)) equals m, and print(parse(print(m))) is the same text: for every sample program
// and for modules with one of every oddity. The short form keeps everything but metadata and
// control dependencies, so it must be stable as a text.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

// What is wrong with the round trip of a text; empty: nothing.
std::string RoundTripProblem(const std::string& text) {
  absl::StatusOr<std::unique_ptr<Module>> first = ParseModule(text);
  if (!first.ok()) return absl::StrCat("cannot be read: ", first.status().ToString());
  for (bool percent : {true, false}) {
    PrintOptions options = PrintOptions::Lossless();
    options.percent = percent;
    options.program_shape = percent;
    const std::string printed = PrintModule(**first, options);
    absl::StatusOr<std::unique_ptr<Module>> second = ParseModule(printed);
    if (!second.ok()) return absl::StrCat("print: ", second.status().ToString());
    const absl::Status same = CompareModules(**first, **second);
    if (!same.ok()) return same.ToString();
    if (PrintModule(**second, options) != printed) return "the second print differs";
  }
  const std::string brief = PrintModule(**first, PrintOptions::ShortParsable());
  absl::StatusOr<std::unique_ptr<Module>> read = ParseModule(brief);
  if (!read.ok()) return absl::StrCat("short form: ", read.status().ToString());
  PrintOptions options = PrintOptions::ShortParsable();
  const std::string once = PrintModule(**read, options);
  read = ParseModule(once);
  if (!read.ok()) return absl::StrCat("short form: ", read.status().ToString());
  if (PrintModule(**read, options) != once) return "the short form is not stable";
  return "";
}

void ExpectRoundTrips(const std::string& folder, size_t at_least) {
  std::vector<std::filesystem::path> files;
  const std::string root = ASSAY_SOURCE_DIR;
  for (const auto& entry : std::filesystem::directory_iterator(root + folder)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), at_least);
  for (const auto& file : files) {
    std::ifstream stream(file);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_EQ(RoundTripProblem(text), "") << file;
  }
}

TEST(RoundTrip, EverySample) { ExpectRoundTrips("/conformance/samples", 30); }
TEST(RoundTrip, EveryExampleOfTheGrammar) { ExpectRoundTrips("/spec/text/testdata/examples", 28); }

TEST(RoundTrip, ModulesWithOddities) {
  const std::string texts[] = {
      // Names, threads, escapes, annotations.
      R"(HloModule odd.1, frontend_attributes={a="x\ty\303\251'",b={ "k" : "}" },c=" {x} "}
%add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }, execution_thread="a \"b\""
ENTRY %nan {
  %true = f32[4]{0} parameter(0), sharding={devices=[4]<=[4]}, metadata={source_line=3}
  %q = (f32[4]{0}, f32[4]{0}) parameter(1), parameter_replication={true,false}, sharding={replicated}
  n = f32[4] negate(%true), metadata={op_name="a\\b\"c" source_file="\303\251"}, backend_config="{ \"a\" : [1,2] } ", statistics={visualizing_index=0,a=0.123456789,b=1e10}
  m = f32[4] map(n, n), dimensions={0}, to_apply=add, backend_config={"b":1}, metadata={}
  bn = (f32[4], f32[4], f32[4]) batch-norm-training(n, n, n), epsilon=0.333333343, feature_index=0
  s = f32[4] sine(n), result_accuracy={tolerance={atol=0.123456789,rtol=1e-7,ulps=3}}
  c = pred[4] compare(n, n), direction=NE, type=FLOAT
  pd = f32[5] pad(n, f32[] constant(-0.0)), padding=2_-1
  ROOT t = (f32[4], f32[4]) tuple(m, q#0), control-predecessors={s, c, pd}, origin={({"a"}, {"b" {1}})}
})",
      // Constants of every kind.
      R"(HloModule constants
ENTRY e {
  a = f32[4] constant({-0, -nan(0x400001), inf, 1e-45})
  b = f8e8m0fnu[3] constant({5.8e-39, 1e+03, nan})
  c = c64[2] constant({(-0.0, 1), (inf, nan)})
  d = (f32[20], (s32[], pred[2])) constant(({...}, (3, {1, 0})))
  f = f32[1000] constant({...})
  g = s4[2]{0:E(4)} constant({-8, 7})
  h = s32[1,2,1,2]{0,1,2,3} constant({ { /*i0=0*/ { /*i1=0*/ { 1, 2 } }, { /*i1=1*/ { 3, 4 } } } })
  i = f32[2,0,3] constant({ {}, {} })
  ROOT j = f32[64] constant(1)
})",
      // Asynchronous chains, sugared and not.
      R"(HloModule async
w { p = f32[3] parameter(0) ROOT r = f32[3] negate(p) }, execution_thread="t"
ENTRY e {
  x = f32[3] parameter(0)
  a = ((f32[3]), f32[3], s32[]) async-start(x), async_execution_thread="t", calls=w, metadata={op_name="n"}
  u = ((f32[3]), f32[3], s32[]) async-update(a)
  ad = f32[3] async-done(u)
  s = ((f32[3]), f32[2], s32[]) slice-start(x), slice={[0:2]}, frontend_attributes={k="v"}
  sd = f32[2] slice-done(s)
  d = ((), (), u32[]) dot-start(), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  du = ((f32[3], f32[3]), f32[], u32[]) dot-update(d, x, x)
  dd = f32[] dot-done(du)
  ROOT t = tuple(ad, sd, dd)
})",
      // Collectives and shardings in all their forms.
      R"(HloModule groups, replica_count=8, num_partitions=8
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0), sharding={mesh['x'=2,'y'=4], [{'x', 'y':(1)2, ?}], replicated={'y':(2)2}}
  a = f32[8] all-reduce(x), replica_groups=[4,2]<=[4,2]T(0,1), to_apply=add
  b = f32[8] all-reduce(a), replica_groups={{0,1},{2}}, to_apply=add, mode=cross_replica
  c = f32[8] all-reduce(b), replica_groups=mesh['x'=2,'y'=2,'z'=2], device_ids=([2,4]T(1,0)) {'x','z'}, to_apply=add
  d = f32[8] all-reduce(c), replica_groups={}, to_apply=add
  f = f32[8] collective-broadcast(d), replica_groups={{}}, has_dynamic_root=true
  g = (f32[2], s32[2]) topk(f), k=2, is_stable=false
  h = f32[8] copy(f), sharding={unreduced}
  ROOT i = (f32[8], f32[8]) tuple(h, h), sharding={{mesh['x'=8], unreduced=max}, {devices=[2,1,2]3,2,1,0 last_tile_dims={replicated}}}
})",
      // Orders that are not the printer's own.
      R"(HloModule order
unused { ROOT z = s32[] constant(7) }
b { p = f32[] parameter(0) ROOT n = f32[] negate(p) }
a { p = f32[] parameter(0) ROOT n = f32[] call(p), to_apply=b }
ENTRY e {
  q = f32[] parameter(1)
  p = f32[] parameter(0)
  ROOT r = f32[] add(p, q)
  late = f32[] call(r), to_apply=a
}
after { ROOT z = s32[] constant(8) })",
      // Headers.
      R"(HloModule h, is_scheduled=true, origin_recovery_table={
  {"old"} : {"new" {0}}
  {"gone" {1}} : {"here"},
  "HloModule fix, frontend_attributes={a=\"b\"}
  ENTRY %f { ROOT %p = s32[2]{0} parameter(0) }"
  {} : {}
}, debug_attributes={ {"old"}:({log_mode=default,callback_id=12},{op_id=3}), {"x" {0}}:{partitioned=true} }
ENTRY e { ROOT c = s32[2] constant({3, 4}), origin={{"new" {0}}} })",
  };
  for (const std::string& text : texts) EXPECT_EQ(RoundTripProblem(text), "") << text;
}

// A tuple as deep as the parser admits.
TEST(RoundTrip, DeepTuples) {
  constexpr int kDepth = 2500;
  const std::string shape = std::string(kDepth, '(') + "f32[]" + std::string(kDepth, ')');
  const std::string text =
      absl::StrCat("HloModule deep\nENTRY e { ROOT p = ", shape, " parameter(0) }");
  EXPECT_EQ(RoundTripProblem(text), "");
}

TEST(RoundTrip, ALongChainOfInstructions) {
  constexpr int kLength = 200000;
  std::string text = "HloModule long\nENTRY e {\n  a0 = f32[] parameter(0)\n";
  for (int i = 1; i < kLength; ++i) {
    absl::StrAppend(&text, "  a", i, " = f32[] negate(a", i - 1, ")\n");
  }
  text += "}\n";
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  PrintOptions options = PrintOptions::ShortParsable();
  const std::string printed = PrintModule(**module, options);
  EXPECT_GT(printed.size(), text.size() - 1);
  EXPECT_NE(printed.find("  ROOT a199999 = f32[] negate(a199998)\n"), std::string::npos);
}

}  // namespace
}  // namespace assay
