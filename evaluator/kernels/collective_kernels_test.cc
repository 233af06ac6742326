// What each member of a group gets: the vectors of reference ops_control_and_collectives.md 7.10
// and cases computed by hand, through kernel and definition; both against each other in every bit
// over element types, reducers and sizes; ragged-all-to-all also against a model of its own.
#include <gmock/gmock.h>

#include "absl/strings/str_join.h"
#include "evaluator/collectives.h"
#include "evaluator/kernels/differential.h"
#include "spec/analysis/collectives.h"

namespace assay::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Prepare = absl::StatusOr<std::unique_ptr<Kernel>> (*)(const Instruction&, int64_t, int64_t);
using Operands = std::vector<Literal>;  // of all members

// The instruction after "ROOT r = " on parameters of these shapes.
std::unique_ptr<Module> Parse(const std::string& instruction,
                              const std::vector<std::string>& parameters,
                              const std::string& computations = "") {
  std::string text = absl::StrCat("HloModule m\n\n", computations, "\nENTRY e {\n");
  for (size_t i = 0; i < parameters.size(); ++i) {
    absl::StrAppend(&text, "  p", i, " = ", parameters[i], " parameter(", i, ")\n");
  }
  auto module = ParseModule(absl::StrCat(text, "  ROOT r = ", instruction, "\n}\n"));
  EXPECT_TRUE(module.ok()) << instruction << module.status();
  const absl::Status checked = CheckInstruction(*(*module)->entry()->root());
  EXPECT_TRUE(checked.ok()) << checked;
  return *std::move(module);
}

std::string Add(ElementType type) { return BinaryComputation("f", type, "add(a, b)"); }

// One member's operands or results as text, "[1,2] [3]".
struct Vector {
  std::string name, instruction, computations;
  std::vector<std::string> parameters;
  std::vector<std::vector<std::string>> inputs;    // by member
  std::vector<std::vector<std::string>> expected;  // by member
};

void CheckVector(const Vector& vector, Prepare prepare) {
  SCOPED_TRACE(vector.name);
  const auto module = Parse(vector.instruction, vector.parameters, vector.computations);
  const Instruction& op = *module->entry()->root();
  Operands operands;
  for (const auto& member : vector.inputs) {
    for (size_t k = 0; k < member.size(); ++k) {
      auto literal = ParseLiteral(member[k], op.operand(k)->shape());
      ASSERT_TRUE(literal.ok()) << literal.status();
      operands.push_back(*std::move(literal));
    }
  }
  const auto members = static_cast<int64_t>(vector.inputs.size());
  for (int64_t position = 0; position < members; ++position) {
    const auto kernel = prepare(op, members, position);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    const Shape& shape = analysis::CollectiveResult(op);
    std::vector<Literal> want;
    for (size_t k = 0; k < vector.expected[position].size(); ++k) {
      want.push_back(*ParseLiteral(vector.expected[position][k], *Leaves(shape)[k]));
    }
    SCOPED_TRACE(position);
    Differential::ExpectSame(Differential::Run(shape, **kernel, operands), want);
  }
}

const std::vector<std::string> kRaggedShapes = {"f32[3]", "f32[4]", "s32[2]",
                                                "s32[2]", "s32[2]", "s32[2]"};

