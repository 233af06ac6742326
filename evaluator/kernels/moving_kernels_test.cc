// Kernels that move elements against the definition, on every element type.
#include <string>
#include <vector>

#include "evaluator/kernels/differential.h"

namespace assay::evaluator {
namespace {

// `T` in instruction and parameters stands for the element type.
std::string WithType(std::string text, ElementType type) {
  for (size_t at = text.find("T["); at != std::string::npos; at = text.find("T[", at)) {
    const std::string name(Name(type));
    text.replace(at, 1, name);
    at += name.size();
  }
  return text;
}

void CheckOnEveryType(const std::vector<Differential::Case>& cases) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    for (Differential::Case c : cases) {
      c.instruction = WithType(c.instruction, type);
      for (std::string& parameter : c.parameters) parameter = WithType(parameter, type);
      differential.Check(c, {Profile::kBits});
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(differential.cases(), 0);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(MovingKernels, Views) {
  CheckOnEveryType({
      {"T[2,3] broadcast(p0), dimensions={}", {"T[]"}, "", {}},
      {"T[2,3,4] broadcast(p0), dimensions={1}", {"T[3]"}, "", {}},
      {"T[4,3,2] broadcast(p0), dimensions={2,0}", {"T[2,4]"}, "", {}},
      {"T[0,3] broadcast(p0), dimensions={1}", {"T[3]"}, "", {}},
      {"T[6,5] reshape(p0)", {"T[2,3,5]"}, "", {}},
      {"T[] reshape(p0)", {"T[1,1]"}, "", {}},
      {"T[0] reshape(p0)", {"T[3,0]"}, "", {}},
      {"T[5,7] copy(p0)", {"T[5,7]"}, "", {}},
      {"T[5,3] transpose(p0), dimensions={1,0}", {"T[3,5]"}, "", {}},
      {"T[33,70] transpose(p0), dimensions={1,0}", {"T[70,33]"}, "", {}},
      {"T[4,2,3] transpose(p0), dimensions={2,0,1}", {"T[2,3,4]"}, "", {}},
      {"T[3,17,2,19] transpose(p0), dimensions={2,3,0,1}", {"T[2,19,3,17]"}, "", {}},
      {"T[5] reverse(p0), dimensions={0}", {"T[5]"}, "", {}},
      {"T[2,3,4] reverse(p0), dimensions={0,2}", {"T[2,3,4]"}, "", {}},
      {"T[3] slice(p0), slice={[1:4]}", {"T[5]"}, "", {}},
      {"T[2,2,3] slice(p0), slice={[0:2], [1:5:3], [2:7:2]}", {"T[2,5,7]"}, "", {}},
      {"T[0,4] slice(p0), slice={[2:2], [0:4]}", {"T[3,4]"}, "", {}},
  });
}

TEST(MovingKernels, JoinsAndPads) {
  CheckOnEveryType({
      {"T[3] concatenate(p0), dimensions={0}", {"T[3]"}, "", {}},
      {"T[2,6] concatenate(p0, p1, p2), dimensions={1}", {"T[2,1]", "T[2,0]", "T[2,5]"}, "", {}},
      {"T[5,3] concatenate(p0, p1), dimensions={0}", {"T[2,3]", "T[3,3]"}, "", {}},
      {"T[6] pad(p0, p1), padding=1_2", {"T[3]", "T[]"}, "", {}},
      {"T[5,9] pad(p0, p1), padding=0_2_1x1_1_2", {"T[2,3]", "T[]"}, "", {}},
      {"T[4] pad(p0, p1), padding=-1_0_1", {"T[3]", "T[]"}, "", {}},
      {"T[4] pad(p0, p1), padding=4_-5_1", {"T[3]", "T[]"}, "", {}},
      {"T[1] pad(p0, p1), padding=-6_2_1", {"T[3]", "T[]"}, "", {}},
      {"T[4] pad(p0, p1), padding=-4_5", {"T[3]", "T[]"}, "", {}},
      {"T[3] pad(p0, p1), padding=2_1_3", {"T[0]", "T[]"}, "", {}},
      {"T[2,2] pad(p0, p1), padding=-1_-1x0_-1", {"T[4,3]", "T[]"}, "", {}},
  });
}

TEST(MovingKernels, DynamicSlices) {
  std::vector<Differential::Case> cases;
  for (const std::string index : {"s8[]", "u8[]", "s32[]", "u32[]", "s64[]", "u64[]", "s4[]"}) {
    cases.push_back({"T[2,3] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={2,3}",
                     {"T[4,5]", index, index},
                     "",
                     {false, true, true}});
    cases.push_back({"T[4,5] dynamic-update-slice(p0, p1, p2, p3)",
                     {"T[4,5]", "T[3,2]", index, index},
                     "",
                     {false, false, true, true}});
    // Starts far outside: any pattern of the index type.
    cases.push_back({"T[3] dynamic-slice(p0, p1), dynamic_slice_sizes={3}",
                     {"T[300]", index},
                     "",
                     {false, false}});
  }
  cases.push_back({"T[0] dynamic-slice(p0, p1), dynamic_slice_sizes={0}",
                   {"T[4]", "s32[]"},
                   "",
                   {false, true}});
  cases.push_back({"T[4] dynamic-update-slice(p0, p1, p2)",
                   {"T[4]", "T[0]", "s32[]"},
                   "",
                   {false, false, true}});
  CheckOnEveryType(cases);
}

TEST(MovingKernels, Gathers) {
  CheckOnEveryType({
      {"T[5,7] gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
       "index_vector_dim=1, slice_sizes={1,7}",
       {"T[9,7]", "s32[5]"},
       "",
       {false, true}},
      {"T[3,5] gather(p0, p1), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, "
       "index_vector_dim=1, slice_sizes={3,1}",
       {"T[3,8]", "u8[5]"},
       "",
       {false, true}},
      {"T[4,2,3] gather(p0, p1), offset_dims={1,2}, collapsed_slice_dims={}, "
       "start_index_map={1,0}, index_vector_dim=0, slice_sizes={2,3}",
       {"T[6,7]", "s64[2,4]"},
       "",
       {false, true}},
      {"T[2,3,2,2] gather(p0, p1), offset_dims={2,3}, collapsed_slice_dims={1}, "
       "start_index_map={2,1}, operand_batching_dims={0}, start_indices_batching_dims={0}, "
       "index_vector_dim=2, slice_sizes={1,1,2,2}",
       {"T[2,3,4,2]", "s32[2,3,2]"},
       "",
       {false, true}},
      {"T[3,2] gather(p0, p1), offset_dims={}, collapsed_slice_dims={2}, start_index_map={2}, "
       "operand_batching_dims={0,1}, start_indices_batching_dims={1,0}, index_vector_dim=2, "
       "slice_sizes={1,1,1}",
       {"T[2,3,4]", "s32[3,2]"},
       "",
       {false, true}},
      {"T[0,7] gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
       "index_vector_dim=1, slice_sizes={1,7}",
       {"T[9,7]", "s32[0]"},
       "",
       {false, true}},
      {"T[4] gather(p0, p1), offset_dims={}, collapsed_slice_dims={}, start_index_map={}, "
       "index_vector_dim=1, slice_sizes={}",
       {"T[]", "s32[4,0]"},
       "",
       {false, true}},
  });
}

TEST(MovingKernels, CountsAndReinterprets) {
  Differential differential;
  for (const ElementType type : kArrayTypes) {
    const std::string name(Name(type));
    if (!IsPred(type)) {
      differential.Check({name + "[3,20,2] iota(), iota_dimension=1", {}, "", {}});
      differential.Check({name + "[300] iota(), iota_dimension=0", {}, "", {}});
    }
    for (const ElementType to : kArrayTypes) {
      if (IsComplex(type) != IsComplex(to) || IsComplex(type)) continue;
      const int from_bits = Info(type).bits == 1 && IsPred(type) ? 8 : Info(type).bits;
      const int to_bits = Info(to).bits == 1 && IsPred(to) ? 8 : Info(to).bits;
      if (from_bits == 6 || to_bits == 6) continue;
      std::string operand = "3", result = "3";
      if (from_bits > to_bits) absl::StrAppend(&result, ",", from_bits / to_bits);
      if (from_bits < to_bits) absl::StrAppend(&operand, ",", to_bits / from_bits);
      differential.Check({absl::StrCat(ShapeText(to, result), " bitcast-convert(p0)"),
                          {ShapeText(type, operand)},
                          "",
                          {}},
                         {Profile::kBits});
      if (HasFailure()) return;
    }
  }
  differential.Check({"f32[3,2]{1,0} bitcast(p0)", {"f32[2,3]{1,0}"}, "", {}});
  differential.Check({"f32[3,2]{0,1} bitcast(p0)", {"f32[2,3]{1,0}"}, "", {}});
  differential.Check({"s32[6]{0} bitcast(p0)", {"f32[2,3]{1,0}"}, "", {}});
}

}  // namespace
}  // namespace assay::evaluator
