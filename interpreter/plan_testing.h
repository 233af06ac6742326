// Helpers of the tests of plans: modules on arrays of one size, run every way there is.
#ifndef ASSAY_INTERPRETER_PLAN_TESTING_H_
#define ASSAY_INTERPRETER_PLAN_TESTING_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "interpreter/process_testing.h"

namespace assay {

// Arrays of kLarge elements are longer than the blocks of every kernel, so that a result that
// overwrites what is still to be read shows; arrays of kSmall elements live in frames.
inline constexpr int kSmall = 10;
inline constexpr int kLarge = 2500;

// Runs a module by kernels, by definitions, and with every instruction observed. All give the same.
inline std::string RunEveryWay(absl::string_view module,
                               const std::vector<absl::string_view>& arguments = {}) {
  const std::string fast = RunText(module, arguments);
  PlanOptions straight, observed;
  straight.straight = true;
  observed.observed = true;
  EXPECT_EQ(RunText(module, arguments, straight), fast);
  EXPECT_EQ(RunText(module, arguments, observed), fast);
  return fast;
}

// The text of an array whose element i is f(i).
inline std::string Array(int count, const std::function<int(int)>& f) {
  std::vector<int> elements(count);
  for (int i = 0; i < count; ++i) elements[i] = f(i);
  return absl::StrCat("s32[", count, "]{0} {", absl::StrJoin(elements, ", "), "}");
}

// The elements of an array, as a constant has them.
inline std::string Elements(int count, const std::function<int(int)>& f) {
  const std::string text = Array(count, f);
  return text.substr(text.find('{', text.find(' ')));
}

inline std::string Tuple(const std::vector<std::string>& leaves) {
  return Canonical(absl::StrCat("(", absl::StrJoin(leaves, ", "), ")"));
}

// Writes the array type for $A, its number of elements for $N and their constants for {$5}, all
// fives. `i` is an array of the indices in the entry computation.
inline std::string Sized(absl::string_view text, int size) {
  const std::string fives = Elements(size, [](int) { return 5; });
  return absl::StrReplaceAll(
      text, {{"ENTRY e {", absl::StrCat("ENTRY e { i = s32[", size, "] iota(), iota_dimension=0 ")},
             {"$A", absl::StrCat("s32[", size, "]")},
             {"$N", absl::StrCat(size)},
             {"{$5}", fives}});
}

inline int Zero(int) { return 0; }
inline int Index(int i) { return i; }
inline int Minus(int i) { return -i; }

// A loop of five iterations with the state (iteration, $A, $A).
inline std::string Loop(absl::string_view body, absl::string_view entry, int size) {
  return Sized(absl::StrCat(R"(
    body { s = (s32[], $A, $A) parameter(0) k = s32[] get-tuple-element(s), index=0
      x = $A get-tuple-element(s), index=1 y = $A get-tuple-element(s), index=2
      one = s32[] constant(1) m = s32[] add(k, one) )",
                            body, R"( }
    cond { s = (s32[], $A, $A) parameter(0) k = s32[] get-tuple-element(s), index=0
      five = s32[] constant(5) ROOT p = pred[] compare(k, five), direction=LT }
    ENTRY e { zero = s32[] constant(0) )",
                            entry, " }"),
               size);
}

// What is seen of instructions, in the order in which it is seen.
class Seen : public Observer {
 public:
  void Enter(const ProcessId& process) override { replica = process.replica; }
  absl::Status Before(const Instruction& instruction, int64_t depth) override {
    lines.push_back(absl::StrCat(replica, depth, " ", instruction.name()));
    return absl::OkStatus();
  }
  absl::Status After(const Instruction& instruction, int64_t depth, const Literal& value) override {
    lines.push_back(
        absl::StrCat(replica, depth, " ", instruction.name(), " = ", PrintTypedLiteral(value)));
    return absl::OkStatus();
  }
  int64_t replica = 0;
  std::vector<std::string> lines;
};

// What an observer sees of one replica, one after the other.
inline std::vector<std::string> Observe(absl::string_view text, int64_t replicas,
                                        absl::string_view argument) {
  const std::unique_ptr<Module> module = MustParse(text);
  if (module == nullptr) return {"unparsed"};
  module->replica_count = replicas;
  PlanOptions observed;
  observed.observed = true;
  auto planned = PlannedModule::Create(*module, observed);
  if (!planned.ok()) return {planned.status().ToString()};
  Program program;
  program.module = planned->get();
  program.grid = {replicas, 1};
  program.arguments.assign(replicas, {MustParseLiteral(argument)});
  Seen seen;
  RunOptions options;
  options.observers = {&seen};
  auto results = RunPrograms(absl::MakeConstSpan(&program, 1), options);
  EXPECT_TRUE(results.ok()) << results.status();
  std::stable_sort(seen.lines.begin(), seen.lines.end(),
                   [](const std::string& a, const std::string& b) { return a[0] < b[0]; });
  return seen.lines;
}

}  // namespace assay

#endif  // ASSAY_INTERPRETER_PLAN_TESTING_H_
