// CompareModules: each kind of difference alone is found and named; what does not count is not.
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/ir/module.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

const Shape kFourFloats(ElementType::kF32, {4});

Instruction* Add(Computation& computation, const std::string& name, Opcode opcode, Shape shape,
                 const std::vector<Instruction*>& operands = {}) {
  auto instruction = std::make_unique<Instruction>(opcode, std::move(shape));
  instruction->set_name(name);
  instruction->set_operands(operands);
  return computation.Add(std::move(instruction));
}

// Two small computations and an entry that uses one kind of everything that is compared.
std::unique_ptr<Module> Sample() {
  auto module = std::make_unique<Module>("sample");
  for (const char* name : {"f", "g"}) {
    Computation* callee = module->Add(std::make_unique<Computation>(name));
    Add(*callee, "p", Opcode::kParameter, kFourFloats)->set_parameter_number(0);
  }
  Computation* entry = module->Add(std::make_unique<Computation>("main"));
  Instruction* x = Add(*entry, "x", Opcode::kParameter, kFourFloats);
  x->set_parameter_number(0);
  Instruction* one = Add(*entry, "one", Opcode::kConstant, kFourFloats);
  one->set_literal(Literal::Zeros(kFourFloats));
  Instruction* sum = Add(*entry, "sum", Opcode::kAdd, kFourFloats, {x, one});
  Instruction* call = Add(*entry, "call", Opcode::kCall, kFourFloats, {sum});
  call->SetAttribute(Attr::kToApply, module->Find("f"));
  Instruction* branch = Add(*entry, "branch", Opcode::kConditional, kFourFloats, {x, x, x});
  branch->SetAttribute(Attr::kBranchComputations,
                       std::vector<Computation*>{module->Find("f"), module->Find("g")});
  Instruction* norm = Add(*entry, "norm", Opcode::kBatchNormTraining, kFourFloats, {x, x, x});
  norm->SetAttribute(Attr::kEpsilon, std::nan(""));
  norm->SetAttribute(Attr::kFeatureIndex, int64_t{0});
  return module;
}

using Change = std::function<void(Module&)>;

Instruction* At(Module& module, const char* name) { return module.entry()->Find(name); }

// The message of the comparison with a sample that `change` was done to.
std::string Difference(const Change& change) {
  const std::unique_ptr<Module> plain = Sample(), changed = Sample();
  change(*changed);
  const absl::Status there = CompareModules(*plain, *changed);
  const absl::Status back = CompareModules(*changed, *plain);
  EXPECT_EQ(there.ok(), back.ok()) << there << back;
  return std::string(there.message());
}

TEST(CompareModules, SamplesAreEqual) {
  EXPECT_EQ(Difference([](Module&) {}), "");
}

TEST(CompareModules, PositionsIdsAndExtrasDoNotCount) {
  EXPECT_EQ(Difference([](Module& m) {
              At(m, "sum")->set_position({7, 8});
              m.AssignIds();
              m.id = 5;
              m.wire_extras = "x";
              m.entry()->wire_extras = "y";
              At(m, "sum")->mutable_annotations().wire_extras = "z";
              m.entry_layout = m.entry()->program_shape();  // what it is when unset
            }),
            "");
}

