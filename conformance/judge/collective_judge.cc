#include "conformance/judge/collective_judge.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/judge/start_values.h"
#include "spec/analysis/collectives.h"
#include "spec/analysis/isolate.h"
#include "spec/analysis/reducer.h"

namespace assay::conformance {
namespace {

// Returns true if the order of the members changes no bit of the result.
bool IsExact(analysis::ReducerKind kind, ElementType type) {
  return kind != analysis::ReducerKind::kOther && !IsFloat(type) && !IsComplex(type);
}

// Stacks what one member receives of the reduction: all of it or, for reduce-scatter, its slice.
Literal Stack(const std::vector<const Literal*>& members, const Shape& result, int64_t dimension,
              int64_t position) {
  Dimensions sizes = {static_cast<int64_t>(members.size())};
  sizes.insert(sizes.end(), result.dimensions().begin(), result.dimensions().end());
  Literal stacked = Literal::Zeros(Shape(result.element_type(), sizes));
  const Dimensions to = RowMajorStrides(result.dimensions());
  int64_t count = 1;
  for (const int64_t size : result.dimensions()) count *= size;
  for (size_t m = 0; m < members.size(); ++m) {
    const Dimensions from = RowMajorStrides(members[m]->shape().dimensions());
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = 0;
      for (int64_t d = 0; d < result.rank(); ++d) {
        int64_t index = i / to[d] % result.dimension(d);
        if (d == dimension) index += position * result.dimension(d);
        at += index * from[d];
      }
      stacked.Set(static_cast<int64_t>(m) * count + i, members[m]->Get(at));
    }
  }
  return stacked;
}

class CollectiveJudge {
 public:
  CollectiveJudge(const Instruction& collective, absl::Span<const std::vector<Literal>> operands,
                  const TargetProfile& profile, const Evaluate& evaluate,
                  std::set<int64_t> receivers)
      : collective_(collective),
        operands_(operands),
        profile_(profile),
        evaluate_(evaluate),
        receivers_(std::move(receivers)) {}

  // Judges one result array of the member at `position` of a group.
  absl::StatusOr<Judgement> Judge(const std::vector<int64_t>& group, size_t position, size_t leaf,
                                  const Literal& golden, const Literal& actual) const {
    if (analysis::IsPermutation(collective_.opcode()) && receivers_.count(group[position]) == 0) {
      return JudgeZeros(golden, actual);
    }
    if (!analysis::IsReduction(collective_.opcode()) || group.size() == 1)
      return JudgeMove(golden, actual);
    const analysis::ReducerKind kind = analysis::RecogniseReducer(*collective_.to_apply()).kind;
    const ElementType type = golden.element_type();
    if (IsExact(kind, type)) return JudgeMove(golden, actual);
    // The start value of an unrecognised reducer does not matter: its judgement only depends on
    // whether the order counts.
    const Element start = NeutralElement(kind, type).value_or(Element{});
    std::vector<const Literal*> members;
    for (const int64_t member : group) members.push_back(&operands_[member][leaf]);
    const bool scatters = collective_.opcode() == Opcode::kReduceScatter;
    const int64_t dimension = scatters ? collective_.GetInt(Attr::kDimension) : -1;
    const Literal stacked =
        Stack(members, golden.shape(), dimension, static_cast<int64_t>(position));
    return JudgeReduce(stacked, Literal::Scalar(type, start), golden, actual);
  }

 private:
  // Judges a copy, which must have the bits of the golden value.
  absl::StatusOr<Judgement> JudgeMove(const Literal& golden, const Literal& actual) const {
    return JudgeUnary(Opcode::kCopy, golden, golden, actual);
  }

  // Judges the zeros of a device that receives nothing. Not every type has a zero.
  absl::StatusOr<Judgement> JudgeZeros(const Literal& golden, const Literal& actual) const {
    if (golden.element_type() != ElementType::kF8E8M0FNU) return JudgeMove(golden, actual);
    const Literal zeros = Literal::Zeros(Shape(ElementType::kS8, golden.shape().dimensions()));
    return JudgeUnary(Opcode::kConvert, zeros, golden, actual);
  }

