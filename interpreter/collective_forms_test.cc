// Collectives in place, and on dynamic sizes. Expected values are computed by hand, or by a model
// of slices that are copied element by element between vectors.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/process_testing.h"

namespace assay::collective_forms_test {
namespace {

// The target says where, as it does for dynamic-update-slice.
TEST(CollectiveFormsTest, SlicesGoWhereTheirTargetPutsThem) {
  constexpr char kText[] = R"(HloModule m
    ENTRY e {
      in = s32[2] parameter(0)
      out = s32[4] constant({-1, -2, -3, -4})
      zero = s32[] constant(0)
      one = s32[] constant(1)
      two = s32[] constant(2)
      at = (s32[]) tuple(one)
      to = (s32[]) tuple(two)
      ROOT r = s32[4] collective-permute(in, out, at, to), source_target_pairs={{0,1},{1,2}}, slice_sizes={{1}}
    })";
  const auto argument = [](int64_t r, int64_t) {
    return absl::StrCat("s32[2] {", 10 * r, ",", 10 * r + 1, "}");
  };
  EXPECT_EQ(
      RunOn({3, 1}, kText, argument),
      Values({"s32[4] {-1, -2, -3, -4}", "s32[4] {-1, -2, 1, -4}", "s32[4] {-1, -2, 11, -4}"}));
}

// Slices end where the current sizes of the input do; where they would end behind those of the
// output they move up, and where they are longer the run ends.
TEST(CollectiveFormsTest, SlicesOfDynamicArrays) {
  // The current size of the result, and the sum of its elements times 1, 10, 100.
  const auto text = [](int kept, int slice) {
    return absl::Substitute(R"(HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }
    ENTRY e {
      x = s32[3] parameter(0)
      two = s32[] constant(2)
      in = s32[<=3] set-dimension-size(x, two), dimensions={0}
      y = s32[4] constant({-1, -2, -3, -4})
      kept = s32[] constant($0)
      out = s32[<=4] set-dimension-size(y, kept), dimensions={0}
      at = (s32[]) tuple(two)
      r = s32[<=4] collective-permute(in, out, at, at), source_target_pairs={{0,1}}, slice_sizes={{$1}}
      n = s32[] get-dimension-size(r), dimensions={0}
      zero = s32[] constant(0)
      places = s32[4] constant({1, 10, 100, 1000})
      w = s32[<=4] set-dimension-size(places, kept), dimensions={0}
      m = s32[<=4] multiply(r, w)
      sum = s32[] reduce(m, zero), dimensions={0}, to_apply=add
      ROOT t = (s32[], s32[]) tuple(n, sum)
    })",
                            kept, slice);
  };
  const auto argument = [](int64_t r, int64_t) {
    return absl::StrCat("s32[3] {", 5 + r, ",", 6 + r, ",7}");
  };
  // The input is 5 6: a slice of 1 from 2 moves up to the 6; one of 3 is cut to 5 6. In the output
  // -1 -2 -3 it begins at 2 or, with two elements, at 1.
  EXPECT_EQ(RunOn({2, 1}, text(3, 1), argument),
            Values({"( s32[] 3, s32[] -321 )", "( s32[] 3, s32[] 579 )"}));
  EXPECT_EQ(RunOn({2, 1}, text(3, 3), argument),
            Values({"( s32[] 3, s32[] -321 )", "( s32[] 3, s32[] 649 )"}));
  EXPECT_THAT(absl::StrJoin(RunOn({2, 1}, text(1, 3), argument), " "),
              testing::HasSubstr(
                  "a slice s32[2] does not fit into the current sizes of the output, s32[1]"));
}