TEST(CompareModules, FindsDifferentInstructions) {
  const std::vector<std::pair<std::string, Change>> changes = {
      {"name", [](Module& m) { At(m, "sum")->set_name("total"); }},
      {"shape (f32[4] and f32[4]{0})",
       [](Module& m) {
         Shape shape = kFourFloats;
         shape.set_layout(Layout::Default(1));
         At(m, "sum")->set_shape(shape);
       }},
      {"operands",
       [](Module& m) {
         At(m, "sum")->set_operands({At(m, "one"), At(m, "x")});
       }},
      {"operands", [](Module& m) { At(m, "sum")->AppendOperand(At(m, "x")); }},
      {"control predecessors", [](Module& m) { At(m, "sum")->AddControlPredecessor(At(m, "x")); }},
      {"parameter number", [](Module& m) { At(m, "x")->set_parameter_number(1); }},
      {"literal", [](Module& m) { At(m, "one")->set_literal(Literal::Zeros(Shape())); }},
      {"literal",
       [](Module& m) {
         Literal ones = Literal::Zeros(kFourFloats);
         ones.Set(3, Element{1});
         At(m, "one")->set_literal(ones);
       }},
      {"attributes", [](Module& m) { At(m, "call")->SetAttribute(Attr::kIsComposite, true); }},
      {"attributes", [](Module& m) { At(m, "call")->SetAttribute(Attr::kToApply, m.Find("g")); }},
      {"attributes",
       [](Module& m) {
         At(m, "branch")
             ->SetAttribute(Attr::kBranchComputations,
                            std::vector<Computation*>{m.Find("f"), m.Find("f")});
       }},
      {"attributes", [](Module& m) { At(m, "norm")->SetAttribute(Attr::kEpsilon, 0.5); }},
      {"attributes",
       [](Module& m) { At(m, "norm")->SetAttribute(Attr::kFeatureIndex, int64_t{1}); }},
  };
  for (const auto& [what, change] : changes) {
    EXPECT_THAT(Difference(change), HasSubstr("modules differ in the " + what + " of %"));
  }
}

TEST(CompareModules, FindsADifferentOpcode) {
  // The opcode of an instruction is fixed: another one in its place.
  const auto with = [](Opcode opcode) {
    auto module = std::make_unique<Module>("m");
    Computation* entry = module->Add(std::make_unique<Computation>("main"));
    Add(*entry, "x", opcode, kFourFloats);
    return module;
  };
  EXPECT_THAT(CompareModules(*with(Opcode::kIota), *with(Opcode::kConstant)).message(),
              HasSubstr("differ in the opcode of %x"));
}

TEST(CompareModules, FindsDifferentAnnotations) {
  const std::vector<std::function<void(Annotations&)>> changes = {
      [](Annotations& a) { a.sharding.emplace(); },
      [](Annotations& a) { a.frontend_attributes["k"] = "v"; },
      [](Annotations& a) { a.statistics.emplace(); },
      [](Annotations& a) { a.origin.emplace(); },
      [](Annotations& a) { a.metadata.emplace().op_name = "n"; },
      [](Annotations& a) { a.backend_config = "{}"; },
      [](Annotations& a) { a.parameter_replication.emplace(); },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    EXPECT_THAT(Difference([&](Module& m) { changes[i](At(m, "sum")->mutable_annotations()); }),
                HasSubstr("modules differ in the annotations of %sum"))
        << i;
  }
}

TEST(CompareModules, FindsDifferentComputations) {
  EXPECT_THAT(Difference([](Module& m) { m.Find("g")->set_name("h"); }), HasSubstr("g and h"));
  EXPECT_THAT(Difference([](Module& m) { m.Find("g")->set_execution_thread("host"); }),
              HasSubstr("computations g and g differ"));
  EXPECT_THAT(Difference([](Module& m) { Add(*m.Find("g"), "y", Opcode::kIota, kFourFloats); }),
              HasSubstr("computations g and g differ"));
  EXPECT_THAT(Difference([](Module& m) { m.entry()->set_root(At(m, "sum")); }),
              HasSubstr("roots of main differ"));
  EXPECT_THAT(Difference([](Module& m) { m.entry()->set_schedule({At(m, "x")}); }),
              HasSubstr("schedules of main differ"));
  EXPECT_THAT(Difference([](Module& m) { m.Add(std::make_unique<Computation>("more")); }),
              HasSubstr("3 and 4 computations"));
}

TEST(CompareModules, FindsAnotherEntry) {
  // "f" takes and gives what "main" does, so that the entry layouts agree.
  EXPECT_THAT(Difference([](Module& m) { m.set_entry(m.Find("f")); }),
              HasSubstr("entry computations differ"));
}

