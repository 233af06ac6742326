#include "conformance/inputs/random_inputs.h"

#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "conformance/inputs/input_needs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

using ::testing::HasSubstr;

std::vector<Literal> Inputs(const Module& module, RandomInputOptions options = {}) {
  auto inputs = RandomInputs(module, options);
  EXPECT_TRUE(inputs.ok()) << inputs.status();
  return inputs.ok() ? *std::move(inputs) : std::vector<Literal>();
}

TEST(RandomInputs, TheSeedDecides) {
  auto module = MustParse("ENTRY e { x = f32[50] parameter(0) ROOT n = f32[50] negate(x) }");
  RandomInputOptions one, two;
  one.seed = 1;
  two.seed = 2;
  EXPECT_TRUE(Literal::BitEqual(Inputs(*module, one)[0], Inputs(*module, one)[0]));
  EXPECT_FALSE(Literal::BitEqual(Inputs(*module, one)[0], Inputs(*module, two)[0]));
}

TEST(RandomInputs, IndicesStayInRangeThroughCallsAndLoops) {
  auto module = MustParse(R"(
    take { a = f32[10,4] parameter(0) i = s32[7,1] parameter(1)
      ROOT g = f32[7,4] gather(a, i), offset_dims={1}, collapsed_slice_dims={0},
        start_index_map={0}, index_vector_dim=1, slice_sizes={1,4} }
    body { s = (s32[], s32[], f32[10,4]) parameter(0)
      i = s32[] get-tuple-element(s), index=0 k = s32[] get-tuple-element(s), index=1
      a = f32[10,4] get-tuple-element(s), index=2 z = s32[] constant(0)
      d = f32[3,4] dynamic-slice(a, k, z), dynamic_slice_sizes={3,4}
      u = f32[10,4] dynamic-update-slice(a, d, z, z)
      one = s32[] constant(1) n = s32[] add(i, one)
      ROOT t = (s32[], s32[], f32[10,4]) tuple(n, k, u) }
    cond { s = (s32[], s32[], f32[10,4]) parameter(0) i = s32[] get-tuple-element(s), index=0
      m = s32[] constant(3) ROOT c = pred[] compare(i, m), direction=LT }
    ENTRY e { a = f32[10,4] parameter(0) flat = s32[7] parameter(1) k = s32[] parameter(2)
      i = s32[7,1] reshape(flat)  g = f32[7,4] call(a, i), to_apply=take
      z = s32[] constant(0)
      w = (s32[], s32[], f32[10,4]) while((s32[], s32[], f32[10,4]) tuple(z, k, a)), condition=cond, body=body
      ROOT t = (f32[7,4], (s32[], s32[], f32[10,4])) tuple(g, w) })");
  const auto needs = FindInputNeeds(*module);
  EXPECT_FALSE(needs[0][0].high.has_value());
  EXPECT_EQ(needs[1][0].low, 0);
  EXPECT_EQ(needs[1][0].high, 9);
  EXPECT_EQ(needs[2][0].high, 7);
  std::set<int64_t> seen;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomInputOptions options;
    options.seed = seed;
    const std::vector<Literal> inputs = Inputs(*module, options);
    for (int64_t i = 0; i < 7; ++i) {
      const int64_t index = DecodeSigned(ElementType::kS32, inputs[1].Get(i).bits);
      EXPECT_GE(index, 0);
      EXPECT_LE(index, 9);
      seen.insert(index);
    }
  }
  EXPECT_EQ(seen.size(), 10);
}

TEST(RandomInputs, SortKeysAreUnique) {
  auto module = MustParse(R"(
    less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
    ENTRY e { x = f32[300] parameter(0) ROOT s = f32[300] sort(x), dimensions={0}, to_apply=less })");
  const Literal keys = Inputs(*module)[0];
  std::set<uint64_t> bits;
  for (int64_t i = 0; i < 300; ++i) bits.insert(keys.Get(i).bits);
  EXPECT_EQ(bits.size(), 300);
}

TEST(RandomInputs, RangesWin) {
  auto module = MustParse(
      "ENTRY e { x = f64[100] parameter(0) y = u8[100] parameter(1) "
      "ROOT t = (f64[100], u8[100]) tuple(x, y) }");
  RandomInputOptions options;
  ASSERT_TRUE(ParseRange("x=5:6", &options.ranges).ok());
  ASSERT_TRUE(ParseRange("arg1=250:300", &options.ranges).ok());
  const std::vector<Literal> inputs = Inputs(*module, options);
  for (int64_t i = 0; i < 100; ++i) {
    const double x = DecodeFloat(ElementType::kF64, inputs[0].Get(i).bits);
    EXPECT_GE(x, 5);
    EXPECT_LE(x, 6);
    EXPECT_GE(inputs[1].Get(i).bits, 250);
  }
  options.ranges.clear();
  ASSERT_TRUE(ParseRange("z=0:1", &options.ranges).ok());
  EXPECT_THAT(std::string(RandomInputs(*module, options).status().message()),
              HasSubstr("no parameter z"));
  for (absl::string_view bad : {"x", "x=1", "=1:2", "x=2:1", "x=a:b", "x=1:nan"}) {
    EXPECT_FALSE(ParseRange(bad, &options.ranges).ok()) << bad;
  }
}

