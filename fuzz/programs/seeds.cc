#include "fuzz/programs/seeds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/corpus/work.h"
#include "conformance/mutants/rewrites.h"
#include "fuzz/programs/writer.h"
#include "spec/builder/copy_module.h"
#include "spec/ops/shape_inference.h"
#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

constexpr int64_t kMostElements = 1 << 14;  // of a value
constexpr int64_t kMostWork = 1 << 17;      // of an instruction, with what it calls
constexpr int64_t kMostRoots = 1 << 16;     // that two bytes choose from
constexpr int64_t kMostMembers = 10;        // of a subgraph

// Operations that stand for themselves on one device and have no effects.
bool IsPure(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kBitcast:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kCustomCall:
    case Opcode::kDomain:
    case Opcode::kDynamicReshape:
    case Opcode::kGetDimensionSize:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kPartitionId:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kReplicaId:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kSetDimensionSize:
      return false;
    default:
      return instruction.info().family != Family::kCollective &&
             instruction.info().accuracy != Accuracy::kRandom;
  }
}

bool IsSmall(const Shape& shape) {
  for (const Shape* leaf : Leaves(shape)) {
    if (!leaf->is_array() || leaf->is_dynamic()) return false;
    const absl::StatusOr<int64_t> count = leaf->ElementCount();
    if (!count.ok() || *count > kMostElements) return false;
  }
  return true;
}

int64_t ElementsOf(const Shape& shape) {
  int64_t count = 0;
  for (const Shape* leaf : Leaves(shape)) count += CountOf(leaf->dimensions());
  return count;
}

// The element operations of an instruction, roughly; more than kMostWork where it is no seed.
int64_t WorkOfSeed(const Instruction& instruction) {
  constexpr int64_t kTooMuch = kMostWork + 1;
  if (!IsPure(instruction) || !IsSmall(instruction.shape())) return kTooMuch;
  int64_t work = conformance::MultiplyAdds(instruction), results = ElementsOf(instruction.shape());
  for (const Instruction* operand : instruction.operands()) {
    if (!IsSmall(operand->shape())) return kTooMuch;
    results = std::max(results, ElementsOf(operand->shape()));
  }
  if (instruction.HasAttribute(Attr::kWindow)) {
    for (const WindowDimension& dimension : instruction.window().dimensions) {
      results = std::min(results, kTooMuch) * std::clamp<int64_t>(dimension.size, 1, kTooMuch);
    }
  }
  int64_t called = 0;
  for (const Computation* callee : instruction.called_computations()) {
    for (const auto& each : callee->instructions()) {
      if (each->opcode() == Opcode::kParameter) continue;
      called = std::min(called + WorkOfSeed(*each), kTooMuch);
    }
  }
  if (called > kMostWork) return kTooMuch;
  int64_t times = 1;
  if (instruction.opcode() == Opcode::kWhile) {
    const std::optional<conformance::CountedLoop> loop = conformance::MatchCountedLoop(instruction);
    const std::optional<int64_t> iterations = loop ? loop->Iterations() : std::nullopt;
    if (!iterations) return kTooMuch;
    times = *iterations + 1;
  } else if (instruction.info().family != Family::kControl) {
    times = results;  // regions run for each element
  }
  return std::min(kTooMuch, std::min(work, kTooMuch) + results + called * times);
}

void StripShape(Instruction& instruction) {
  Shape shape = instruction.shape();
  shape.ClearLayouts();
  instruction.set_shape(std::move(shape));
}

// What belongs to the module that it came from.
void Strip(Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      StripShape(*each);
      if (each->has_annotations()) each->mutable_annotations() = Annotations();
    }
  }
}

}  // namespace

SeedModules::SeedModules(std::vector<std::unique_ptr<Module>> modules)
    : modules_(std::move(modules)) {
  std::string text;
  for (const std::unique_ptr<Module>& module : modules_) {
    Strip(*module);
    absl::StrAppend(&text, PrintModule(*module));
    for (const auto& computation : module->computations()) {
      for (const auto& each : computation->instructions()) {
        if (static_cast<int64_t>(roots_.size()) == kMostRoots) break;
        switch (each->opcode()) {
          case Opcode::kBroadcast:
          case Opcode::kConstant:
          case Opcode::kGetTupleElement:
          case Opcode::kIota:
          case Opcode::kParameter:
          case Opcode::kTuple:
            continue;
          default:
            // Scalars are what regions compute, and little else.
            if (!each->shape().is_scalar() && IsSeed(*each)) roots_.push_back(each.get());
        }
      }
    }
  }
  hash_ = conformance::HashOf(text);
}

bool SeedModules::IsSeed(const Instruction& instruction) const {
  return instruction.opcode() != Opcode::kParameter && !instruction.is_elided_constant() &&
         WorkOfSeed(instruction) <= kMostWork;
}

namespace {

// One subgraph on its way into the program.
class Transplant {
 public:
  Transplant(ProgramWriter& w, const SeedModules& seeds) : w_(w), seeds_(seeds) {}

  void Run() {
    const Instruction* const root =
        seeds_.roots()[w_.choices().Below(static_cast<int64_t>(seeds_.roots().size()))];
    ChooseMembers(*root, w_.choices().Between(1, kMostMembers));
    for (const auto& [index, member] : members_) {
      if (!Write(*member)) return;
    }
  }