  absl::StatusOr<Judgement> JudgeUnary(Opcode opcode, const Literal& operand, const Literal& golden,
                                       const Literal& actual) const {
    Module module("move");
    Computation& entry = *module.Add(std::make_unique<Computation>("entry"));
    auto parameter = std::make_unique<Instruction>(Opcode::kParameter, operand.shape());
    parameter->set_parameter_number(0);
    auto instruction = std::make_unique<Instruction>(opcode, golden.shape());
    instruction->AppendOperand(entry.Add(std::move(parameter)));
    return JudgeInstruction(*entry.Add(std::move(instruction)), {operand}, golden, actual, profile_,
                            evaluate_);
  }

  absl::StatusOr<Judgement> JudgeReduce(const Literal& stacked, const Literal& start,
                                        const Literal& golden, const Literal& actual) const {
    // The isolated collective brings a copy of its reducer along.
    const std::unique_ptr<Module> module = analysis::IsolateInstruction(collective_);
    Computation& entry = *module->entry();
    auto reduce = std::make_unique<Instruction>(Opcode::kReduce, golden.shape());
    reduce->SetAttribute(Attr::kDimensions, std::vector<int64_t>{0});
    reduce->SetAttribute(Attr::kToApply, entry.root()->to_apply());
    for (const Literal* operand : {&stacked, &start}) {
      auto parameter = std::make_unique<Instruction>(Opcode::kParameter, operand->shape());
      parameter->set_parameter_number(operand == &stacked ? 0 : 1);
      reduce->AppendOperand(entry.Add(std::move(parameter)));
    }
    return JudgeInstruction(*entry.Add(std::move(reduce)), {stacked, start}, golden, actual,
                            profile_, evaluate_);
  }

  const Instruction& collective_;
  const absl::Span<const std::vector<Literal>> operands_;
  const TargetProfile& profile_;
  const Evaluate& evaluate_;
  const std::set<int64_t> receivers_;  // the devices that a collective-permute sends to
};

}  // namespace

absl::StatusOr<Judgement> JudgeCollective(const Instruction& collective,
                                          absl::Span<const std::vector<Literal>> operands,
                                          absl::Span<const Literal> golden,
                                          absl::Span<const Literal> actual,
                                          const runtime::ProcessGrid& grid,
                                          const TargetProfile& profile, const Evaluate& evaluate) {
  if (golden.size() != actual.size() || operands.size() != golden.size()) {
    return absl::InvalidArgumentError(absl::StrCat(collective.Describe(), ": results of ",
                                                   actual.size(), " devices for ", golden.size()));
  }
  std::vector<std::vector<int64_t>> groups;
  if (analysis::IsReduction(collective.opcode())) {
    absl::StatusOr<std::vector<std::vector<int64_t>>> found =
        runtime::ProcessGroups(collective, grid);
    if (!found.ok()) return found.status();
    groups = *std::move(found);
  } else {
    for (size_t d = 0; d < golden.size(); ++d) groups.push_back({static_cast<int64_t>(d)});
  }
  std::set<int64_t> receivers;
  if (analysis::IsPermutation(collective.opcode())) {
    const absl::StatusOr<std::vector<runtime::ProcessPair>> pairs =
        runtime::ProcessPairs(collective, grid);
    if (!pairs.ok()) return pairs.status();
    for (const auto& [source, target] : *pairs) receivers.insert(target);
  }
  const CollectiveJudge judge(collective, operands, profile, evaluate, std::move(receivers));
  Judgement judgement;
  for (const std::vector<int64_t>& group : groups) {
    for (size_t position = 0; position < group.size(); ++position) {
      const int64_t device = group[position];
      if (device >= static_cast<int64_t>(golden.size())) continue;
      if (!Shape::Compatible(golden[device].shape(), actual[device].shape())) {
        return absl::InvalidArgumentError(absl::StrCat("the result of ", collective.Describe(),
                                                       " on device ", device, " has shape ",
                                                       actual[device].shape().ToString()));
      }
      const std::vector<Literal> wanted = Flatten(golden[device]), got = Flatten(actual[device]);
      for (size_t leaf = 0; leaf < wanted.size(); ++leaf) {
        if (!wanted[leaf].is_array()) continue;
        absl::StatusOr<Judgement> one = judge.Judge(group, position, leaf, wanted[leaf], got[leaf]);
        if (!one.ok()) return one.status();
        for (Evidence& evidence : one->evidence) {
          evidence.device = device;
          evidence.leaf = static_cast<int64_t>(leaf);
        }
        judgement.Merge(*one);
      }
    }
  }
  return judgement;
}

}  // namespace assay::conformance