// Sort keys by type: as many distinct values as were asked for, or as the type has finite ones.
TEST(RandomInputs, SortKeysAreUniqueInEveryFloatType) {
  for (ElementType type : kArrayTypes) {
    if (!IsFloat(type)) continue;
    std::set<int64_t> finite;  // ordinals; counted over every pattern of the narrow types
    const bool narrow = Info(type).bits <= 16;
    for (uint64_t bits = 0; narrow && bits < uint64_t{1} << Info(type).bits; ++bits) {
      if (!IsNan(type, bits) && !IsInfinity(type, bits)) finite.insert(FloatOrdinal(type, bits));
    }
    for (int64_t count : {1, 2, 17, 2000}) {
      const std::string name(Name(type));
      auto module = MustParse(absl::StrCat(
          "less { a = ", name, "[] parameter(0) b = ", name,
          "[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }\nENTRY e { x = ", name,
          "[", count, "] parameter(0) ROOT s = ", name, "[", count,
          "] sort(x), dimensions={0}, to_apply=less }"));
      const Literal keys = Inputs(*module)[0];
      std::set<int64_t> seen;
      for (int64_t i = 0; i < count; ++i) {
        ASSERT_FALSE(IsNan(type, keys.Get(i).bits) || IsInfinity(type, keys.Get(i).bits)) << name;
        seen.insert(FloatOrdinal(type, keys.Get(i).bits));
      }
      const size_t possible = narrow ? finite.size() : SIZE_MAX;
      EXPECT_EQ(seen.size(), std::min<size_t>(count, possible)) << name << " " << count;
    }
  }
}

// A key that is an index as well.
TEST(RandomInputs, UniqueIndicesStayInRange) {
  auto module = MustParse(R"(
    less { a = s32[] parameter(0) b = s32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
    ENTRY e { a = f32[10] parameter(0) i = s32[7,1] parameter(1) flat = s32[7] reshape(i)
      s = s32[7] sort(flat), dimensions={0}, to_apply=less
      g = f32[7] gather(a, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},
        index_vector_dim=1, slice_sizes={1}
      ROOT t = (s32[7], f32[7]) tuple(s, g) })");
  const Literal indices = Inputs(*module)[1];
  std::set<int64_t> seen;
  for (int64_t i = 0; i < 7; ++i) {
    const int64_t index = DecodeSigned(ElementType::kS32, indices.Get(i).bits);
    EXPECT_GE(index, 0);
    EXPECT_LE(index, 9);
    seen.insert(index);
  }
  EXPECT_EQ(seen.size(), 7);
}

std::vector<std::vector<Literal>> InputsOfAll(const Module& module, uint64_t seed) {
  std::vector<std::vector<Literal>> all;
  RandomInputOptions options;
  options.seed = seed;
  options.grid = {module.replica_count, module.num_partitions};
  for (int64_t d = 0; d < options.grid.count(); ++d) {
    options.process = {0, options.grid.ReplicaOf(d), options.grid.PartitionOf(d)};
    all.push_back(Inputs(module, options));
  }
  return all;
}

int64_t At(const Literal& array, int64_t i) {
  return DecodeSigned(array.element_type(), array.Get(i).bits);
}

// The interpreter refuses pieces that lie outside, overlap, or are not what the receiver expects.
TEST(RandomInputs, PiecesOfRaggedTransfersFit) {
  constexpr absl::string_view kTransfer = R"(HloModule m, replica_count=4
    ENTRY e { x = f32[13,2] parameter(0) y = f32[40,2] parameter(1)
      at = s32[$0] parameter(2) send = s64[4] parameter(3) to = s32[$0] parameter(4)
      recv = s32[$0] parameter(5) half = s32[4] convert(send) sizes = s32[$0] reshape(half)
      ROOT r = f32[40,2] ragged-all-to-all(x, y, at, sizes, to, recv), replica_groups=$1 })";
  int64_t sent = 0;
  for (const char* groups : {"{}", "{{2,0,3,1}}"}) {
    auto module = MustParse(absl::Substitute(kTransfer, "4", groups));
    auto planned = PlannedModule::Create(*module);
    ASSERT_TRUE(planned.ok()) << planned.status();
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Program program{planned->get(), nullptr, {4, 1}, InputsOfAll(*module, seed)};
      for (int64_t i = 0; i < 4; ++i) {
        for (int64_t j = 0; j < 4; ++j) sent += At(program.arguments[i][3], j);
      }
      const auto results = RunPrograms({&program, 1});
      ASSERT_TRUE(results.ok()) << results.status();
    }
  }
  EXPECT_GT(sent, 40);
  // Two groups of two with three updates for each peer; one array for both sizes and both offsets.
  auto module = MustParse(R"(HloModule m, replica_count=4
    ENTRY e { x = f32[50] parameter(0) y = f32[50] parameter(1) at = s32[2,3] parameter(2)
      sizes = s32[2,3] parameter(3)
      ROOT r = f32[50] ragged-all-to-all(x, y, at, sizes, at, sizes),
        replica_groups={{0,3},{2,1}} })");
  auto planned = PlannedModule::Create(*module);
  ASSERT_TRUE(planned.ok()) << planned.status();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Program program{planned->get(), nullptr, {4, 1}, InputsOfAll(*module, seed)};
    const auto results = RunPrograms({&program, 1});
    ASSERT_TRUE(results.ok()) << results.status();
  }
}

