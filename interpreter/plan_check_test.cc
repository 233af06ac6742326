// Plans of random modules: what holds of every plan (runtime/testing/check_plan.h), and one value,
// however a module is run: by kernels or definitions, observed, with references made for each step,
// with calls on a stack of their own.
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "interpreter/plan_testing.h"
#include "runtime/plan.h"
#include "runtime/testing/check_plan.h"

namespace assay::plan_check_test {
namespace {

using Sizes = std::vector<int>;

// Around the borders between values of less than a place, of one and of several, local values and
// buffers (16 bytes, 256 bytes, 128 KiB), and one whose last place is not full.
constexpr int kSizes[] = {1, 3, 4, 10, 64, 65, 200, 1000, 32769};

std::string Type(int size) { return absl::StrCat("s32[", size, "]"); }
std::string TupleType(const Sizes& sizes) {
  std::vector<std::string> types;
  for (const int size : sizes) types.push_back(Type(size));
  return absl::StrCat("(", absl::StrJoin(types, ", "), ")");
}

// Writes modules of vectors of s32: kernels that may overwrite an operand and that may not, views,
// constants, tuples, calls, loops and branches, up to three levels deep.
class ModuleWriter {
 public:
  // A third of the modules have small values alone, whose calls and loops run without activations.
  explicit ModuleWriter(uint32_t seed) : random_(seed), sizes_(seed % 3 == 0 ? 5 : 8) {}

  std::string Write() {
    const Computation entry = WriteComputation(/*depth=*/0);
    const size_t at = text_.rfind(absl::StrCat(entry.name, " {"));
    text_.insert(at, "ENTRY ");
    return text_;
  }

 private:
  struct Value {
    std::string name;
    int size;
  };
  struct Computation {
    std::string name;
    Sizes parameters, results;
  };

  int Draw(int count) { return static_cast<int>(random_() % count); }
  bool OneIn(int count) { return Draw(count) == 0; }
  int DrawSize() { return kSizes[Draw(sizes_ == 8 && OneIn(8) ? 9 : sizes_)]; }
  std::string NewName() { return absl::StrCat("v", ++names_); }

  // The text of a body that is being written, and the values in it.
  struct Body {
    std::string text;
    std::vector<Value> values;
  };
  std::string Add(Body& body, const std::string& type, const std::string& expression) {
    const std::string name = NewName();
    absl::StrAppend(&body.text, "  ", name, " = ", type, " ", expression, "\n");
    return name;
  }
  void AddValue(Body& body, int size, const std::string& expression) {
    const std::string name = Add(body, Type(size), expression);
    body.values.push_back({name, size});
  }
  // Late values often, so that early ones die.
  const Value& Pick(const Body& body) {
    const int count = static_cast<int>(body.values.size());
    return body.values[OneIn(3) ? Draw(count) : count - 1 - Draw(std::min(count, 4))];
  }
  // A value of a size: one there is, or one made for it.
  std::string PickOf(Body& body, int size) {
    std::vector<std::string> names;
    for (const Value& value : body.values) {
      if (value.size == size) names.push_back(value.name);
    }
    if (!names.empty())
      return OneIn(2) ? names.back() : names[Draw(static_cast<int>(names.size()))];
    AddIota(body, size);
    return body.values.back().name;
  }
  void AddIota(Body& body, int size) { AddValue(body, size, "iota(), iota_dimension=0"); }

  void AddConstant(Body& body, int size) {
    std::vector<int> elements(std::min(size, 70));
    for (int& element : elements) element = Draw(100) - 50;
    if (size <= 70) {
      AddValue(body, size, absl::StrCat("constant({", absl::StrJoin(elements, ", "), "})"));
      return;
    }
    const std::string scalar = Add(body, "s32[]", absl::StrCat("constant(", elements[0], ")"));
    AddValue(body, size, absl::StrCat("broadcast(", scalar, "), dimensions={}"));
  }

