// Modules: attributes and their defaults, callees, names (reference hlo_text_format.md 3.3), ids,
// parameters, descriptions. Comparison: compare_modules_test.cc.
#include "spec/ir/module.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Shape kF32x4(ElementType::kF32, {4});

// What SetAttribute keeps of `value`.
bool IsStored(Opcode opcode, Attr attr, AttributeValue value) {
  Instruction instruction(opcode, kF32x4);
  instruction.SetAttribute(attr, std::move(value));
  return instruction.HasAttribute(attr);
}

TEST(Attributes, DefaultsAreNotStored) {
  EXPECT_FALSE(IsStored(Opcode::kSort, Attr::kIsStable, false));
  EXPECT_TRUE(IsStored(Opcode::kSort, Attr::kIsStable, true));
  EXPECT_FALSE(IsStored(Opcode::kTopK, Attr::kLargest, true));
  EXPECT_TRUE(IsStored(Opcode::kTopK, Attr::kLargest, false));
  EXPECT_FALSE(IsStored(Opcode::kConvolution, Attr::kFeatureGroupCount, int64_t{1}));
  EXPECT_TRUE(IsStored(Opcode::kConvolution, Attr::kFeatureGroupCount, int64_t{2}));
  EXPECT_FALSE(IsStored(Opcode::kReshape, Attr::kInferredDimension, int64_t{-1}));
  EXPECT_TRUE(IsStored(Opcode::kReshape, Attr::kInferredDimension, int64_t{0}));
  EXPECT_FALSE(IsStored(Opcode::kInfeed, Attr::kInfeedConfig, std::string()));
  EXPECT_TRUE(IsStored(Opcode::kInfeed, Attr::kInfeedConfig, std::string("x")));
  EXPECT_FALSE(IsStored(Opcode::kReduceWindow, Attr::kWindow, Window()));
  EXPECT_TRUE(IsStored(Opcode::kReduceWindow, Attr::kWindow, Window{{WindowDimension{}}}));
  EXPECT_FALSE(IsStored(Opcode::kAllReduce, Attr::kReplicaGroups, ReplicaGroups()));
}

TEST(Attributes, EmptyListsAreStoredOnlyWhereTheyAreRequired) {
  using Ints = std::vector<int64_t>;
  EXPECT_FALSE(IsStored(Opcode::kDot, Attr::kLhsBatchDims, Ints{}));
  EXPECT_TRUE(IsStored(Opcode::kDot, Attr::kLhsBatchDims, Ints{0}));
  EXPECT_FALSE(IsStored(Opcode::kBroadcast, Attr::kDimensions, Ints{}));
  EXPECT_TRUE(IsStored(Opcode::kReduce, Attr::kDimensions, Ints{}));
}

TEST(Attributes, PrecisionsThatAreAllDefaultAreNone) {
  using Ints = std::vector<int64_t>;
  EXPECT_FALSE(IsStored(Opcode::kDot, Attr::kOperandPrecision, Ints{0, 0}));
  EXPECT_TRUE(IsStored(Opcode::kDot, Attr::kOperandPrecision, Ints{0, 2}));
}

TEST(Attributes, TheDefaultAccuracyIsNone) {
  EXPECT_FALSE(IsStored(Opcode::kExp, Attr::kResultAccuracy, ResultAccuracy()));
  EXPECT_TRUE(IsStored(Opcode::kExp, Attr::kResultAccuracy,
                       ResultAccuracy{ResultAccuracy::Mode::kHighest}));
}

TEST(Attributes, ADefaultForgetsWhatWasSet) {
  Instruction sort(Opcode::kSort, kF32x4);
  sort.SetAttribute(Attr::kIsStable, true);
  sort.SetAttribute(Attr::kDimension, int64_t{0});
  EXPECT_TRUE(sort.GetBool(Attr::kIsStable));
  sort.SetAttribute(Attr::kIsStable, false);
  EXPECT_FALSE(sort.HasAttribute(Attr::kIsStable));
  EXPECT_TRUE(sort.HasAttribute(Attr::kDimension));  // required: 0 is no default
  sort.EraseAttribute(Attr::kDimension);
  EXPECT_THAT(sort.attributes().entries(), IsEmpty());
}

TEST(Attributes, WhatIsReadAndDroppedIsNotStored) {
  EXPECT_FALSE(IsStored(Opcode::kAllReduce, Attr::kCollectiveMode, std::string("flattened_id")));
}