TEST(RandomInputs, GroupSizesAddUpToTheRows) {
  auto module = MustParse(R"(
    ENTRY e { x = f32[9,5] parameter(0) y = f32[3,5,4] parameter(1) s = u8[3] parameter(2)
      n = s32[] parameter(3) d = f32[<=9,5] set-dimension-size(x, n), dimensions={0}
      ROOT r = f32[9,4] ragged-dot(x, y, s), lhs_contracting_dims={1}, rhs_contracting_dims={1},
        lhs_ragged_dims={0}, rhs_group_dims={0} })");
  std::set<int64_t> first, rows;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomInputOptions options;
    options.seed = seed;
    const std::vector<Literal> inputs = Inputs(*module, options);
    const Literal& sizes = inputs[2];
    EXPECT_EQ(sizes.Get(0).bits + sizes.Get(1).bits + sizes.Get(2).bits, 9);
    first.insert(static_cast<int64_t>(sizes.Get(0).bits));
    rows.insert(At(inputs[3], 0));
  }
  EXPECT_GT(first.size(), 5);
  EXPECT_EQ(*rows.begin(), 0);
  EXPECT_EQ(*rows.rbegin(), 9);
}

TEST(RandomInputs, RangesWithoutAValueAreRefused) {
  auto module = MustParse(
      "ENTRY e { x = s32[4] parameter(0) y = s8[4] parameter(1) z = f8e4m3fn[4] parameter(2) "
      "w = bf16[200] parameter(3) ROOT t = (s32[4]) tuple(x) }");
  auto error = [&](std::vector<std::string> texts) {
    RandomInputOptions options;
    for (const std::string& text : texts) {
      absl::Status status = ParseRange(text, &options.ranges);
      if (!status.ok()) return std::string(status.message());
    }
    return std::string(RandomInputs(*module, options).status().message());
  };
  EXPECT_THAT(error({"x=0.2:0.8"}),
              HasSubstr("no value of s32 lies in the range 0.2:0.8 of parameter x"));
  EXPECT_THAT(error({"y=1000:2000"}), HasSubstr("no value of s8"));
  EXPECT_THAT(error({"z=500:1000"}), HasSubstr("no value of f8e4m3fn"));
  EXPECT_THAT(error({"z=1.01:1.02"}), HasSubstr("no value of f8e4m3fn"));
  EXPECT_THAT(error({"x=-inf:inf"}), HasSubstr("finite"));
  EXPECT_THAT(error({"x=1:2", "arg0=3:4"}), HasSubstr("parameter x is arg0: two ranges"));
  EXPECT_THAT(error({"x=1:2", "x=3:4"}), HasSubstr("two ranges are given for x"));
  // The nearest bf16 values to 0.3 and 0.31 lie outside: 0.30078125 and 0.310546875.
  RandomInputOptions options;
  ASSERT_TRUE(ParseRange("w=0.3:0.31", &options.ranges).ok());
  ASSERT_TRUE(ParseRange("y=100:2000", &options.ranges).ok());
  ASSERT_TRUE(ParseRange("z=0:1e300", &options.ranges).ok());
  const std::vector<Literal> inputs = Inputs(*module, options);
  for (int64_t i = 0; i < 200; ++i) {
    const double w = DecodeFloat(ElementType::kBF16, inputs[3].Get(i).bits);
    EXPECT_GE(w, 0.3);
    EXPECT_LE(w, 0.31);
  }
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_GE(DecodeSigned(ElementType::kS8, inputs[1].Get(i).bits), 100);
    EXPECT_FALSE(IsNan(ElementType::kF8E4M3FN, inputs[2].Get(i).bits));
  }
}

TEST(RandomInputs, EveryTypeAndHugeShapes) {
  for (ElementType type : kArrayTypes) {
    Module module("m");
    Computation* entry = module.Add(std::make_unique<Computation>("e"));
    auto parameter = std::make_unique<Instruction>(Opcode::kParameter, Shape(type, {33}));
    parameter->set_name("x");
    parameter->set_parameter_number(0);
    entry->Add(std::move(parameter));
    const Literal value = Inputs(module)[0];
    EXPECT_EQ(value.element_count(), 33);
    if (IsFloat(type)) {
      for (int64_t i = 0; i < 33; ++i) EXPECT_FALSE(IsNan(type, value.Get(i).bits)) << Name(type);
    }
  }
  auto module = MustParse("ENTRY e { ROOT x = f32[1099511627776] parameter(0) }");
  EXPECT_EQ(RandomInputs(*module, {}).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace assay::conformance