// Reference 7.5, the example: as the operation, and as the custom call that JAX writes.
TEST(CollectiveFormsTest, RaggedAllToAllAsACustomCall) {
  const auto text = [](absl::string_view call) {
    return absl::Substitute(R"(HloModule m
    ENTRY e {
      x = s32[11] parameter(0)
      in = s32[3] slice(x), slice={[0:3]}
      in_off = s32[2] slice(x), slice={[3:5]}
      send = s32[2] slice(x), slice={[5:7]}
      out_off = s32[2] slice(x), slice={[7:9]}
      recv = s32[2] slice(x), slice={[9:11]}
      out = s32[4] constant({0, 0, 0, 0})
      ROOT r = s32[4] $0
    })",
                            call);
  };
  const auto argument = [](int64_t r, int64_t) {
    return std::string(r == 0 ? "s32[11] {1,2,2, 0,1, 1,2, 0,0, 1,1}"
                              : "s32[11] {3,4,0, 0,1, 1,1, 1,2, 2,1}");
  };
  const Texts expected = Values({"s32[4] {1, 3, 0, 0}", "s32[4] {2, 2, 4, 0}"});
  constexpr char kOperation[] =
      "ragged-all-to-all(in, out, in_off, send, out_off, recv), replica_groups={{0,1}}";
  constexpr char kCall[] =
      "custom-call(in, out, in_off, send, out_off, recv), "
      "custom_call_target=\"ragged_all_to_all\", "
      "api_version=API_VERSION_TYPED_FFI, backend_config={replica_groups = dense<[[0, 1]]> : "
      "tensor<1x2xi64>}";
  EXPECT_EQ(RunOn({2, 1}, text(kOperation), argument), expected);
  EXPECT_EQ(RunOn({2, 1}, text(kCall), argument), expected);
  EXPECT_THAT(absl::StrJoin(RunOn({2, 1},
                                  text("custom-call(in, out, in_off), "
                                       "custom_call_target=\"ragged_all_to_all\""),
                                  argument),
                            " "),
              testing::HasSubstr("\"ragged_all_to_all\": [form_c1] ragged-all-to-all takes 6"));
}

// Arrays in tuples, two slices of each, in both directions round a ring of three; started and done,
// and wrapped.
constexpr char kTuples[] = R"(
      r = u32[] replica-id()
      a = u32[2] broadcast(r), dimensions={}
      hundred = u32[] constant(100)
      b = u32[2,2] broadcast(hundred), dimensions={}
      bb = u32[2,2] broadcast(r), dimensions={}
      ab = u32[2,2] add(bb, b)
      in = (u32[2], u32[2,2]) tuple(a, ab)
      n = u32[] constant(7)
      n1 = u32[3] broadcast(n), dimensions={}
      n2 = u32[2,2] broadcast(n), dimensions={}
      out = (u32[3], u32[2,2]) tuple(n1, n2)
      z = s32[] constant(0)
      o = s32[] constant(1)
      z1 = (s32[]) tuple(z)
      o1 = (s32[]) tuple(o)
      z2 = (s32[], s32[]) tuple(z, z)
      o2 = (s32[], s32[]) tuple(o, z)
      first = ((s32[]), (s32[])) tuple(z1, o1)
      second = ((s32[], s32[]), (s32[], s32[])) tuple(z2, o2)
      from = (((s32[]), (s32[])), ((s32[], s32[]), (s32[], s32[]))) tuple(first, second)
      last = s32[] constant(2)
      l1 = (s32[]) tuple(last)
      outer = ((s32[]), (s32[])) tuple(z1, l1)
      to = (((s32[]), (s32[])), ((s32[], s32[]), (s32[], s32[]))) tuple(outer, second)
)";
constexpr char kRing[] =
    "source_target_pairs={{0,1},{1,2},{2,0},{0,2},{2,1},{1,0}}, "
    "slice_sizes={{1},{1},{1,2},{1,2}}\n";

TEST(CollectiveFormsTest, TuplesOfArraysWithSeveralSlices) {
  const Texts expected = Values({"(u32[3] {2, 7, 1}, u32[2,2] {{102, 102}, {101, 101}})",
                                 "(u32[3] {0, 7, 2}, u32[2,2] {{100, 100}, {102, 102}})",
                                 "(u32[3] {1, 7, 0}, u32[2,2] {{101, 101}, {100, 100}})"});
  EXPECT_EQ(RunOn({3, 1}, absl::StrCat("HloModule m\nENTRY e {", kTuples,
                                       "ROOT p = (u32[3], u32[2,2]) collective-permute(in, out, "
                                       "from, to), ",
                                       kRing, "}")),
            expected);
  EXPECT_EQ(RunOn({3, 1},
                  absl::StrCat("HloModule m\nENTRY e {", kTuples,
                               "s = ((u32[2], u32[2,2]), (u32[3], u32[2,2]), u32[]) "
                               "collective-permute-start(in, out, from, to), ",
                               kRing, "ROOT d = (u32[3], u32[2,2]) collective-permute-done(s)\n}")),
            expected);
  // What is straight is defined element by element.
  PlanOptions straight;
  straight.straight = true;
  EXPECT_EQ(RunOn(
                {3, 1},
                absl::StrCat("HloModule m\nENTRY e {", kTuples,
                             "ROOT p = (u32[3], u32[2,2]) collective-permute(in, out, from, "
                             "to), ",
                             kRing, "}"),
                [](int64_t, int64_t) { return std::string(); }, straight),
            expected);
}