  void AddInstruction(Body& body, int depth) {
    const Value x = Pick(body);
    switch (Draw(depth < 3 ? 14 : 11)) {
      case 0:
      case 1:
        return AddValue(body, x.size, absl::StrCat(OneIn(2) ? "negate(" : "not(", x.name, ")"));
      case 2:
      case 3: {
        const std::string y = PickOf(body, x.size);
        const bool before = OneIn(2);
        return AddValue(
            body, x.size,
            absl::StrCat("subtract(", before ? x.name : y, ", ", before ? y : x.name, ")"));
      }
      case 4:
        return AddValue(body, x.size, absl::StrCat("reverse(", x.name, "), dimensions={0}"));
      case 5: {
        const int size = DrawSize();
        if (size > x.size) return AddIota(body, size);
        const int start = Draw(x.size - size + 1);
        return AddValue(
            body, size,
            absl::StrCat("slice(", x.name, "), slice={[", start, ":", start + size, "]}"));
      }
      case 6: {
        const Value y = Pick(body);
        if (x.size + y.size > 40000) return AddIota(body, x.size);
        return AddValue(body, x.size + y.size,
                        absl::StrCat("concatenate(", x.name, ", ", y.name, "), dimensions={0}"));
      }
      case 7: {
        const Value y = Pick(body);
        if (y.size > x.size) return AddConstant(body, DrawSize());
        const std::string at = Add(body, "s32[]", absl::StrCat("constant(", Draw(4), ")"));
        return AddValue(body, x.size,
                        absl::StrCat("dynamic-update-slice(", x.name, ", ", y.name, ", ", at, ")"));
      }
      case 8:
        return OneIn(2) ? AddConstant(body, DrawSize()) : AddIota(body, DrawSize());
      case 9: {
        const Value y = Pick(body);
        const std::string pair = Add(body, TupleType({x.size, y.size}),
                                     absl::StrCat("tuple(", x.name, ", ", y.name, ")"));
        return AddElements(body, pair, {x.size, y.size});
      }
      case 10:
        return AddValue(body, x.size,
                        absl::StrCat(OneIn(2) ? "copy(" : "opt-barrier(", x.name, ")"));
      case 11:
        return AddCall(body, depth);
      case 12:
        return AddLoop(body, depth);
      default:
        return AddConditional(body, depth);
    }
  }

  void AddElements(Body& body, const std::string& tuple, const Sizes& sizes) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      AddValue(body, sizes[i], absl::StrCat("get-tuple-element(", tuple, "), index=", i));
    }
  }

  std::string Operands(Body& body, const Sizes& sizes) {
    std::vector<std::string> names;
    for (const int size : sizes) names.push_back(PickOf(body, size));
    return absl::StrJoin(names, ", ");
  }

  // For each size, the difference of the last three values of it: little of a body is dead.
  void AddSums(Body& body, const Sizes& sizes) {
    for (const int size : sizes) {
      std::vector<std::string> names;
      for (const Value& value : body.values) {
        if (value.size == size) names.push_back(value.name);
      }
      if (names.size() < 3 || OneIn(3)) continue;
      const std::string late = Add(
          body, Type(size),
          absl::StrCat("subtract(", names[names.size() - 1], ", ", names[names.size() - 2], ")"));
      AddValue(body, size, absl::StrCat("subtract(", names[names.size() - 3], ", ", late, ")"));
    }
  }

  void AddCall(Body& body, int depth) {
    const Computation callee = WriteComputation(depth + 1);
    const std::string operands = Operands(body, callee.parameters);
    AddElements(body,
                Add(body, TupleType(callee.results),
                    absl::StrCat("call(", operands, "), to_apply=", callee.name)),
                callee.results);
  }

