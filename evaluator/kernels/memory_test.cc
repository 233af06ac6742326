// How much kernels allocate while they run: no more than their operands and results take, and a
// constant, and what they allocate is counted against the run. Prints a table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/evaluator.h"
#include "runtime/float_environment.h"
#include "spec/element/element.h"
#include "spec/testing/counted_memory.h"
#include "spec/text/parser.h"

namespace assay::evaluator {
namespace {

// What a kernel may take whatever its operands: tiles, blocks, tables of 16-bit types.
constexpr int64_t kConstant = 5 << 20;
// What it need not count: tables of 16-bit types.
constexpr int64_t kNotCounted = 3 << 20;

class Account : public runtime::ScratchAccount {
 public:
  absl::Status Reserve(int64_t bytes) override {
    live_ += bytes;
    peak_ = std::max(peak_, live_);
    return absl::OkStatus();
  }
  void Release(int64_t bytes) override { live_ -= bytes; }
  int64_t live() const { return live_; }
  int64_t peak() const { return peak_; }

 private:
  int64_t live_ = 0, peak_ = 0;
};

// Whole numbers: floats from -8 to 7, integers from 0 to 127, which are indices of all cases.
Literal Operand(const Shape& shape) {
  Literal literal = Literal::Zeros(shape);
  const ElementType type = shape.element_type();
  const ElementType part = Info(type).component;
  uint64_t state = 12345;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto value = static_cast<int64_t>(state >> 40);
    literal.Set(i, {IsFloat(part) ? EncodeFloatFromSigned(part, value % 16 - 8)
                                  : EncodeInteger(type, static_cast<uint64_t>(value & 127))});
  }
  return literal;
}

std::string Binary(const std::string& name, const std::string& type, const std::string& root) {
  return absl::StrCat(name, " {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                      "[] parameter(1)\n  ROOT c = ", root, "\n}\n");
}

struct MemoryCase {
  std::string name;
  std::string instruction;
  std::vector<std::string> parameters;
  std::string computations;
};

std::vector<MemoryCase> Contractions() {
  const std::string vectors = " dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}";
  const std::string across = " dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={1}";
  const std::string window = " convolution(p0, p1), window={size=4194304}, dim_labels=bf0_io0->bf0";
  return {
      {"dot s8", "s32[]" + vectors, {"s8[4194304]", "s8[4194304]"}, ""},
      {"dot pred", "pred[]" + vectors, {"pred[4194304]", "pred[4194304]"}, ""},
      {"dot f8", "f8e5m2[]" + vectors, {"f8e5m2[4194304]", "f8e5m2[4194304]"}, ""},
      {"dot c64", "c64[]" + vectors, {"c64[1048576]", "c64[1048576]"}, ""},
      {"dot f8 transposed", "f32[4,4]" + across, {"f8e5m2[1048576,4]", "f8e5m2[4,1048576]"}, ""},
      {"dot c64 transposed", "c64[4,4]" + across, {"c64[262144,4]", "c64[4,262144]"}, ""},
      {"dot f8, many columns", "f32[8,4096]" + across, {"f8e5m2[2048,8]", "f8e5m2[4096,2048]"}, ""},
      {"ragged-dot f8",
       "f32[4,2,2] ragged-dot(p0, p1, p2), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
       "lhs_ragged_dims={1}",
       {"f8e5m2[2,2097152]", "f8e5m2[2097152,2]", "s32[4]"},
       ""},
      {"ragged-dot f8, rows",
       "f8e5m2[262144,4] ragged-dot(p0, p1, p2), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
       {"f8e5m2[262144,16]", "f8e5m2[65536,16,4]", "s32[65536]"},
       ""},
      {"scaled-dot f8",
       "f32[4,4] scaled-dot(p0, p1, p2, p3), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {"f8e5m2[4,1048576]", "f8e5m2[1048576,4]", "f8e8m0fnu[4,32768]", "f8e8m0fnu[32768,4]"},
       ""},
      {"convolution f8", "f32[1,1,1]" + window, {"f8e5m2[1,1,4194304]", "f8e5m2[1,1,4194304]"}, ""},
      {"convolution s8", "s32[1,1,1]" + window, {"s8[1,1,4194304]", "s8[1,1,4194304]"}, ""},
      {"convolution f8, features",
       "f32[1,4,2] convolution(p0, p1), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f",
       {"f8e5m2[1,4,1048576]", "f8e5m2[3,1048576,2]"},
       ""},
      {"convolution f8, outputs",
       "f8e5m2[1,4,1048576] convolution(p0, p1), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f",
       {"f8e5m2[1,4,4]", "f8e5m2[3,4,1048576]"},
       ""},
  };
}

std::vector<MemoryCase> Folds() {
  const std::string add = Binary("f", "f8e5m2", "f8e5m2[] add(a, b)");
  const std::string unit =
      " scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f";
  const std::string select =
      absl::StrCat(add, Binary("g", "f8e5m2", "pred[] compare(a, b), direction=GE"));
  return {
      {"reduce f8",
       "f8e5m2[3] reduce(p0, p1), dimensions={0}, to_apply=f",
       {"f8e5m2[2097152,3]", "f8e5m2[]"},
       add},
      {"reduce-window f8, global",
       "f8e5m2[1,1] reduce-window(p0, p1), window={size=2048x2048}, to_apply=f",
       {"f8e5m2[2048,2048]", "f8e5m2[]"},
       add},
      {"scatter f32",
       "f32[1048576]" + unit,
       {"f32[1048576]", "s32[1048576,1]", "f32[1048576]"},
       Binary("f", "f32", "f32[] add(a, b)")},
      {"scatter f8, few cells",
       "f8e5m2[128]" + unit,
       {"f8e5m2[128]", "u8[4194304,1]", "f8e5m2[4194304]"},
       add},
      {"scatter f32, updates of bf16",
       "f32[1048576]" + unit,
       {"f32[1048576]", "s32[1048576,1]", "bf16[1048576]"},
       Binary("f", "f32", "f32[] add(a, b)")},
      {"scatter f32, few cells, updates of f8",
       "f32[128]" + unit,
       {"f32[128]", "u8[4194304,1]", "f8e5m2[4194304]"},
       Binary("f", "f32", "f32[] add(a, b)")},
      {"scatter f8, products",
       "f8e5m2[128]" + unit,
       {"f8e5m2[128]", "u8[1048576,1]", "f8e5m2[1048576]"},
       Binary("f", "f8e5m2", "f8e5m2[] multiply(a, b)")},
      {"scatter bf16, windows",
       "bf16[4194304] scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f",
       {"bf16[4194304]", "s32[2,1]", "bf16[2,2097152]"},
       Binary("f", "bf16", "bf16[] add(a, b)")},
      {"select-and-scatter f8",
       "f8e5m2[1048576] select-and-scatter(p0, p1, p2), window={size=2 stride=2}, select=g, "
       "scatter=f",
       {"f8e5m2[1048576]", "f8e5m2[524288]", "f8e5m2[]"},
       select},
      {"select-and-scatter f32",
       "f32[262144] select-and-scatter(p0, p1, p2), window={size=3 pad=1_1}, select=g, scatter=f",
       {"f32[262144]", "f32[262144]", "f32[]"},
       absl::StrCat(Binary("f", "f32", "f32[] add(a, b)"),
                    Binary("g", "f32", "pred[] compare(a, b), direction=GE"))},
      {"select-and-scatter f8, overlapping",
       "f8e5m2[1048576] select-and-scatter(p0, p1, p2), window={size=3 pad=1_1}, select=g, "
       "scatter=f",
       {"f8e5m2[1048576]", "f8e5m2[1048576]", "f8e5m2[]"},
       select},
  };
}

std::vector<MemoryCase> Sorts() {
  const auto sort = [](const std::string& type, const std::string& direction, int64_t size) {
    const std::string shape = absl::StrCat(type, "[", size, "]");
    return MemoryCase{
        absl::StrCat("sort ", type, " ", direction),
        shape + " sort(p0), dimensions={0}, to_apply=f",
        {shape},
        Binary("f", type, absl::StrCat("pred[] compare(a, b), direction=", direction))};
  };
  return {
      sort("u8", "LT", 4194304),
      sort("bf16", "LT", 4194304),
      sort("f32", "LT", 4194304),
      sort("s64", "LT", 2097152),
      sort("u8", "LE", 524288),
      sort("bf16", "LE", 524288),
      sort("f32", "LE", 524288),
      sort("f64", "LE", 524288),
      {"sort f32 by a key of f64",
       "f32[4194304] sort(p0), dimensions={0}, to_apply=f",
       {"f32[4194304]"},
       "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f64[] convert(a)\n  d = "
       "f64[] convert(b)\n  ROOT r = pred[] compare(c, d), direction=LT\n}\n"},
      {"topk f8, all",
       "(f8e5m2[4194304], s32[4194304]) topk(p0), k=4194304",
       {"f8e5m2[4194304]"},
       ""},
      {"topk f8", "(f8e5m2[65536], s32[65536]) topk(p0), k=65536", {"f8e5m2[4194304]"}, ""},
      {"topk f32", "(f32[2097152], s32[2097152]) topk(p0), k=2097152", {"f32[4194304]"}, ""},
  };
}

void Check(const MemoryCase& c) {
  std::string text = absl::StrCat("HloModule m\n\n", c.computations, "\nENTRY e {\n");
  for (size_t i = 0; i < c.parameters.size(); ++i) {
    absl::StrAppend(&text, "  p", i, " = ", c.parameters[i], " parameter(", i, ")\n");
  }
  absl::StrAppend(&text, "  ROOT r = ", c.instruction, "\n}\n");
  SCOPED_TRACE(text);
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const Instruction& root = *(*module)->entry()->root();
  absl::StatusOr<std::unique_ptr<Kernel>> kernel = PrepareKernel(root);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  int64_t live = 0;
  std::vector<Literal> operands, results;
  std::vector<ArrayRef> inputs;
  std::vector<MutableArrayRef> outputs;
  for (const Instruction* operand : root.operands()) operands.push_back(Operand(operand->shape()));
  for (const Shape* leaf : Leaves(root.shape())) results.push_back(Literal::Zeros(*leaf));
  for (const Literal& operand : operands) {
    inputs.push_back({&operand.shape(), operand.data()});
    live += operand.byte_size();
  }
  for (Literal& result : results) {
    outputs.push_back({&result.shape(), result.mutable_data()});
    live += result.byte_size();
  }
  Account account;
  EvaluationContext context;
  context.scratch = &account;
  const runtime::FloatEnvironmentGuard guard;
  const int64_t before = HeldMemory();
  StartPeak();
  const absl::Status status = (*kernel)->Run(inputs, outputs, context);
  const int64_t taken = PeakMemory() - before;
  ASSERT_TRUE(status.ok()) << status;
  std::printf("| %s | %.1f | %.1f | %.2f |\n", c.name.c_str(), live / 1e6, taken / 1e6,
              static_cast<double>(live + taken) / static_cast<double>(live));
  EXPECT_LE(taken, live + kConstant);
  EXPECT_LE(taken, account.peak() + kNotCounted);
  EXPECT_EQ(account.live(), 0);
}

TEST(KernelMemory, StaysWithinTwiceTheLiveTensors) {
  std::printf("| case | live, MB | scratch, MB | peak over live |\n|---|---|---|---|\n");
  for (const std::vector<MemoryCase>& cases : {Contractions(), Folds(), Sorts()}) {
    for (const MemoryCase& c : cases) Check(c);
  }
}

}  // namespace
}  // namespace assay::evaluator