// Members stand in the order of their groups.
std::vector<Vector> Vectors() {
  const std::string add = Add(ElementType::kF32);
  const std::string sub = BinaryComputation("f", ElementType::kF32, "subtract(a, b)");
  const std::string maximum = BinaryComputation("f", ElementType::kF32, "maximum(a, b)");
  const std::string ragged = "f32[4] ragged-all-to-all(p0, p1, p2, p3, p4, p5), replica_groups={}";
  const std::string all = ", replica_groups={}";
  return {
      {"7.10 all-reduce",
       "f32[] all-reduce(p0), to_apply=f" + all,
       add,
       {"f32[]"},
       {{"2"}, {"3"}},
       {{"5"}, {"5"}}},
      {"7.1 one member",
       "f32[] all-reduce(p0), to_apply=f" + all,
       BinaryComputation("f", ElementType::kF32, "subtract(b, b)"),
       {"f32[]"},
       {{"2"}},
       {{"2"}}},
      {"7.1 exact, rounded once",
       "f32[2] all-reduce(p0), to_apply=f" + all,
       add,
       {"f32[2]"},
       {{"{1e30,16777216}"}, {"{1,1}"}, {"{-1e30,1}"}},
       {{"{1,16777218}"}, {"{1,16777218}"}, {"{1,16777218}"}}},
      {"7.1 zeros",
       "f32[2] all-reduce(p0), to_apply=f" + all,
       add,
       {"f32[2]"},
       {{"{-0,-0}"}, {"{-0,0}"}},
       {{"{-0,0}"}, {"{-0,0}"}}},
      {"7.1 NaN stays",
       "f32[2] all-reduce(p0), to_apply=f" + all,
       maximum,
       {"f32[2]"},
       {{"{nan,1}"}, {"{1,nan}"}, {"{2,2}"}},
       {{"{nan,nan}"}, {"{nan,nan}"}, {"{nan,nan}"}}},
      {"7.1 as written, in the order of the group",
       "f32[] all-reduce(p0), to_apply=f" + all,
       sub,
       {"f32[]"},
       {{"10"}, {"3"}, {"1"}},
       {{"6"}, {"6"}, {"6"}}},
      {"7.1 as written rounds every step",
       "f32[] all-reduce(p0), to_apply=f" + all,
       sub,
       {"f32[]"},
       {{"16777216"}, {"-1"}, {"-1"}},
       {{"16777216"}, {"16777216"}, {"16777216"}}},
      // 1 + 2^-8 in f32, then to bf16: 1.
      {"7.1 the type of the reducer",
       "bf16[] all-reduce(p0), to_apply=f" + all,
       add,
       {"bf16[]"},
       {{"1"}, {"0.00390625"}},
       {{"1"}, {"1"}}},
      // Each operand becomes 256 (bf16) first.
      {"7.1 a narrower reducer",
       "f32[] all-reduce(p0), to_apply=f" + all,
       Add(ElementType::kBF16),
       {"f32[]"},
       {{"256.5"}, {"256.5"}},
       {{"512"}, {"512"}}},
      {"7.1 several operands",
       "(f32[2], f32[]) all-reduce(p0, p1), to_apply=f" + all,
       add,
       {"f32[2]", "f32[]"},
       {{"{1,2}", "3"}, {"{10,20}", "30"}},
       {{"{11,22}", "33"}, {"{11,22}", "33"}}},
      {"4.2 all-reduce-start",
       "f32[] all-reduce-start(p0), to_apply=f" + all,
       add,
       {"f32[]"},
       {{"1"}, {"2"}},
       {{"3"}, {"3"}}},
      {"7.10 all-gather {{1,0}}",
       "s32[4] all-gather(p0), dimensions={0}" + all,
       "",
       {"s32[2]"},
       {{"{3,4}"}, {"{1,2}"}},
       {{"{3,4,1,2}"}, {"{3,4,1,2}"}}},
      {"7.3 along the second dimension",
       "s32[2,4] all-gather(p0), dimensions={1}" + all,
       "",
       {"s32[2,2]"},
       {{"{{1,2},{3,4}}"}, {"{{5,6},{7,8}}"}},
       {{"{{1,2,5,6},{3,4,7,8}}"}, {"{{1,2,5,6},{3,4,7,8}}"}}},
      {"7.3 types may differ",
       "(s32[2], f32[4]) all-gather(p0, p1), dimensions={0}" + all,
       "",
       {"s32[1]", "f32[2]"},
       {{"{1}", "{0.5,1.5}"}, {"{2}", "{2.5,3.5}"}},
       {{"{1,2}", "{0.5,1.5,2.5,3.5}"}, {"{1,2}", "{0.5,1.5,2.5,3.5}"}}},
      {"4.2 all-gather-start",
       "(s32[1], s32[2]) all-gather-start(p0), dimensions={0}" + all,
       "",
       {"s32[1]"},
       {{"{1}"}, {"{2}"}},
       {{"{1,2}"}, {"{1,2}"}}},
      {"4.2 all-gather-start of two",
       "((s32[1], f32[1]), (s32[2], f32[2])) all-gather-start(p0, p1), dimensions={0}" + all,
       "",
       {"s32[1]", "f32[1]"},
       {{"{1}", "{5}"}, {"{2}", "{6}"}},
       {{"{1,2}", "{5,6}"}, {"{1,2}", "{5,6}"}}},
      {"7.10 reduce-scatter",
       "f32[2] reduce-scatter(p0), dimensions={0}, to_apply=f" + all,
       add,
       {"f32[4]"},
       {{"{1,2,3,4}"}, {"{10,20,30,40}"}},
       {{"{11,22}"}, {"{33,44}"}}},
      {"7.10 reduce-scatter of four",
       "f32[1] reduce-scatter(p0), dimensions={0}, to_apply=f" + all,
       add,
       {"f32[4]"},
       {{"{0,1,2,3}"}, {"{0,1,2,3}"}, {"{10,11,12,13}"}, {"{10,11,12,13}"}},
       {{"{20}"}, {"{24}"}, {"{28}"}, {"{32}"}}},
      {"7.10 all-to-all",
       "s32[4] all-to-all(p0), dimensions={0}" + all,
       "",
       {"s32[4]"},
       {{"{0,1,2,3}"}, {"{10,11,12,13}"}},
       {{"{0,1,10,11}"}, {"{2,3,12,13}"}}},
      {"7.10 all-to-all {{1,0}}",
       "s32[4] all-to-all(p0), dimensions={0}" + all,
       "",
       {"s32[4]"},
       {{"{10,11,12,13}"}, {"{0,1,2,3}"}},
       {{"{10,11,0,1}"}, {"{12,13,2,3}"}}},
      {"7.10 all-to-all tuple {2,1}",
       "(s32[2], s32[2]) all-to-all(p0, p1)" + all,
       "",
       {"s32[2]", "s32[2]"},
       {{"{12,17}", "{22,27}"}, {"{11,16}", "{21,26}"}},
       {{"{12,17}", "{11,16}"}, {"{22,27}", "{21,26}"}}},
      {"7.10 ragged-all-to-all",
       ragged,
       "",
       kRaggedShapes,
       {{"{1,2,2}", "{0,0,0,0}", "{0,1}", "{1,2}", "{0,0}", "{1,1}"},
        {"{3,4,0}", "{0,0,0,0}", "{0,1}", "{1,1}", "{1,2}", "{2,1}"}},
       {{"{1,3,0,0}"}, {"{2,2,4,0}"}}},
  };
}