  void AddLoop(Body& body, int depth) {
    Sizes state(1 + Draw(4));
    for (int& size : state) size = DrawSize();
    const std::string type = absl::StrCat("(s32[], ", TupleType(state).substr(1));
    const std::string turn = NewName(), condition = NewName();
    Body inner;
    const std::string s = Add(inner, type, "parameter(0)");
    const std::string k = Add(inner, "s32[]", absl::StrCat("get-tuple-element(", s, "), index=0"));
    const std::string one = Add(inner, "s32[]", "constant(1)");
    const std::string next = Add(inner, "s32[]", absl::StrCat("add(", k, ", ", one, ")"));
    for (size_t i = 0; i < state.size(); ++i) {
      AddValue(inner, state[i], absl::StrCat("get-tuple-element(", s, "), index=", i + 1));
    }
    for (int i = Draw(7); i > 0; --i) AddInstruction(inner, depth + 1);
    AddSums(inner, state);
    const std::string results = Operands(inner, state);
    absl::StrAppend(&text_, turn, " {\n", inner.text, "  ROOT ", NewName(), " = ", type, " tuple(",
                    next, ", ", results, ")\n}\n");
    const std::string count = NewName(), most = NewName(), asked = NewName();
    absl::StrAppend(&text_, condition, " {\n  ", asked, " = ", type, " parameter(0)\n  ", count,
                    " = s32[] get-tuple-element(", asked, "), index=0\n  ", most,
                    " = s32[] constant(", Draw(4), ")\n  ROOT ", NewName(), " = pred[] compare(",
                    count, ", ", most, "), direction=LT\n}\n");
    const std::string zero = Add(body, "s32[]", "constant(0)");
    const std::string operands = Operands(body, state);
    const std::string init = Add(body, type, absl::StrCat("tuple(", zero, ", ", operands, ")"));
    const std::string loop =
        Add(body, type, absl::StrCat("while(", init, "), condition=", condition, ", body=", turn));
    for (size_t i = 0; i < state.size(); ++i) {
      AddValue(body, state[i], absl::StrCat("get-tuple-element(", loop, "), index=", i + 1));
    }
  }

  void AddConditional(Body& body, int depth) {
    Sizes results(1 + Draw(2));
    for (int& size : results) size = DrawSize();
    std::vector<std::string> branches, operands;
    for (int count = 2 + Draw(2); count > 0; --count) {
      const Computation branch = WriteComputation(depth + 1, /*parameters=*/1, results);
      branches.push_back(branch.name);
      operands.push_back(PickOf(body, branch.parameters[0]));
    }
    // Of a value that is computed: out of range often.
    const std::string chosen = PickOf(body, 1);
    const std::string index = Add(body, "s32[]", absl::StrCat("reshape(", chosen, ")"));
    AddElements(body,
                Add(body, TupleType(results),
                    absl::StrCat("conditional(", index, ", ", absl::StrJoin(operands, ", "),
                                 "), branch_computations={", absl::StrJoin(branches, ", "), "}")),
                results);
  }

  Computation WriteComputation(int depth, int parameters = -1, Sizes results = {}) {
    Computation computation;
    computation.name = NewName();
    Body body;
    if (parameters < 0) parameters = depth == 0 ? 0 : Draw(4);
    for (int i = 0; i < parameters; ++i) {
      computation.parameters.push_back(DrawSize());
      AddValue(body, computation.parameters.back(), absl::StrCat("parameter(", i, ")"));
    }
    if (body.values.empty()) AddIota(body, DrawSize());
    for (int i = depth == 0 ? 12 : Draw(7); i > 0; --i) AddInstruction(body, depth);
    if (results.empty()) {
      for (int i = 1 + Draw(4); i > 0; --i) results.push_back(Pick(body).size);
    }
    computation.results = results;
    AddSums(body, results);
    const std::string roots = Operands(body, results);
    absl::StrAppend(&text_, computation.name, " {\n", body.text, "  ROOT ", NewName(), " = ",
                    TupleType(results), " tuple(", roots, ")\n}\n");
    return computation;
  }

  std::mt19937 random_;
  const int sizes_;   // how many of kSizes are frequent
  std::string text_;  // the computations so far
  int names_ = 0;
};