using Ints = std::vector<int>;

// Two slices of two elements each, between two processes.
class SlicesModel {
 public:
  Ints input(int r) const { return {10 * r + 1, 10 * r + 2, 10 * r + 3}; }
  Ints output(int r) const { return {-10 * r - 1, -10 * r - 2, -10 * r - 3, -10 * r - 4}; }
  // Where process r begins: reads, then writes.
  Ints starts(int code, int r) const {
    Ints result;
    for (int k = 0; k < 4; ++k, code /= 3) result.push_back(2 * ((code + r * (k + 1)) % 3) - 1);
    return result;
  }
  static constexpr int kSize = 2;

  std::vector<Ints> Run(const std::vector<std::pair<int, int>>& pairs, int code) const {
    std::vector<Ints> results = {output(0), output(1)};
    int sent[2] = {0, 0}, received[2] = {0, 0};
    for (const auto& pair : pairs) {
      const int from = std::clamp(starts(code, pair.first)[sent[pair.first]++], 0, 3 - kSize);
      const int to =
          std::clamp(starts(code, pair.second)[2 + received[pair.second]++], 0, 4 - kSize);
      for (int i = 0; i < kSize; ++i) results[pair.second][to + i] = input(pair.first)[from + i];
    }
    return results;
  }
};

std::string Vector(const Ints& ints) {
  return absl::StrCat("s32[", ints.size(), "] {", absl::StrJoin(ints, ", "), "}");
}