TEST(Collectives, Vectors) {
  for (const Vector& vector : Vectors()) {
    CheckVector(vector, PrepareCollective);
    CheckVector(vector, PrepareCollectiveStraight);
  }
}

// Kernel against definition.
class GroupDifferential {
 public:
  void Check(const std::string& instruction, const std::vector<std::string>& parameters,
             const std::string& computations, int64_t members) {
    SCOPED_TRACE(absl::StrCat(instruction, " of ", members));
    const auto module = Parse(instruction, parameters, computations);
    const Instruction& op = *module->entry()->root();
    for (const Profile profile : {Profile::kBits, Profile::kCancel}) {
      Operands operands;
      for (int64_t member = 0; member < members; ++member) {
        for (const Instruction* operand : op.operands()) {
          operands.push_back(differential_.Random(operand->shape(), profile));
        }
      }
      for (int64_t position = 0; position < members; ++position) {
        const auto kernel = PrepareCollective(op, members, position);
        const auto straight = PrepareCollectiveStraight(op, members, position);
        ASSERT_TRUE(kernel.ok() && straight.ok()) << kernel.status() << straight.status();
        const Kernel &fast = **kernel, &definition = **straight;
        if (typeid(fast) == typeid(definition)) ++fallbacks_;
        Differential::ExpectSame(
            Differential::Run(analysis::CollectiveResult(op), **kernel, operands),
            Differential::Run(analysis::CollectiveResult(op), **straight, operands));
        ++cases_;
        if (analysis::SameForAllMembers(op.opcode()) && position == 1) break;
      }
    }
  }
  int64_t cases() const { return cases_; }
  int64_t fallbacks() const { return fallbacks_; }

 private:
  Differential differential_;
  int64_t cases_ = 0, fallbacks_ = 0;
};

std::vector<std::string> CollectiveReducersFor(ElementType type) {
  std::vector<std::string> reducers = {"add(a, b)", "multiply(b, a)"};
  if (!IsComplex(type)) {
    reducers.insert(reducers.end(), {"minimum(a, b)", "maximum(b, a)"});
  }
  if (!IsFloat(type) && !IsComplex(type)) {
    reducers.insert(reducers.end(), {"and(a, b)", "or(a, b)", "xor(b, a)"});
  }
  if (!IsPred(type)) reducers.push_back("subtract(a, b)");
  return reducers;
}

