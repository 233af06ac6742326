#include "conformance/enclosure/collective_encloser.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/excess_precision.h"
#include "conformance/judge/start_values.h"
#include "runtime/process_groups.h"
#include "spec/analysis/collectives.h"
#include "spec/analysis/isolate.h"
#include "spec/analysis/reducer.h"

namespace assay::conformance {
namespace {

// The opcode of the second half of a pair; none of a collective that is no pair.
std::optional<Opcode> DoneOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllReduceStart:
      return Opcode::kAllReduceDone;
    case Opcode::kAllGatherStart:
      return Opcode::kAllGatherDone;
    case Opcode::kCollectivePermuteStart:
      return Opcode::kCollectivePermuteDone;
    default:
      return std::nullopt;
  }
}

// Returns true if every operand is an array whose elements move. None is an index or a destination.
bool MovesAllOperands(const Instruction& collective) {
  switch (collective.opcode()) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllToAll:
      return true;
    case Opcode::kCollectiveBroadcast:
      return !collective.GetBool(Attr::kHasDynamicRoot);
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
      return !collective.HasAttribute(Attr::kSliceSizesList);
    default:
      return false;
  }
}

// The start value that changes no result; none if the type has no such value, or the order of the
// members may count.
std::optional<Element> StartOf(analysis::ReducerKind kind, ElementType type) {
  // A factor of (1, 0) changes signs of zeros.
  if (kind == analysis::ReducerKind::kMultiply && IsComplex(type)) return std::nullopt;
  return NeutralElement(kind, type);
}

std::unique_ptr<Instruction> Parameter(int32_t number, const Shape& shape) {
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, shape);
  parameter->set_name(absl::StrCat("member_", number));
  parameter->set_parameter_number(number);
  return parameter;
}

Instruction* AddUnary(Opcode opcode, const Shape& shape, Instruction* operand,
                      Computation* computation) {
  auto instruction = std::make_unique<Instruction>(opcode, shape);
  instruction->AppendOperand(operand);
  return computation->Add(std::move(instruction));
}

// The slice of a reduce-scatter's operand that goes to one position.
Instruction* AddSlice(const Instruction& scatter, const Shape& part, size_t position,
                      Instruction* operand, Computation* computation) {
  const int64_t dimension = scatter.GetInt(Attr::kDimension);
  Slices slices;
  for (int64_t d = 0; d < part.rank(); ++d) {
    const int64_t start = d == dimension ? static_cast<int64_t>(position) * part.dimension(d) : 0;
    slices.push_back({start, start + part.dimension(d), 1});
  }
  Instruction* slice = AddUnary(Opcode::kSlice, part, operand, computation);
  slice->SetAttribute(Attr::kSlice, std::move(slices));
  return slice;
}

Shape WithoutLayout(Shape shape) {
  shape.ClearLayouts();
  return shape;
}

// The array at `leaf` of a collective's result.
Shape LeafOf(const Instruction& collective, size_t leaf) {
  return WithoutLayout(*Leaves(collective.shape())[leaf]);
}

BoxTree Assemble(const Shape& shape, std::vector<BoxTree> leaves) {
  return shape.is_tuple() ? BoxTree::Tuple(std::move(leaves)) : std::move(leaves[0]);
}

}  // namespace

// The operands that meet, by member of the team and then by operand. `whole` says for each member
// whether all of its partners have arrived.
struct CollectiveEncloser::Meeting {
  const Instruction& collective;
  absl::Span<const int64_t> team;
  std::vector<std::vector<Box>> operands;
  std::vector<std::vector<int64_t>> groups;  // flattened ids; of a permute none
  std::vector<char> whole, receives;
  const Instruction* open = nullptr;
  bool is_point = true, is_static = true, is_flushed = true, has_given = false;

  // The result, without the operands that the first half of a pair passes on.
  const Shape& result() const {
    const bool passes_on = collective.opcode() == Opcode::kAllGatherStart ||
                           collective.opcode() == Opcode::kCollectivePermuteStart;
    return passes_on ? collective.shape().tuple_shapes()[1] : collective.shape();
  }
  BoxTree Anything() const {
    return BoxTree::Anything(result(), open != nullptr ? open : &collective);
  }
  int64_t MemberOf(int64_t process) const {
    const auto at = std::lower_bound(team.begin(), team.end(), process);
    return at != team.end() && *at == process ? at - team.begin() : -1;
  }