// All lists of up to two pairs, and all places, also such as must be clamped.
TEST(CollectiveFormsTest, BoundedExhaustiveSlices) {
  const SlicesModel model;
  int count = 0;
  const auto check = [&](const std::vector<std::pair<int, int>>& pairs) {
    std::string list;
    for (const auto& pair : pairs) {
      absl::StrAppend(&list, list.empty() ? "" : ",", "{", pair.first, ",", pair.second, "}");
    }
    const std::string text = absl::StrCat(R"(HloModule m
      ENTRY e {
        x = s32[11] parameter(0)
        in = s32[3] slice(x), slice={[0:3]}
        out = s32[4] slice(x), slice={[3:7]}
        c0 = s32[1] slice(x), slice={[7:8]}
        c1 = s32[1] slice(x), slice={[8:9]}
        c2 = s32[1] slice(x), slice={[9:10]}
        c3 = s32[1] slice(x), slice={[10:11]}
        i0 = s32[] reshape(c0)
        i1 = s32[] reshape(c1)
        i2 = s32[] reshape(c2)
        i3 = s32[] reshape(c3)
        t0 = (s32[]) tuple(i0)
        t1 = (s32[]) tuple(i1)
        t2 = (s32[]) tuple(i2)
        t3 = (s32[]) tuple(i3)
        from = ((s32[]), (s32[])) tuple(t0, t1)
        to = ((s32[]), (s32[])) tuple(t2, t3)
        ROOT r = s32[4] collective-permute(in, out, from, to), source_target_pairs={)",
                                          list, "}, slice_sizes={{2},{2}}\n}");
    for (int code = 0; code < 81; ++code) {
      const auto argument = [&](int64_t r, int64_t) {
        Ints all = model.input(static_cast<int>(r));
        for (const Ints& more :
             {model.output(static_cast<int>(r)), model.starts(code, static_cast<int>(r))}) {
          all.insert(all.end(), more.begin(), more.end());
        }
        return Vector(all);
      };
      Texts expected;
      for (const Ints& ints : model.Run(pairs, code)) expected.push_back(Canonical(Vector(ints)));
      ASSERT_EQ(RunOn({2, 1}, text, argument), expected) << list << " " << code;
      ++count;
    }
  };
  check({});
  for (int first = 0; first < 4; ++first) {
    const std::pair<int, int> one = {first / 2, first % 2};
    check({one});
    for (int second = 0; second < 4; ++second) {
      check({one, {second / 2, second % 2}});
    }
  }
  EXPECT_EQ(count, 81 * 21);
}

constexpr char kAdd[] =
    "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n";

// x has the size that the argument's first element says, of its other elements.
std::string Sized(absl::string_view rest) {
  return absl::StrCat("HloModule m\n", kAdd, R"(
    ENTRY e {
      all = s32[5] parameter(0)
      first = s32[1] slice(all), slice={[0:1]}
      n = s32[] reshape(first)
      rest = s32[4] slice(all), slice={[1:5]}
      x = s32[<=4] set-dimension-size(rest, n), dimensions={0}
      )",
                      rest, "}");
}

// The same size in both processes.
std::string Argument(int64_t size, int64_t r) {
  return absl::StrCat("s32[5] {", size, ",", 10 * r + 1, ",", 10 * r + 2, ",", 10 * r + 3, ",",
                      10 * r + 4, "}");
}

TEST(CollectiveFormsTest, SizesTravelWithValues) {
  struct {
    absl::string_view rest;
    Texts by_process;
  } const cases[] = {
      {"ROOT r = s32[<=4] all-reduce(x), to_apply=add, replica_groups={}",
       {"s32[2] {12, 14}", "s32[2] {12, 14}"}},
      {"s = s32[<=4] all-reduce-start(x), to_apply=add, replica_groups={}\n"
       "ROOT r = s32[<=4] all-reduce-done(s)",
       {"s32[2] {12, 14}", "s32[2] {12, 14}"}},
      {"ROOT r = s32[<=8] all-gather(x), dimensions={0}, replica_groups={{1,0}}",
       {"s32[4] {11, 12, 1, 2}", "s32[4] {11, 12, 1, 2}"}},
      {"s = (s32[<=4], s32[<=8]) all-gather-start(x), dimensions={0}, replica_groups={}\n"
       "ROOT r = s32[<=8] all-gather-done(s)",
       {"s32[4] {1, 2, 11, 12}", "s32[4] {1, 2, 11, 12}"}},
      {"ROOT r = s32[<=2] reduce-scatter(x), dimensions={0}, to_apply=add, replica_groups={}",
       {"s32[1] {12}", "s32[1] {14}"}},
      {"t = (s32[<=4], s32[<=4]) all-to-all(x, x), replica_groups={{0,1}}\n"
       "ROOT r = s32[<=4] get-tuple-element(t), index=1",
       {"s32[2] {11, 12}", "s32[2] {11, 12}"}},
      {"ROOT r = s32[<=4] collective-broadcast(x), replica_groups={{1,0}}",
       {"s32[2] {11, 12}", "s32[2] {11, 12}"}},
      {"ROOT r = s32[<=4] collective-permute(x), source_target_pairs={{0,1}}",
       {"s32[2] {0, 0}", "s32[2] {1, 2}"}},
  };
  for (const auto& test : cases) {
    for (const bool is_straight : {false, true}) {
      PlanOptions options;
      options.straight = is_straight;
      EXPECT_EQ(
          RunOn(
              {2, 1}, Sized(test.rest), [](int64_t r, int64_t) { return Argument(2, r); }, options),
          Values(test.by_process))
          << test.rest;
    }
  }
}

// What only moves values moves each with its own size; what puts members together needs one.
TEST(CollectiveFormsTest, MembersWithDifferentSizes) {
  const auto argument = [](int64_t r, int64_t) { return Argument(r + 1, r); };
  EXPECT_EQ(
      RunOn({2, 1}, Sized("ROOT r = s32[<=4] collective-permute(x), source_target_pairs={{0,1}}"),
            argument),
      Values({"s32[1] {0}", "s32[1] {1}"}));
  EXPECT_EQ(
      RunOn({2, 1}, Sized("ROOT r = s32[<=4] collective-broadcast(x), replica_groups={{1,0}}"),
            argument),
      Values({"s32[2] {11, 12}", "s32[2] {11, 12}"}));
  const Texts refused = RunOn(
      {2, 1}, Sized("ROOT r = s32[<=4] all-reduce(x), to_apply=add, replica_groups={}"), argument);
  ASSERT_EQ(refused.size(), 1);
  for (const char* part : {"OUT_OF_RANGE", "replica 0 has s32[1]", "replica 1 has s32[2]"}) {
    EXPECT_NE(refused[0].find(part), std::string::npos) << refused[0];
  }
}

// A size that does not divide cannot be scattered.
TEST(CollectiveFormsTest, SizesMustDivide) {
  const Texts refused = RunOn({2, 1},
                              Sized("ROOT r = s32[<=2] reduce-scatter(x), dimensions={0}, "
                                    "to_apply=add, replica_groups={}"),
                              [](int64_t r, int64_t) { return Argument(3, r); });
  ASSERT_EQ(refused.size(), 1);
  EXPECT_NE(refused[0].find("group_c7"), std::string::npos) << refused[0];
}

}  // namespace
}  // namespace assay::collective_forms_test