std::string Faults(const PlannedModule& planned) {
  std::string faults;
  for (const auto& computation : planned.module().computations()) {
    const runtime::ComputationPlan* const plan = planned.plan().plan_of(*computation);
    if (plan == nullptr) continue;
    absl::StrAppend(&faults, runtime::PlanCheck(*plan, !planned.options().observed).faults());
  }
  return faults;
}

TEST(PlanCheck, PlansOfRandomModulesHoldAndGiveOneValue) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    const std::string text = ModuleWriter(seed).Write();
    SCOPED_TRACE(text);
    const std::unique_ptr<Module> module = MustParse(text);
    ASSERT_NE(module, nullptr);
    PlanOptions straight, observed;
    straight.straight = true;
    observed.observed = true;
    std::string value;
    for (const PlanOptions& options : {PlanOptions(), straight, observed}) {
      const auto planned = PlannedModule::Create(*module, options);
      ASSERT_TRUE(planned.ok()) << planned.status();
      ASSERT_EQ(Faults(**planned), "");
      RunOptions plain, unbound, stacked;
      plain.budget.threads = unbound.budget.threads = stacked.budget.threads = 1;
      unbound.budget.elements = 1 << 20;
      stacked.budget.call_depth = 8;
      for (const RunOptions& run : {plain, unbound, stacked}) {
        const absl::StatusOr<Literal> result = (*planned)->Run({}, run);
        ASSERT_TRUE(result.ok()) << result.status();
        const std::string printed = PrintTypedLiteral(*result);
        if (value.empty()) value = printed;
        ASSERT_EQ(printed, value);
      }
    }
  }
}

// The plan of the entry computation is what `look` sees.
template <typename Look>
void LookAtPlan(absl::string_view text, Look look) {
  const std::unique_ptr<Module> module = MustParse(text);
  ASSERT_NE(module, nullptr);
  const auto planned = PlannedModule::Create(*module);
  ASSERT_TRUE(planned.ok()) << planned.status();
  look(*(*planned)->plan().plan_of(*module->entry()));
}

// A view is not counted, but a larger one would be a reason to refuse the run.
TEST(Plan, ViewsOfMoreThanFourGigabytesAreStored) {
  for (const int64_t more : {0, 1}) {
    LookAtPlan(
        absl::StrCat("add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] "
                     "add(a, b) } ENTRY e { c = f32[] parameter(0) b = f32[",
                     (int64_t{1} << 30) + more,
                     "] broadcast(c), dimensions={} ROOT r = f32[] reduce(b, c), "
                     "dimensions={0}, to_apply=add }"),
        [&](const runtime::ComputationPlan& plan) { EXPECT_EQ(plan.steps.size(), 1 + more); });
  }
}

// Of two local values of 512 bytes at a time, and a root of 4 bytes before them.
TEST(Plan, LocalValuesLieSideBySide) {
  LookAtPlan(R"(ENTRY e { i = s32[128] iota(), iota_dimension=0 a = s32[128] negate(i)
      b = s32[128] subtract(a, i) c = s32[128] negate(b) d = s32[128] subtract(c, b)
      ROOT r = s32[1] slice(d), slice={[5:6]} })",
             [](const runtime::ComputationPlan& plan) {
               EXPECT_EQ(plan.small_bytes, 16);
               EXPECT_EQ(plan.arena_bytes, 64 + 2 * 512);
               EXPECT_EQ(plan.buffer_count, 0);
             });
}

// The same of 321 bytes, one more than five cache lines: each has six.
TEST(Plan, LocalValuesHaveWholeCacheLines) {
  LookAtPlan(
      R"(ENTRY e { i = s8[321] iota(), iota_dimension=0 a = s8[321] negate(i)
      b = s8[321] subtract(a, i) c = s8[321] negate(b) d = s8[321] subtract(c, b)
      ROOT r = s8[1] slice(d), slice={[5:6]} })",
      [](const runtime::ComputationPlan& plan) { EXPECT_EQ(plan.arena_bytes, 64 + 2 * 6 * 64); });
}

}  // namespace
}  // namespace assay::plan_check_test