  // Boxes of what is kept in f32 become those of their types. False if a type does not hold one.
  bool TakeOperands(const std::vector<std::vector<BoxTree>>& trees) {
    for (const std::vector<BoxTree>& of_member : trees) {
      std::vector<Box>& boxes = operands.emplace_back();
      for (size_t k = 0; k < of_member.size(); ++k) {
        const Shape& shape = collective.operand(static_cast<int64_t>(k))->shape();
        if (of_member[k].is_tuple() || !shape.is_array()) return false;
        NarrowBox box{of_member[k].box(), true};
        if (box.box.low.element_type() != shape.element_type()) {
          box = Around(shape.element_type(), box.box);
        }
        if (!box.holds) return false;
        if (open == nullptr) open = box.box.open;
        is_point = is_point && box.box.is_point();
        is_static = is_static && !box.box.shape().is_dynamic();
        is_flushed = is_flushed && box.box.flushed;
        has_given = has_given || box.box.given.is_array();
        boxes.push_back(std::move(box.box));
      }
    }
    return true;
  }

  absl::Status FindPartners(const ProcessGrid& grid) {
    whole.assign(team.size(), 1);
    receives.assign(team.size(), 1);
    if (analysis::IsPermutation(collective.opcode())) {
      const auto pairs = runtime::ProcessPairs(collective, grid);
      if (!pairs.ok()) return pairs.status();
      receives.assign(team.size(), 0);
      for (const auto& [source, target] : *pairs) {
        const int64_t member = MemberOf(target);
        if (member < 0) continue;
        receives[member] = 1;
        whole[member] = MemberOf(source) >= 0;
      }
      return absl::OkStatus();
    }
    auto found = runtime::ProcessGroups(collective, grid);
    if (!found.ok()) return found.status();
    groups = *std::move(found);
    for (const std::vector<int64_t>& group : groups) {
      const bool complete = std::all_of(group.begin(), group.end(),
                                        [&](int64_t process) { return MemberOf(process) >= 0; });
      for (const int64_t process : group) {
        if (!complete && MemberOf(process) >= 0) whole[MemberOf(process)] = 0;
      }
    }
    return absl::OkStatus();
  }
};

CollectiveEncloser::CollectiveEncloser(const ProcessGrid& grid, const TargetProfile& profile,
                                       const RunBudget& budget, EncloseAlone enclose_alone)
    : grid_(grid), profile_(profile), enclose_alone_(std::move(enclose_alone)) {
  options_.budget = budget;
}

absl::StatusOr<std::vector<BoxTree>> CollectiveEncloser::Meet(
    const Instruction& collective, absl::Span<const int64_t> team,
    const std::vector<std::vector<BoxTree>>& operands) {
  Meeting meeting{collective, team, {}, {}, {}, {}};
  absl::StatusOr<std::vector<BoxTree>> results;
  if (!meeting.TakeOperands(operands)) {
    results = std::vector<BoxTree>(team.size(), meeting.Anything());
  } else {
    if (!meeting.is_static && !meeting.is_point) {
      return absl::UnimplementedError(
          absl::StrCat("no enclosure of dynamic sizes: ", collective.Describe()));
    }
    if (absl::Status status = meeting.FindPartners(grid_); !status.ok()) return status;
    results = analysis::IsReduction(collective.opcode()) ? Reduce(meeting) : Move(meeting);
    if (!results.ok()) return results;
  }
  if (&meeting.result() == &collective.shape()) return results;
  for (size_t m = 0; m < team.size(); ++m) {
    std::vector<BoxTree> elements;
    elements.push_back(Assemble(collective.shape().tuple_shapes()[0], operands[m]));
    elements.push_back(std::move((*results)[m]));
    for (const Shape& context : collective.shape().tuple_shapes().subspan(2)) {
      elements.push_back(BoxTree::Anything(context, &collective));
    }
    (*results)[m] = BoxTree::Tuple(std::move(elements));
  }
  return results;
}