TEST(Attributes, GettersGiveDefaults) {
  const Instruction convolution(Opcode::kConvolution, kF32x4);
  EXPECT_EQ(convolution.GetInt(Attr::kFeatureGroupCount), 1);
  EXPECT_EQ(convolution.GetEnum<ConvolutionKind>(Attr::kConvolutionKind), ConvolutionKind::kUnset);
  EXPECT_TRUE(convolution.window().dimensions.empty());
  EXPECT_EQ(convolution.convolution_dimensions(), ConvolutionDimensions{});
  EXPECT_THAT(convolution.GetInts(Attr::kOperandPrecision), IsEmpty());
  const Instruction topk(Opcode::kTopK, kF32x4);
  EXPECT_TRUE(topk.GetBool(Attr::kLargest));
  EXPECT_FALSE(topk.FindInt(Attr::kK).has_value());  // required, missing
  const Instruction reshape(Opcode::kReshape, kF32x4);
  EXPECT_EQ(reshape.FindInt(Attr::kInferredDimension), -1);
  const Instruction all_reduce(Opcode::kAllReduce, kF32x4);
  EXPECT_FALSE(all_reduce.FindInt(Attr::kChannelId).has_value());
  EXPECT_FALSE(all_reduce.GetBool(Attr::kConstrainLayout));
  EXPECT_EQ(all_reduce.replica_groups(), ReplicaGroups{});
  EXPECT_EQ(all_reduce.to_apply(), nullptr);
  EXPECT_EQ(Instruction(Opcode::kInfeed, kF32x4).GetString(Attr::kInfeedConfig), "");
}

TEST(AttributesDeathTest, AskingForTheImpossibleIsABug) {
  Instruction sort(Opcode::kSort, kF32x4);
  EXPECT_DEATH(sort.GetInt(Attr::kDimension), "has no attribute dimensions");
  EXPECT_DEATH(sort.GetBool(Attr::kLeftSide), "has no attribute left_side");
  EXPECT_DEATH(sort.SetAttribute(Attr::kLeftSide, true), "has no attribute left_side");
}

// --- called computations ---

TEST(CalledComputations, ComeInTheOrderOfTheWireFormat) {
  Computation a("a"), b("b"), c("c");
  Instruction loop(Opcode::kWhile, Shape::Tuple({}));
  loop.SetAttribute(Attr::kCondition, &a);
  loop.SetAttribute(Attr::kBody, &b);
  EXPECT_THAT(loop.called_computations(), ElementsAre(&b, &a));

  Instruction predicated(Opcode::kConditional, kF32x4);
  predicated.SetAttribute(Attr::kFalseComputation, &a);
  predicated.SetAttribute(Attr::kTrueComputation, &b);
  EXPECT_THAT(predicated.called_computations(), ElementsAre(&b, &a));

  Instruction indexed(Opcode::kConditional, kF32x4);
  indexed.SetAttribute(Attr::kBranchComputations, std::vector<Computation*>{&c, &a, &b, &a});
  EXPECT_THAT(indexed.called_computations(), ElementsAre(&c, &a, &b, &a));

  Instruction windows(Opcode::kSelectAndScatter, kF32x4);
  windows.SetAttribute(Attr::kScatter, &a);
  windows.SetAttribute(Attr::kSelect, &b);
  EXPECT_THAT(windows.called_computations(), ElementsAre(&b, &a));

  Instruction reduce(Opcode::kReduce, kF32x4);
  reduce.SetAttribute(Attr::kToApply, &c);
  EXPECT_THAT(reduce.called_computations(), ElementsAre(&c));
  EXPECT_EQ(reduce.to_apply(), &c);
  EXPECT_THAT(Instruction(Opcode::kAdd, kF32x4).called_computations(), IsEmpty());
}

// --- modules ---

Instruction* Add(Computation& computation, const std::string& name, Opcode opcode = Opcode::kIota) {
  auto instruction = std::make_unique<Instruction>(opcode, kF32x4);
  instruction->set_name(name);
  return computation.Add(std::move(instruction));
}

Instruction* AddParameter(Computation& computation, const std::string& name, int64_t number) {
  Instruction* parameter = Add(computation, name, Opcode::kParameter);
  parameter->set_parameter_number(number);
  return parameter;
}

// A module of computations with instructions of these names.
struct Body {
  std::string name;
  std::vector<std::string> instructions;
};
std::unique_ptr<Module> ModuleOf(const std::vector<Body>& bodies) {
  auto module = std::make_unique<Module>("m");
  for (const Body& body : bodies) {
    Computation* computation = module->Add(std::make_unique<Computation>(body.name));
    for (const std::string& name : body.instructions) Add(*computation, name);
  }
  return module;
}

