// The order of instructions and computations in the text. Expected orders are worked out by hand
// from hlo_text_format.md 9.1; those with control predecessors are XLA's own (JAX 0.10.2).
#include "spec/text/printer_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/text/printer.h"

namespace assay::printing {
namespace {

using ::testing::ElementsAre;

const Shape& Scalar() {
  static const Shape* const shape = new Shape(Shape::Scalar(ElementType::kF32));
  return *shape;
}

Instruction* Add(Computation* computation, Opcode opcode, std::string name,
                 std::vector<Instruction*> operands = {}) {
  auto instruction = std::make_unique<Instruction>(opcode, Scalar());
  instruction->set_name(std::move(name));
  instruction->set_operands(operands);
  return computation->Add(std::move(instruction));
}

Instruction* AddCall(Computation* computation, Opcode opcode, Attr attr, Computation* callee) {
  Instruction* call = Add(computation, opcode, absl::StrCat("call.", callee->name()));
  call->SetAttribute(attr, callee);
  return call;
}

std::vector<std::string> Names(const std::vector<const Instruction*>& order) {
  std::vector<std::string> names;
  for (const Instruction* instruction : order) names.push_back(instruction->name());
  return names;
}

std::vector<std::string> Names(const std::vector<const Computation*>& order) {
  std::vector<std::string> names;
  for (const Computation* computation : order) names.push_back(computation->name());
  return names;
}

Computation* AddComputation(Module* module, std::string name) {
  return module->Add(std::make_unique<Computation>(std::move(name)));
}

TEST(InstructionOrder, ParametersStandWhereTheyAreFirstNeeded) {
  Computation c("c");
  Instruction* p = Add(&c, Opcode::kParameter, "p");
  Instruction* q = Add(&c, Opcode::kParameter, "q");
  Instruction* n = Add(&c, Opcode::kNegate, "n", {p});
  Add(&c, Opcode::kAbs, "unused", {n});
  Add(&c, Opcode::kAdd, "r", {q, n});
  EXPECT_THAT(Names(InstructionOrder(c, false)), ElementsAre("p", "n", "unused", "q", "r"));
  EXPECT_THAT(Names(InstructionOrder(c, true)), ElementsAre("p", "q", "n", "unused", "r"));
}

TEST(InstructionOrder, ControlPredecessorsComeFirstTheLastOneBeforeTheOthers) {
  Computation c("c");
  Instruction* x = Add(&c, Opcode::kParameter, "x");
  Instruction* p1 = Add(&c, Opcode::kNegate, "p1", {x});
  Instruction* p2 = Add(&c, Opcode::kAbs, "p2", {x});
  Instruction* p3 = Add(&c, Opcode::kSin, "p3", {x});
  Instruction* a = Add(&c, Opcode::kConstant, "a");
  Instruction* b = Add(&c, Opcode::kConstant, "b");
  Instruction* sum = Add(&c, Opcode::kAdd, "sum", {a, b});
  for (Instruction* predecessor : {p3, p1, p2}) sum->AddControlPredecessor(predecessor);
  Add(&c, Opcode::kTuple, "t", {p1, p2, p3})->AddControlPredecessor(sum);
  EXPECT_THAT(Names(InstructionOrder(c, false)),
              ElementsAre("x", "p2", "p1", "p3", "a", "b", "sum", "t"));
}

TEST(InstructionOrder, TheScheduleGoesBeforeEverything) {
  Computation c("c");
  Instruction* p = Add(&c, Opcode::kParameter, "p");
  Instruction* n = Add(&c, Opcode::kNegate, "n", {p});
  Instruction* m = Add(&c, Opcode::kAbs, "m", {p});
  c.set_schedule({p, m, n});
  EXPECT_THAT(Names(InstructionOrder(c, false)), ElementsAre("p", "m", "n"));
  EXPECT_THAT(Names(InstructionOrder(c, true)), ElementsAre("p", "m", "n"));
}

TEST(InstructionOrder, StoredOrderWithALaterOperandIsNotKept) {
  Computation c("c");
  Instruction* n = Add(&c, Opcode::kNegate, "n");
  Instruction* p = Add(&c, Opcode::kParameter, "p");
  n->AppendOperand(p);
  EXPECT_THAT(Names(InstructionOrder(c, true)), ElementsAre("p", "n"));
}

TEST(InstructionOrder, AChainOfAMillionInstructions) {
  Computation c("c");
  Instruction* last = Add(&c, Opcode::kParameter, "p");
  for (int i = 0; i < 1000000; ++i) last = Add(&c, Opcode::kAdd, "a", {last, last});
  const std::vector<const Instruction*> order = InstructionOrder(c, false);
  ASSERT_EQ(order.size(), 1000001u);
  EXPECT_EQ(order.back(), last);
}

TEST(ComputationOrder, CalleesFirstInTheOrderOfTheirCalls) {
  Module module("m");
  Computation* a = AddComputation(&module, "a");
  Computation* b = AddComputation(&module, "b");
  Computation* shared = AddComputation(&module, "shared");
  Computation* unused = AddComputation(&module, "unused");
  Computation* entry = AddComputation(&module, "entry");
  Add(shared, Opcode::kParameter, "p");
  Add(unused, Opcode::kParameter, "p");
  AddCall(a, Opcode::kCall, Attr::kToApply, shared);
  AddCall(b, Opcode::kCall, Attr::kToApply, shared);
  AddCall(entry, Opcode::kCall, Attr::kToApply, b);
  AddCall(entry, Opcode::kCall, Attr::kToApply, a);
  module.set_entry(entry);
  // The stored order has a before what it calls, so it cannot be kept.
  for (bool stored : {false, true}) {
    EXPECT_THAT(Names(ComputationOrder(module, stored)),
                ElementsAre("unused", "shared", "b", "a", "entry"));
  }
}

TEST(ComputationOrder, AStoredOrderWithCalleesFirstIsKept) {
  Module module("m");
  Computation* a = AddComputation(&module, "a");
  Computation* b = AddComputation(&module, "b");
  Computation* entry = AddComputation(&module, "entry");
  Add(a, Opcode::kParameter, "p");
  Add(b, Opcode::kParameter, "p");
  AddCall(entry, Opcode::kCall, Attr::kToApply, b);
  AddCall(entry, Opcode::kCall, Attr::kToApply, a);
  EXPECT_THAT(Names(ComputationOrder(module, true)), ElementsAre("a", "b", "entry"));
  EXPECT_THAT(Names(ComputationOrder(module, false)), ElementsAre("b", "a", "entry"));
}

TEST(ComputationOrder, ALoopsBodyComesBeforeItsCondition) {
  Module module("m");
  Computation* condition = AddComputation(&module, "condition");
  Computation* body = AddComputation(&module, "body");
  Computation* entry = AddComputation(&module, "entry");
  Add(condition, Opcode::kParameter, "p");
  Add(body, Opcode::kParameter, "p");
  Instruction* loop = Add(entry, Opcode::kWhile, "loop");
  loop->SetAttribute(Attr::kCondition, condition);
  loop->SetAttribute(Attr::kBody, body);
  EXPECT_THAT(Names(ComputationOrder(module, false)), ElementsAre("body", "condition", "entry"));
}

// XLA writes the body before the condition here and cannot read that back.
TEST(ComputationOrder, AConditionThatTheBodyUsesTooComesFirst) {
  Module module("m");
  Computation* condition = AddComputation(&module, "condition");
  Computation* body = AddComputation(&module, "body");
  Computation* entry = AddComputation(&module, "entry");
  Add(condition, Opcode::kParameter, "p");
  AddCall(body, Opcode::kCall, Attr::kToApply, condition);
  Instruction* loop = Add(entry, Opcode::kWhile, "loop");
  loop->SetAttribute(Attr::kCondition, condition);
  loop->SetAttribute(Attr::kBody, body);
  EXPECT_THAT(Names(ComputationOrder(module, false)), ElementsAre("condition", "body", "entry"));
}

TEST(ComputationOrder, NestedCallsDoNotRecurse) {
  Module module("m");
  constexpr int kDepth = 100000;
  std::vector<Computation*> chain;
  for (int i = 0; i < kDepth; ++i) chain.push_back(AddComputation(&module, absl::StrCat("c", i)));
  for (int i = 0; i + 1 < kDepth; ++i)
    AddCall(chain[i], Opcode::kCall, Attr::kToApply, chain[i + 1]);
  Add(chain.back(), Opcode::kParameter, "p");
  module.set_entry(chain[0]);
  const auto order = ComputationOrder(module, false);
  ASSERT_EQ(order.size(), size_t{kDepth});
  EXPECT_EQ(order.front(), chain.back());
  EXPECT_EQ(order.back(), chain.front());
}

// Bodies in the place of names double the text with every level here; they stop at a limit.
TEST(ComputationOrder, InlineBodiesOfABinaryTreeOfCallsStayBounded) {
  Module module("m");
  std::vector<Computation*> levels = {AddComputation(&module, "leaf")};
  Add(levels[0], Opcode::kParameter, "p");
  for (int i = 0; i < 60; ++i) {
    Computation* next = AddComputation(&module, absl::StrCat("c", i));
    AddCall(next, Opcode::kCall, Attr::kToApply, levels.back());
    AddCall(next, Opcode::kCall, Attr::kToApply, levels.back());
    levels.push_back(next);
  }
  PrintOptions options = PrintOptions::Canonical();
  options.max_inlined_bytes = 100000;
  EXPECT_LT(PrintModule(module, options).size(), 1000000u);
}

// XLA starts from the instructions and computations created first, which are those with the lowest
// ids, however they are stored.
TEST(InstructionOrder, StartsFromTheLowestId) {
  Computation c("c");
  Instruction* p = Add(&c, Opcode::kParameter, "p");
  Add(&c, Opcode::kAbs, "late", {p})->set_id(9);
  Add(&c, Opcode::kNegate, "early", {p})->set_id(2);
  p->set_id(5);
  EXPECT_THAT(Names(InstructionOrder(c, false)), ElementsAre("p", "early", "late"));
  EXPECT_THAT(Names(InstructionOrder(c, true)), ElementsAre("p", "late", "early"));
  c.instruction(2)->set_id(0);
  EXPECT_THAT(Names(InstructionOrder(c, false)), ElementsAre("p", "late", "early"));
}

TEST(InstructionOrder, TheScheduleCountsOnlyWhereItIsWanted) {
  Computation c("c");
  Instruction* p = Add(&c, Opcode::kParameter, "p");
  Instruction* a = Add(&c, Opcode::kAbs, "a", {p});
  Instruction* b = Add(&c, Opcode::kNegate, "b", {p});
  c.set_schedule({p, b, a});
  EXPECT_THAT(Names(InstructionOrder(c, false)), ElementsAre("p", "b", "a"));
  EXPECT_THAT(Names(InstructionOrder(c, false, /*scheduled=*/false)), ElementsAre("p", "a", "b"));
}

TEST(ComputationOrder, TheCalleeOfTheLowestIdComesFirst) {
  Module module("m");
  Computation* f = AddComputation(&module, "f");
  Add(f, Opcode::kParameter, "p");
  Computation* g = AddComputation(&module, "g");
  Add(g, Opcode::kParameter, "p");
  Computation* main = AddComputation(&module, "main");
  AddCall(main, Opcode::kCall, Attr::kToApply, f)->set_id(8);
  AddCall(main, Opcode::kCall, Attr::kToApply, g)->set_id(3);
  EXPECT_THAT(Names(ComputationOrder(module, false)), ElementsAre("g", "f", "main"));
  EXPECT_THAT(Names(ComputationOrder(module, true)), ElementsAre("f", "g", "main"));
}

}  // namespace
}  // namespace assay::printing