absl::StatusOr<std::vector<BoxTree>> CollectiveEncloser::Move(const Meeting& meeting) {
  const size_t count = meeting.team.size();
  std::vector<BoxTree> results(count, meeting.Anything());
  const bool moves = meeting.is_point || MovesAllOperands(meeting.collective);
  const absl::StatusOr<const Golden*> golden = GoldenOf(meeting.collective);
  if (!golden.ok()) return golden.status();
  if (!moves || (*golden)->module == nullptr) return results;
  const auto lows = RunGolden(meeting, [](const Box& box) { return box.low; });
  if (!lows.ok()) return lows.status();
  absl::StatusOr<std::vector<std::vector<Literal>>> highs, nans, givens;
  const bool given = meeting.has_given && MovesAllOperands(meeting.collective);
  if (given) {
    givens = RunGolden(meeting, [](const Box& box) {
      return box.given.is_array() ? box.given : Literal::Zeros(box.shape());
    });
    if (!givens.ok()) return givens.status();
  }
  if (!meeting.is_point) {
    highs = RunGolden(meeting, [](const Box& box) { return box.high; });
    if (!highs.ok()) return highs.status();
    nans = RunGolden(meeting, [](const Box& box) {
      return box.has_nan() ? box.nan : Literal::Zeros(box.shape());
    });
    if (!nans.ok()) return nans.status();
  }
  for (size_t m = 0; m < count; ++m) {
    if (!meeting.whole[m]) continue;
    const std::vector<Literal>& low = (*lows)[m];
    // A device that receives nothing has zeros. Not every type has a zero.
    const bool zeros = !meeting.receives[m];
    std::vector<BoxTree> leaves;
    for (size_t leaf = 0; leaf < low.size(); ++leaf) {
      if (zeros && low[leaf].element_type() == ElementType::kF8E8M0FNU) {
        leaves.push_back(BoxTree::Anything(low[leaf].shape(), &meeting.collective));
        continue;
      }
      Box box = Box::Point(low[leaf]);
      if (!meeting.is_point && !zeros) {
        if (!Literal::BitEqual(low[leaf], (*highs)[m][leaf])) box.high = (*highs)[m][leaf];
        const Literal& nan = (*nans)[m][leaf];
        if (!Literal::BitEqual(nan, Literal::Zeros(nan.shape()))) box.nan = nan;
        if (!box.is_point()) box.open = meeting.open;
      }
      box.flushed = meeting.is_flushed;
      if (given && !zeros) box.given = (*givens)[m][leaf];
      leaves.push_back(BoxTree::Of(std::move(box)));
    }
    results[m] = Assemble(meeting.result(), std::move(leaves));
  }
  return results;
}

absl::StatusOr<std::vector<BoxTree>> CollectiveEncloser::Reduce(const Meeting& meeting) {
  std::vector<BoxTree> results(meeting.team.size(), meeting.Anything());
  const bool scatters = meeting.collective.opcode() == Opcode::kReduceScatter;
  for (const std::vector<int64_t>& group : meeting.groups) {
    std::vector<size_t> members;
    for (const int64_t process : group) {
      const int64_t member = meeting.MemberOf(process);
      if (member >= 0) members.push_back(static_cast<size_t>(member));
    }
    if (members.size() != group.size()) continue;
    for (size_t position = 0; position < members.size(); ++position) {
      if (position > 0 && !scatters) {
        results[members[position]] = results[members[0]];
        continue;
      }
      absl::StatusOr<BoxTree> result = ReduceGroup(meeting, members, position);
      if (!result.ok()) return result.status();
      results[members[position]] = *std::move(result);
    }
  }
  return results;
}

// Returns the result of the member at `position` of a group.
absl::StatusOr<BoxTree> CollectiveEncloser::ReduceGroup(const Meeting& meeting,
                                                        const std::vector<size_t>& members,
                                                        size_t position) {
  const Instruction& collective = meeting.collective;
  const analysis::ReducerKind kind = analysis::RecogniseReducer(*collective.to_apply()).kind;
  std::vector<BoxTree> leaves;
  for (size_t k = 0; k < meeting.operands[0].size(); ++k) {
    if (members.size() == 1) {
      leaves.push_back(BoxTree::Of(meeting.operands[members[0]][k]));
      continue;
    }
    const Shape shape = LeafOf(collective, k);
    if (!meeting.is_static || !StartOf(kind, shape.element_type())) {
      leaves.push_back(
          BoxTree::Anything(shape, meeting.open != nullptr ? meeting.open : &collective));
      continue;
    }
    std::vector<BoxTree> arguments;
    const Instruction* open = nullptr;
    for (const size_t member : members) {
      const Box& box = meeting.operands[member][k];
      if (open == nullptr) open = box.open;
      const BoxTree argument = BoxTree::Of(box);
      arguments.push_back(profile_.Grants(Freedom::kExcessPrecision) ? TreeInF32(argument)
                                                                     : argument);
    }
    absl::StatusOr<BoxTree> reduced =
        enclose_alone_(ReduceOf(collective, k, members.size(), position), std::move(arguments));
    if (!reduced.ok()) return reduced.status();
    Box box = reduced->box();
    // The collective outlives the reduce that stands for it.
    if (box.open != nullptr) box.open = open != nullptr ? open : &collective;
    leaves.push_back(BoxTree::Of(std::move(box)));
  }
  return Assemble(collective.shape(), std::move(leaves));
}