TEST(CompareModules, FindsEveryHeaderField) {
  const std::vector<std::pair<std::string, Change>> changes = {
      {"name", [](Module& m) { m.set_name("other"); }},
      {"is_scheduled", [](Module& m) { m.is_scheduled = true; }},
      {"input_output_alias", [](Module& m) { m.input_output_alias.emplace_back(); }},
      {"buffer_donor", [](Module& m) { m.buffer_donors.emplace_back(); }},
      {"alias_passthrough_params", [](Module& m) { m.alias_passthrough_params = true; }},
      {"entry_computation_layout",
       [](Module& m) {
         m.entry_layout = m.entry()->program_shape();
         m.entry_layout->result.set_layout(Layout::Default(1));
       }},
      {"allow_spmd_sharding_propagation_to_parameters",
       [](Module& m) { m.spmd_propagation_to_parameters = {true}; }},
      {"allow_spmd_sharding_propagation_to_output",
       [](Module& m) { m.spmd_propagation_to_output = {true}; }},
      {"replica_count", [](Module& m) { m.replica_count = 2; }},
      {"num_partitions", [](Module& m) { m.num_partitions = 2; }},
      {"frontend_attributes", [](Module& m) { m.frontend_attributes["k"] = "v"; }},
      {"stack frames", [](Module& m) { m.stack_frames.file_names = {"a.py"}; }},
      {"origin_recovery_table", [](Module& m) { m.origin_recovery.emplace_back(); }},
      {"debug_attributes", [](Module& m) { m.debug_attributes.emplace_back(); }},
  };
  for (const auto& [what, change] : changes) {
    EXPECT_THAT(Difference(change), HasSubstr("differ in their " + what));
  }
}

OriginRecovery Row(const std::string& from, const std::string& to, const char* module = nullptr) {
  OriginRecovery row;
  row.from.emplace().instruction_name = from;
  row.to.emplace().instruction_name = to;
  if (module != nullptr) row.recovery = std::make_shared<const Module>(module);
  return row;
}

TEST(CompareModules, LooksIntoTheRecoveryTable) {
  const auto same = [](std::vector<OriginRecovery> a, std::vector<OriginRecovery> b) {
    Module left("m"), right("m");
    left.origin_recovery = std::move(a);
    right.origin_recovery = std::move(b);
    return CompareModules(left, right).ok();
  };
  EXPECT_TRUE(same({Row("a", "b", "r")}, {Row("a", "b", "r")}));
  EXPECT_FALSE(same({Row("a", "b")}, {Row("a", "c")}));
  EXPECT_FALSE(same({Row("a", "b")}, {Row("c", "b")}));
  EXPECT_FALSE(same({Row("a", "b", "r")}, {Row("a", "b", "s")}));
  EXPECT_FALSE(same({Row("a", "b", "r")}, {Row("a", "b")}));
  EXPECT_FALSE(same({OriginRecovery{}}, {Row("a", "b")}));
  // The order of rows says nothing.
  EXPECT_TRUE(same({Row("a", "b"), Row("c", "d")}, {Row("c", "d"), Row("a", "b")}));
}

TEST(CompareModules, LooksIntoDebugAttributes) {
  const auto same = [](const std::function<void(DebugAttributes&)>& change) {
    Module left("m"), right("m");
    for (Module* module : {&left, &right}) {
      module->debug_attributes.emplace_back().attributes.emplace_back();
    }
    change(right.debug_attributes[0].attributes[0]);
    return CompareModules(left, right).ok();
  };
  EXPECT_TRUE(same([](DebugAttributes& a) { a.wire_extras = "x"; }));
  EXPECT_FALSE(same([](DebugAttributes& a) { a.log_mode = DebugAttributes::LogMode::kDefault; }));
  EXPECT_FALSE(same([](DebugAttributes& a) { a.callback_id = 1; }));
  EXPECT_FALSE(same([](DebugAttributes& a) { a.op_id = 1; }));
  EXPECT_FALSE(same([](DebugAttributes& a) { a.partitioned = true; }));
}

}  // namespace
}  // namespace assay