std::vector<std::string> InstructionNames(const Module& module) {
  std::vector<std::string> names;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      names.push_back(instruction->name());
    }
  }
  return names;
}

// The names after UniquifyNames of these, one computation each: all share one pool.
std::vector<std::string> Unique(const std::vector<std::string>& names) {
  std::vector<Body> bodies;
  for (const std::string& name : names) bodies.push_back({"c", {name}});
  const std::unique_ptr<Module> module = ModuleOf(bodies);
  module->UniquifyNames();
  return InstructionNames(*module);
}

TEST(UniquifyNames, FollowsTheExamplesOfTheReference) {
  EXPECT_THAT(Unique({"x", "x"}), ElementsAre("x", "x.1"));
  EXPECT_THAT(Unique({"x", "x.1", "x"}), ElementsAre("x", "x.1", "x.2"));
  EXPECT_THAT(Unique({"x.5", "x.5"}), ElementsAre("x.5", "x.0"));
  EXPECT_THAT(Unique({"x.05"}), ElementsAre("x.5"));
  EXPECT_THAT(Unique({"x", "x.0"}), ElementsAre("x", "x.1"));  // they collide
}

TEST(UniquifyNames, FollowsTheRuleOfTheReference) {
  // A used pair takes the smallest free number; number 0 prints as the name was.
  EXPECT_THAT(Unique({"x.0", "x"}), ElementsAre("x.0", "x.1"));
  EXPECT_THAT(Unique({"x.1", "x.1", "x.1"}), ElementsAre("x.1", "x.0", "x.2"));
  EXPECT_THAT(Unique({"x.1", "x", "x", "x.7", "x"}), ElementsAre("x.1", "x", "x.2", "x.7", "x.3"));
  // The last dot counts, and only before an integer.
  EXPECT_THAT(Unique({"x.a", "x.a", "x.1.2", "x.1.2"}),
              ElementsAre("x.a", "x.a.1", "x.1.2", "x.1.0"));
  // Number 0 of "x.1" is not a number of "x"; "x.01" is.
  EXPECT_THAT(Unique({"x.1", "x.1.0", "x.1.00", "x.01"}),
              ElementsAre("x.1", "x.1.0", "x.1.1", "x.0"));
}

TEST(UniquifyNames, ComputationsAndInstructionsHavePoolsOfTheirOwn) {
  const auto module = ModuleOf({{"x", {"x", "y"}}, {"x", {"y"}}, {"y", {"x"}}});
  module->UniquifyNames();
  EXPECT_THAT(InstructionNames(*module), ElementsAre("x", "y", "y.1", "x.1"));
  EXPECT_EQ(module->computations()[0]->name(), "x");
  EXPECT_EQ(module->computations()[1]->name(), "x.1");
  EXPECT_EQ(module->computations()[2]->name(), "y");
}

TEST(UniquifyNames, OneComputationMayKeepItsNames) {
  const auto module = ModuleOf({{"f", {"x"}}, {"f", {"x", "z"}}});
  module->UniquifyNames(module->computations()[1].get());
  EXPECT_THAT(InstructionNames(*module), ElementsAre("x.1", "x", "z"));
  EXPECT_EQ(module->computations()[0]->name(), "f.1");
  EXPECT_EQ(module->computations()[1]->name(), "f");
}

TEST(Module, AssignIdsFillsGaps) {
  const auto module = ModuleOf({{"f", {"a", "b"}}, {"g", {"c"}}});
  module->computations()[0]->instruction(1)->set_id(2);
  module->computations()[1]->set_id(3);
  module->AssignIds();
  EXPECT_EQ(module->computations()[0]->instruction(0)->id(), 1);
  EXPECT_EQ(module->computations()[0]->instruction(1)->id(), 2);
  EXPECT_EQ(module->computations()[0]->id(), 4);
  EXPECT_EQ(module->computations()[1]->instruction(0)->id(), 5);
  EXPECT_EQ(module->computations()[1]->id(), 3);
}

TEST(Module, EntryAndRootAreTheLastUnlessSet) {
  Module empty("m");
  EXPECT_EQ(empty.entry(), nullptr);
  const auto module = ModuleOf({{"f", {"a", "b"}}, {"g", {"c"}}});
  Computation* f = module->Find("f");
  EXPECT_EQ(module->entry(), module->Find("g"));
  module->set_entry(f);
  EXPECT_EQ(module->entry(), f);
  EXPECT_EQ(module->Find("h"), nullptr);
  EXPECT_EQ(module->instruction_count(), 3);
  EXPECT_EQ(f->root(), f->Find("b"));
  f->set_root(f->Find("a"));
  EXPECT_EQ(f->root()->name(), "a");
  EXPECT_EQ(f->Find("c"), nullptr);
  EXPECT_EQ(Computation("empty").root(), nullptr);
}