// The golden results, by member and leaf, of one part of every box. Devices that are not in the
// team contribute zeros, which reach no device whose group is complete.
absl::StatusOr<std::vector<std::vector<Literal>>> CollectiveEncloser::RunGolden(
    const Meeting& meeting, const std::function<Literal(const Box&)>& part) {
  const absl::StatusOr<const Golden*> golden = GoldenOf(meeting.collective);
  if (!golden.ok()) return golden.status();
  Program program{(*golden)->planned.get(), nullptr, grid_, {}};
  for (int64_t process = 0; process < grid_.count(); ++process) {
    const int64_t member = meeting.MemberOf(process);
    std::vector<Literal>& arguments = program.arguments.emplace_back();
    for (const int64_t k : (*golden)->operand_of_parameter) {
      arguments.push_back(
          member >= 0 ? part(meeting.operands[member][k])
                      : Literal::Zeros(WithoutLayout(meeting.collective.operand(k)->shape())));
    }
  }
  const auto results = RunPrograms({&program, 1}, options_);
  if (!results.ok()) return results.status();
  std::vector<std::vector<Literal>> by_member;
  for (const int64_t process : meeting.team) by_member.push_back(Flatten((*results)[0][process]));
  return by_member;
}

absl::StatusOr<const CollectiveEncloser::Golden*> CollectiveEncloser::GoldenOf(
    const Instruction& collective) {
  Golden& golden = goldens_[&collective];
  if (golden.module != nullptr) return &golden;
  if (const std::optional<Opcode> done = DoneOf(collective.opcode())) {
    for (const auto& each : collective.parent()->instructions()) {
      if (each->opcode() != *done || each->operand(0) != &collective) continue;
      analysis::IsolatedGroup group =
          analysis::IsolateGroup({&collective, each.get()}, {each.get()});
      for (const Instruction* operand : group.operands) {
        const auto all = collective.operands();
        golden.operand_of_parameter.push_back(std::find(all.begin(), all.end(), operand) -
                                              all.begin());
      }
      golden.module = std::move(group.module);
      break;
    }
    if (golden.module == nullptr) return &golden;
  } else {
    golden.module = analysis::IsolateInstruction(collective);
    for (int64_t k = 0; k < collective.operand_count(); ++k) {
      golden.operand_of_parameter.push_back(k);
    }
  }
  golden.module->replica_count = grid_.replicas;
  golden.module->num_partitions = grid_.partitions;
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned = PlannedModule::Create(*golden.module);
  if (!planned.ok()) return planned.status();
  golden.planned = *std::move(planned);
  return &golden;
}

// The computation of one array of a reduction: the members' arrays, or their slices, one above the
// other, and a reduce over the members.
const Computation& CollectiveEncloser::ReduceOf(const Instruction& collective, size_t operand,
                                                size_t members, size_t position) {
  std::unique_ptr<Module>& module =
      reduces_[std::make_tuple(&collective, operand, members, position)];
  if (module != nullptr) return *module->entry();
  // The isolated collective brings a copy of its reducer along.
  module = analysis::IsolateInstruction(collective);
  Computation* reducer = module->entry()->root()->to_apply();
  Computation& entry = *module->Add(std::make_unique<Computation>("members"));
  const Shape part = LeafOf(collective, operand);
  const Shape whole = WithoutLayout(collective.operand(static_cast<int64_t>(operand))->shape());
  Dimensions sizes = {1};
  sizes.insert(sizes.end(), part.dimensions().begin(), part.dimensions().end());
  const Shape one(part.element_type(), sizes);
  sizes[0] = static_cast<int64_t>(members);
  auto stack =
      std::make_unique<Instruction>(Opcode::kConcatenate, Shape(part.element_type(), sizes));
  stack->SetAttribute(Attr::kDimension, int64_t{0});
  for (size_t m = 0; m < members; ++m) {
    Instruction* value = entry.Add(Parameter(static_cast<int32_t>(m), whole));
    if (collective.opcode() == Opcode::kReduceScatter) {
      value = AddSlice(collective, part, position, value, &entry);
    }
    stack->AppendOperand(AddUnary(Opcode::kReshape, one, value, &entry));
  }
  // The reducer may compute in a type of its own.
  const ElementType own = reducer->root()->shape().element_type();
  const analysis::ReducerKind kind = analysis::RecogniseReducer(*reducer).kind;
  auto start = std::make_unique<Instruction>(Opcode::kConstant, Shape(own, {}));
  start->set_literal(Literal::Scalar(own, *StartOf(kind, own)));
  auto reduce = std::make_unique<Instruction>(Opcode::kReduce, Shape(own, part.dimensions()));
  reduce->SetAttribute(Attr::kDimensions, std::vector<int64_t>{0});
  reduce->SetAttribute(Attr::kToApply, reducer);
  reduce->AppendOperand(entry.Add(std::move(stack)));
  reduce->AppendOperand(entry.Add(std::move(start)));
  Instruction* result = entry.Add(std::move(reduce));
  if (own != part.element_type()) result = AddUnary(Opcode::kConvert, part, result, &entry);
  entry.set_root(result);
  module->set_entry(&entry);
  module->UniquifyNames();
  return entry;
}

}  // namespace assay::conformance