TEST(Collectives, EveryTypeAndReducer) {
  GroupDifferential differential;
  for (const ElementType type : kArrayTypes) {
    for (const std::string& reducer : CollectiveReducersFor(type)) {
      const std::string f = BinaryComputation("f", type, reducer);
      for (const int64_t members : {1, 2, 3, 8}) {
        const std::string wide = ShapeText(type, absl::StrCat("3,", 2 * members));
        differential.Check(wide + " all-reduce(p0), replica_groups={}, to_apply=f", {wide}, f,
                           members);
        differential.Check(ShapeText(type, "3,2") +
                               " reduce-scatter(p0), replica_groups={}, dimensions={1}, to_apply=f",
                           {wide}, f, members);
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(differential.cases(), 3000);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(Collectives, EverySmallShape) {
  GroupDifferential differential;
  for (const ElementType type : {ElementType::kF32, ElementType::kS4, ElementType::kC128}) {
    const std::string f = Add(type);
    for (int64_t sizes = 0; sizes < 64; ++sizes) {
      const int64_t size[] = {sizes / 16, sizes / 4 % 4, sizes % 4};
      for (int64_t rank = 1; rank <= 3; ++rank) {
        if (rank < 3 && size[0] != 0) continue;
        if (rank < 2 && size[1] != 0) continue;
        const std::vector<int64_t> small(size + 3 - rank, size + 3);
        for (int64_t d = 0; d < rank; ++d) {
          for (const int64_t members : {1, 2, 3}) {
            std::vector<int64_t> large = small;
            large[d] *= members;
            const std::string s = ShapeText(type, absl::StrJoin(small, ","));
            const std::string l = ShapeText(type, absl::StrJoin(large, ","));
            const std::string along = absl::StrCat(", replica_groups={}, dimensions={", d, "}");
            differential.Check(l + " all-gather(p0)" + along, {s}, "", members);
            differential.Check(l + " all-to-all(p0)" + along, {l}, "", members);
            differential.Check(s + " reduce-scatter(p0)" + along + ", to_apply=f", {l}, f, members);
            if (HasFailure()) return;
          }
        }
      }
    }
  }
  EXPECT_GT(differential.cases(), 10000);
  EXPECT_EQ(differential.fallbacks(), 0);
}

TEST(Collectives, SeveralOperandsAndManyBlocks) {
  GroupDifferential differential;
  const std::string add = Add(ElementType::kF32);
  differential.Check(
      "(f32[5,2], f32[9,1]) reduce-scatter(p0, p1), replica_groups={}, dimensions={1}, to_apply=f",
      {"f32[5,6]", "f32[9,3]"}, add, 3);
  differential.Check(
      "(f32[5], f32[0], f32[]) all-reduce(p0, p1, p2), replica_groups={}, to_apply=f",
      {"f32[5]", "f32[0]", "f32[]"}, add, 4);
  differential.Check("(pred[6,2], c64[9,1]) all-gather(p0, p1), replica_groups={}, dimensions={0}",
                     {"pred[2,2]", "c64[3,1]"}, "", 3);
  differential.Check("(s4[3], s4[3], s4[3]) all-to-all(p0, p1, p2), replica_groups={}",
                     {"s4[3]", "s4[3]", "s4[3]"}, "", 3);
  for (const char* reducer : {"add(a, b)", "maximum(a, b)", "subtract(a, b)"}) {
    const std::string f = BinaryComputation("f", ElementType::kF32, reducer);
    differential.Check("f32[70000] all-reduce(p0), replica_groups={}, to_apply=f", {"f32[70000]"},
                       f, 2);
    differential.Check(
        "f32[100,50] reduce-scatter(p0), replica_groups={}, dimensions={1}, to_apply=f",
        {"f32[100,350]"}, f, 7);
  }
  differential.Check("f32[3] all-reduce(p0), replica_groups={}, to_apply=f", {"f32[3]"}, add, 9000);
  EXPECT_EQ(differential.fallbacks(), 0);
  // Types that differ have no kernel of their own.
  differential.Check("bf16[20] all-reduce(p0), replica_groups={}, to_apply=f", {"bf16[20]"}, add,
                     3);
  EXPECT_GT(differential.fallbacks(), 0);
}

// ragged-all-to-all of members whose transfers are drawn at random, laid out without meeting, and
// carried out here row by row.
TEST(Collectives, RaggedTransfersAgainstAModel) {
  std::mt19937_64 random(7);
  const auto upto = [&](int64_t most) { return static_cast<int64_t>(random() % (most + 1)); };
  constexpr int64_t kInputRows = 9, kOutputRows = 40;
  for (int round = 0; round < 200; ++round) {
    const int64_t members = 1 + upto(3), updates = 1 + upto(2), form = upto(2);
    const std::string list = form == 0
                                 ? absl::StrCat("s64[", members, ",", updates, "]")
                                 : absl::StrCat(form == 1 ? "s32[" : "u8[", members * updates, "]");
    const auto module = Parse(absl::StrCat("s32[", kOutputRows,
                                           ",2] ragged-all-to-all(p0, p1, p2, p3, p4, p5), "
                                           "replica_groups={}"),
                              {absl::StrCat("s32[", kInputRows, ",2]"),
                               absl::StrCat("s32[", kOutputRows, ",2]"), list, list, list, list});
    const Instruction& op = *module->entry()->root();
    Operands operands;
    for (int64_t member = 0; member < members; ++member) {
      for (int64_t k = 0; k < 6; ++k) {
        Literal literal = Literal::Zeros(op.operand(k)->shape());
        for (int64_t i = 0; k < 2 && i < literal.element_count(); ++i) {
          literal.Set(i, {static_cast<uint64_t>(1000 * (2 * member + k) + i)});
        }
        operands.push_back(std::move(literal));
      }
    }
    std::vector<Literal> want;
    for (int64_t to = 0; to < members; ++to) {
      want.push_back(operands[6 * to + 1]);
      int64_t next = 0;
      for (int64_t u = updates - 1; u >= 0; --u) {
        for (int64_t from = 0; from < members; ++from) {
          const int64_t rows = upto(3), source = upto(kInputRows - rows);
          next += upto(1);
          const auto set = [&](int64_t member, int64_t k, int64_t peer, int64_t value) {
            operands[6 * member + k].Set(peer * updates + u, {static_cast<uint64_t>(value)});
          };
          set(from, 2, to, source);
          set(from, 3, to, rows);
          set(from, 4, to, next);
          set(to, 5, from, rows);
          for (int64_t i = 0; i < 2 * rows; ++i) {
            want[to].Set(2 * next + i, operands[6 * from].Get(2 * source + i));
          }
          next += rows;
        }
      }
      ASSERT_LE(next, kOutputRows);
    }
    for (int64_t position = 0; position < members; ++position) {
      for (const Prepare prepare : {&PrepareCollective, &PrepareCollectiveStraight}) {
        const auto kernel = prepare(op, members, position);
        ASSERT_TRUE(kernel.ok()) << kernel.status();
        Differential::ExpectSame(Differential::Run(op.shape(), **kernel, operands),
                                 {want[position]});
      }
    }
  }
}

// One operand of a member of two, as text.
struct Change {
  int64_t member, operand;
  const char* text;
};
// What member 1 is told after the changes to the example.
absl::Status RaggedStatus(const std::vector<Change>& changes, Prepare prepare) {
  const auto module =
      Parse("f32[4] ragged-all-to-all(p0, p1, p2, p3, p4, p5), replica_groups={}", kRaggedShapes);
  const Instruction& op = *module->entry()->root();
  std::vector<std::string> texts = {"{1,2,2}", "{0,0,0,0}", "{0,1}", "{1,2}", "{0,0}", "{1,1}",
                                    "{3,4,0}", "{0,0,0,0}", "{0,1}", "{1,1}", "{1,2}", "{2,1}"};
  for (const Change& change : changes) texts[6 * change.member + change.operand] = change.text;
  Operands operands;
  for (size_t i = 0; i < texts.size(); ++i) {
    operands.push_back(*ParseLiteral(texts[i], op.operand(i % 6)->shape()));
  }
  Literal result = Literal::Zeros(op.shape());
  std::vector<ArrayRef> inputs;
  for (const Literal& literal : operands) inputs.push_back({&literal.shape(), literal.data()});
  const MutableArrayRef output = {&result.shape(), result.mutable_data()};
  EvaluationContext context;
  return (*prepare(op, 2, 1))->Run(inputs, {&output, 1}, context);
}

TEST(Collectives, RaggedTransfersThatDoNotFit) {
  const struct {
    std::vector<Change> changes;
    const char* message;
  } cases[] = {
      {{{0, 3, "{1,3}"}},
       "member 0 to member 1, update 0: the sender sends 3 rows, the receiver expects 2"},
      {{{1, 5, "{2,0}"}}, "member 1 to member 1, update 0: the sender sends 1 rows"},
      {{{0, 3, "{1,-1}"}, {1, 5, "{-1,1}"}}, "the sender sends -1 rows, the receiver expects -1"},
      {{{0, 2, "{0,2}"}},
       "member 0 to member 1, update 0: rows [2, 2 + 2) lie outside the sender's input of 3"},
      {{{0, 2, "{0,-1}"}}, "rows [-1, -1 + 2) lie outside the sender's input"},
      {{{0, 4, "{0,3}"}}, "rows [3, 3 + 2) lie outside the receiver's output of 4"},
      {{{0, 4, "{0,2147483647}"}}, "lie outside the receiver's output"},
      {{{1, 4, "{1,1}"}}, "member 0 to member 1, update 0 and member 1 to member 1, update 0 meet"},
  };
  for (const Prepare prepare : {&PrepareCollective, &PrepareCollectiveStraight}) {
    for (const auto& c : cases) {
      const absl::Status status = RaggedStatus(c.changes, prepare);
      EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << c.message;
      EXPECT_THAT(std::string(status.message()),
                  AllOf(HasSubstr(c.message), HasSubstr("%r = f32[4] ragged-all-to-all")));
    }
    // What has no rows may stand anywhere.
    EXPECT_TRUE(RaggedStatus({{0, 3, "{1,0}"}, {1, 5, "{0,1}"}, {0, 4, "{0,99}"}}, prepare).ok());
  }
}

TEST(Collectives, GroupsThatDoNotFit) {
  const auto code = [](const std::string& instruction, const std::vector<std::string>& parameters,
                       int64_t members, const char* message) {
    const auto module = Parse(instruction, parameters, Add(ElementType::kF32));
    for (const Prepare prepare : {&PrepareCollective, &PrepareCollectiveStraight}) {
      const absl::Status status = prepare(*module->entry()->root(), members, 0).status();
      EXPECT_THAT(std::string(status.message()), HasSubstr(message));
      EXPECT_EQ(prepare(*module->entry()->root(), members, members).status().ok(), false);
    }
    return PrepareCollective(*module->entry()->root(), members, 0).status().code();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
  EXPECT_EQ(
      code("f32[4] all-gather(p0), dimensions={0}, replica_groups={}", {"f32[2]"}, 3, "[group_c7]"),
      kInvalid);
  EXPECT_EQ(code("f32[2] reduce-scatter(p0), dimensions={0}, replica_groups={}, to_apply=f",
                 {"f32[4]"}, 4, "[group_c7]"),
            kInvalid);
  EXPECT_EQ(
      code("f32[4] all-to-all(p0), dimensions={0}, replica_groups={}", {"f32[4]"}, 3, "[group_c8]"),
      kInvalid);
  EXPECT_EQ(code("(f32[4], f32[4]) all-to-all(p0, p1), replica_groups={}", {"f32[4]", "f32[4]"}, 3,
                 "[group_c8]"),
            kInvalid);
  EXPECT_EQ(code("f32[4] ragged-all-to-all(p0, p1, p2, p3, p4, p5), replica_groups={}",
                 kRaggedShapes, 3, "[group_c10]"),
            kInvalid);
  EXPECT_EQ(code("f32[4] all-reduce(p0), replica_groups={}, to_apply=f", {"f32[4]"}, 0,
                 "no member 0 in a group of 0"),
            kInvalid);
  EXPECT_EQ(code("f32[4] collective-broadcast(p0), replica_groups={}", {"f32[4]"}, 2,
                 "collective-broadcast: nothing to compute"),
            kUnimplemented);
  EXPECT_EQ(code("f32[<=4] all-reduce(p0), replica_groups={}, to_apply=f", {"f32[<=4]"}, 2,
                 "all-reduce: dynamic dimensions"),
            kUnimplemented);
}

TEST(Collectives, ABudgetStopsThem) {
  const auto module = Parse("f32[100000] all-reduce(p0), replica_groups={}, to_apply=f",
                            {"f32[100000]"}, Add(ElementType::kF32));
  const Literal x = Literal::Zeros(Shape(ElementType::kF32, {100000}));
  Literal result = x;
  const std::vector<ArrayRef> inputs(8, {&x.shape(), x.data()});
  const MutableArrayRef output = {&result.shape(), result.mutable_data()};
  runtime::Budget budget(500000, -1);
  EvaluationContext context;
  context.budget = &budget;
  const auto kernel = PrepareCollective(*module->entry()->root(), 8, 0);
  EXPECT_EQ((*kernel)->Run(inputs, {&output, 1}, context).code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace assay::evaluator