TEST(Computation, KeepsIndicesAndParents) {
  const auto module = ModuleOf({{"f", {"a", "b"}}});
  Computation* f = module->entry();
  EXPECT_EQ(f->parent(), module.get());
  auto between = std::make_unique<Instruction>(Opcode::kIota, kF32x4);
  between->set_name("between");
  const Instruction* inserted = f->InsertBefore(f->instruction(1), std::move(between));
  EXPECT_THAT(InstructionNames(*module), ElementsAre("a", "between", "b"));
  EXPECT_EQ(inserted->parent(), f);
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(f->instruction(i)->index(), i);
}

TEST(Computation, ParametersStandByNumberAndGapsAreNull) {
  Computation computation("f");
  const Instruction* second = AddParameter(computation, "second", 2);
  const Instruction* first = AddParameter(computation, "first", 0);
  Add(computation, "root");
  EXPECT_THAT(computation.parameters(), ElementsAre(first, nullptr, second));
  const ProgramShape shape = computation.program_shape();
  EXPECT_THAT(shape.parameter_names, ElementsAre("first", "", "second"));
  EXPECT_TRUE(shape.parameters[0] == kF32x4);
  EXPECT_TRUE(shape.result == kF32x4);
  // A number beyond any sensible list allocates nothing.
  AddParameter(computation, "far", int64_t{1} << 30);
  EXPECT_EQ(computation.parameters().size(), 3u);
}

TEST(Instruction, DescribesItself) {
  Computation f("f");
  Instruction* x = AddParameter(f, "x", 1);
  EXPECT_EQ(x->Describe(), "%x = f32[4] parameter(1) in f");
  Instruction* sum = Add(f, "add.3", Opcode::kAdd);
  sum->AppendOperand(x);
  sum->AppendOperand(x);
  sum->set_position({3, 5});
  EXPECT_EQ(sum->Describe(), "%add.3 = f32[4] add(f32[4] %x, f32[4] %x) in f (line 3, column 5)");
  Instruction alone(Opcode::kTuple, Shape::Tuple({}));
  alone.set_name("t");
  EXPECT_EQ(alone.Describe(), "%t = () tuple()");
  for (int i = 0; i < 5; ++i) alone.AppendOperand(x);
  EXPECT_EQ(alone.Describe(), "%t = () tuple(f32[4] %x, f32[4] %x, f32[4] %x, f32[4] %x, ...)");
}

TEST(Instruction, AnElidedConstantHasNoLiteral) {
  Instruction constant(Opcode::kConstant, kF32x4);
  EXPECT_TRUE(constant.is_elided_constant());
  constant.set_literal(Literal::Zeros(kF32x4));
  EXPECT_FALSE(constant.is_elided_constant());
  EXPECT_FALSE(Instruction(Opcode::kIota, kF32x4).is_elided_constant());
}

TEST(Boxed, IsAValue) {
  const Boxed<std::string> none;
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(none.get(), nullptr);
  Boxed<std::string> one = std::string("one");
  Boxed<std::string> copy = one;
  EXPECT_TRUE(copy == one);
  *copy += " more";
  EXPECT_EQ(*one, "one");
  EXPECT_FALSE(copy == one);
  EXPECT_FALSE(none == one);
  EXPECT_TRUE(none == Boxed<std::string>());
  copy = none;
  EXPECT_FALSE(copy.has_value());
  copy = std::move(one);
  EXPECT_EQ(*copy, "one");
  EXPECT_EQ(copy.emplace(), "");
  copy.reset();
  EXPECT_TRUE(copy == none);
}

TEST(Metadata, EmptyRareFieldsAreAsNone) {
  Metadata a, b;
  a.mutable_rare().payload = "";
  EXPECT_TRUE(a == b);
  a.mutable_rare().payload = "p";
  EXPECT_FALSE(a == b);
  EXPECT_EQ(Metadata(a).rare().payload, "p");
}

TEST(Instruction, AnnotationsAreEmptyUntilWritten) {
  Instruction instruction(Opcode::kIota, kF32x4);
  EXPECT_FALSE(instruction.has_annotations());
  EXPECT_EQ(instruction.annotations().backend_config, "");
  instruction.mutable_annotations().backend_config = "{}";
  EXPECT_TRUE(instruction.has_annotations());
  EXPECT_EQ(instruction.annotations().backend_config, "{}");
}

}  // namespace
}  // namespace assay