 private:
  void ChooseMembers(const Instruction& root, int64_t most) {
    std::vector<const Instruction*> open = {&root};
    Add(root);
    int64_t count = 1;
    for (size_t next = 0; next < open.size(); ++next) {
      for (const Instruction* operand : open[next]->operands()) {
        // What a loop starts from says how often it runs.
        const bool must = IsStartOfLoop(*open[next]) || operand->opcode() == Opcode::kConstant;
        if (members_.contains(operand->index()) || !seeds_.IsSeed(*operand)) continue;
        if (!must && count >= most) continue;
        Add(*operand);
        open.push_back(operand);
        count += must ? 0 : 1;
      }
      if (open[next]->opcode() == Opcode::kWhile) AddStart(*open[next], &open);
    }
  }
  void Add(const Instruction& member) { members_[member.index()] = &member; }
  void AddStart(const Instruction& loop, std::vector<const Instruction*>* open) {
    const Instruction& start = *loop.operand(0);
    starts_.insert(&start);
    if (!members_.contains(start.index())) {
      Add(start);
      open->push_back(&start);
    }
    // The constants that it counts from.
    for (const Instruction* element : start.operands()) {
      if (element->opcode() == Opcode::kConstant) Add(*element);
    }
  }
  bool IsStartOfLoop(const Instruction& tuple) const { return starts_.contains(&tuple); }

  // False where the program has no more room.
  bool Write(const Instruction& member) {
    const int64_t change = IsPlain(member) ? w_.choices().Below(16) : 0;
    if (change == 1) return true;  // left out: whoever takes it takes another value
    InstructionMap operands;
    for (const Instruction* operand : member.operands()) {
      Instruction* const value = ValueOf(*operand);
      if (value == nullptr) return false;
      operands[operand] = value;
    }
    CalleeMap callees;
    for (const Computation* callee : member.called_computations()) CopyCallee(*callee, &callees);
    std::unique_ptr<Instruction> copy = CopyInstruction(member, operands, callees);
    if (change == 2) copy = Exchanged(std::move(copy));
    if (change == 3 && copy->operand_count() == 2 && SameOperands(*copy)) {
      const std::vector<Instruction*> turned = {copy->operand(1), copy->operand(0)};
      copy->set_operands(turned);
    }
    Instruction* const made = w_.FinishCopy(std::move(copy));
    if (made == nullptr) return false;
    const bool goes_on = change == 4 && made->shape().is_array() && made->shape().rank() > 0;
    values_[&member] = goes_on ? w_.ElementwiseStep(made) : made;
    return true;
  }

  // Elementwise operations may be changed: the others agree with what stands around them.
  static bool IsPlain(const Instruction& member) {
    return member.info().elementwise() && member.shape().rank() > 0;
  }
  static bool SameOperands(const Instruction& member) {
    return member.info().elementwise() &&
           Shape::Compatible(member.operand(0)->shape(), member.operand(1)->shape());
  }

  // Another elementwise operation of as many operands and the same types.
  std::unique_ptr<Instruction> Exchanged(std::unique_ptr<Instruction> original) {
    const ElementType type = original->operand(0)->shape().element_type();
    if (type != original->shape().element_type()) return original;
    const absl::Span<const Row> rows = Rows();
    const int64_t first = w_.choices().Below(static_cast<int64_t>(rows.size()));
    for (size_t k = 0; k < rows.size(); ++k) {
      const OpInfo& info = Info(rows[(first + k) % rows.size()].opcode);
      const absl::Span<const ElementType> types = LegalTypes(info.opcode);
      if (!info.elementwise() || info.arity != original->operand_count() ||
          std::find(types.begin(), types.end(), type) == types.end()) {
        continue;
      }
      auto other = std::make_unique<Instruction>(info.opcode, original->shape());
      other->set_operands(original->operands());
      const absl::StatusOr<Shape> shape = InferShape(*other);
      if (shape.ok() && Shape::Compatible(*shape, original->shape())) return other;
    }
    return original;
  }

  // The value that stands for an instruction of the seed: the member itself, or one from outside.
  Instruction* ValueOf(const Instruction& seed) {
    if (Instruction* const known = values_[&seed]) return known;
    Instruction* const made = FromOutside(seed.shape());
    values_[&seed] = made;
    return made;
  }
  Instruction* FromOutside(const Shape& shape) {
    if (shape.is_tuple()) {
      std::vector<Instruction*> elements;
      for (const Shape& element : shape.tuple_shapes()) {
        elements.push_back(FromOutside(element));
        if (elements.back() == nullptr) return nullptr;
      }
      return w_.TupleOf(elements);
    }
    if (!w_.choices().OneIn(4)) {
      Instruction* const value = w_.FindValue([&](const Shape& other) {
        return other.element_type() == shape.element_type() &&
               other.dimensions() == shape.dimensions();
      });
      if (value != nullptr) return value;
    }
    return w_.NewLongArray(shape.element_type(), shape.dimensions());
  }

  // A copy for this caller alone, as a fusion demands; what it calls in front of it.
  void CopyCallee(const Computation& callee, CalleeMap* callees) {
    if (callees->contains(&callee)) return;
    CalleeMap inner;
    for (const auto& each : callee.instructions()) {
      for (const Computation* next : each->called_computations()) CopyCallee(*next, &inner);
    }
    (*callees)[&callee] = w_.CopyComputation(callee, inner);
  }

  ProgramWriter& w_;
  const SeedModules& seeds_;
  std::map<int64_t, const Instruction*> members_;  // by their places in the computation
  absl::flat_hash_set<const Instruction*> starts_;
  absl::flat_hash_map<const Instruction*, Instruction*> values_;
};

}  // namespace

void WriteSeed(ProgramWriter& writer) {
  const SeedModules* const seeds = writer.grammar().seeds();
  if (seeds == nullptr || seeds->roots().empty()) return;
  const LongValues many(&writer);
  Transplant(writer, *seeds).Run();
}

}  // namespace assay::fuzz
