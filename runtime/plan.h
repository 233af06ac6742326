// The plan of a computation: what its instructions became. Every array is a slot; tuples exist only
// as lists of slots, so that building and taking them apart costs nothing. Slots whose life does
// not overlap share storage.
#ifndef ASSAY_RUNTIME_PLAN_H_
#define ASSAY_RUNTIME_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "runtime/effect.h"
#include "runtime/engine.h"
#include "runtime/module_plan.h"
#include "runtime/plan_views.h"
#include "runtime/value_memory.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay::runtime {

// A frame has one arena, in which values lie whose place is known when the module is planned: those
// up to this size, which calls and loops copy, and larger ones that never leave the frame (local
// values). All others are shared buffers, which calls and loops pass on.
inline constexpr int64_t kSmallBytes = 256;
// Places of small values are multiples of so many bytes, and what is left of the last ones is their
// own.
inline constexpr int64_t kPlaceBytes = 16;

struct Slot {
  const Shape* shape = nullptr;  // of an array or a token
  int64_t bytes = 0;
  bool in_frame = true;   // the value lies in the arena of the frame
  bool is_local = false;  // in_frame, and counted against the budget while it lives
  int32_t place = 0;      // in_frame: offset into the arena; else: number of the buffer
  int32_t sizes = -1;     // with dynamic dimensions: offset of their current sizes in the arena
};

enum class StepKind : uint8_t {
  kKernel,
  kCall,  // call, fusion
  kWhile,
  kConditional,
  kEffect,   // waits until the result is there
  kDepart,   // an effect whose result somebody awaits later
  kAwait,    // the results of what departed
  kObserve,  // an instruction that only renames slots
};

// One slot as the result of a computation: whether its buffer may be taken away.
struct RootSlot {
  int32_t slot = 0;
  bool movable = false;
};

// What may happen to the buffer of an operand's slot in this step.
enum class OperandUse : uint8_t {
  kKeep,  // read again later
  kLast,  // nobody reads it after this occurrence in the operand list
  kSole,  // kLast, and it occurs once: the result may overwrite it
};

// Values that go from one frame to another: small ones as bytes, several at a time where they lie
// side by side in both, and the numbers of all others.
struct Handover {
  struct Run {
    int32_t from = 0, to = 0;
    int32_t bytes = 0;  // less than kPlaceBytes, or a multiple of it
  };
  std::vector<Run> runs;
  std::vector<int32_t> others;
};

struct Step {
  StepKind kind = StepKind::kKernel;
  const Instruction* instruction = nullptr;
  std::unique_ptr<Kernel> kernel;
  std::unique_ptr<Effect> effect;
  std::vector<const ComputationPlan*> callees;  // call: 1; while: condition, body; branches
  std::vector<int32_t> operands;  // leaves of all operands, in order; of views, their sources
  std::vector<OperandUse> uses;   // of each operand
  bool hidden = false;            // from observers: another step shows them the value
  std::vector<int32_t> results;   // leaves of the result
  std::vector<int32_t> dying;     // slots with a buffer that nobody reads after this step
  // Of a kernel: where its operands and results stand among the references of a frame, and whether
  // none of these ever changes, since all results lie in the frame and all operands in the frame or
  // the plan.
  int32_t first_operand = 0, first_result = 0;
  bool is_fixed = false;
  // Of a kernel: the first result has the place of a local operand that dies.
  bool takes_place = false;
  bool makes_local = false;    // one of the results takes a place as a local value
  int64_t released_bytes = 0;  // of local values that nobody reads after this step
  // Of a call, loop or branch: its callees may run as loops over their steps (machine_direct.cc).
  bool is_direct = false;
  // By callee: what it is given (of its parameters), and what it gives (of its roots).
  std::vector<Handover> given, returned;
  int64_t stored_bytes = 0;  // that a kernel writes
};

struct ComputationPlan {
  const Computation* computation = nullptr;
  int32_t number = 0;  // in the planned module
  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<int32_t> parameters;  // leaves of all parameters, by number
  std::vector<bool> is_unread;      // of each of them: neither a step nor the root reads it
  std::vector<RootSlot> roots;      // leaves of the root
  std::vector<std::pair<int32_t, Literal>> constants;
  int64_t small_bytes = 0;  // of the arena, from its beginning: all but local values
  int64_t arena_bytes = 0;
  int32_t buffer_count = 0;
  int32_t operand_count = 0, result_count = 0;  // of all kernels
  // The levels of calls, loops and branches inside each other that it runs without activations,
  // itself among them; 0: it needs an activation.
  int32_t direct_levels = 0;
};

// Plans one computation. `plan_of` gives the plans of the computations that it calls (already
// made).
class PlanBuilder {
 public:
  using PlanMap = absl::flat_hash_map<const Computation*, const ComputationPlan*>;
  PlanBuilder(const Computation& computation, const ModulePlan& module, const PlanMap& plans,
              Budget& budget);
  absl::StatusOr<std::unique_ptr<ComputationPlan>> Build() &&;

 private:
  using SlotList = std::shared_ptr<const std::vector<int32_t>>;
  // An asynchronous computation whose operands are bound by its start and the updates that follow.
  struct AsyncChain {
    const Instruction* start = nullptr;
    std::vector<const Instruction*> bound;
    bool started = false;  // the wrapped operation
  };

  void FindLive();
  absl::Status Visit(const Instruction& instruction);
  absl::Status VisitConstant(const Instruction& instruction);
  absl::Status VisitStep(const Instruction& instruction, Step step);
  absl::Status PrepareStep(const Instruction& instruction, Step* step) const;
  absl::Status PrepareWhile(const Instruction& instruction, Step* step) const;
  // Operations in two halves (plan_async.cc). The value between has the operands, the results, and
  // slots for context.
  absl::Status VisitStart(const Instruction& instruction);
  absl::Status VisitDone(const Instruction& instruction);
  absl::Status VisitAsync(const Instruction& instruction);
  absl::Status VisitAsyncDone(const Instruction& done);
  // A step that starts the wrapped operation, with `results` for what it yields.
  absl::Status StartWrapped(const Instruction& by, const AsyncChain& chain, SlotList results);
  void AppendSlots(const Instruction& operand, std::vector<int32_t>* slots);
  void AppendZeros(const Shape& shape, std::vector<int32_t>* slots);
  // Data movement that its users read through gets a view and no step.
  absl::Status VisitMovement(const Instruction& instruction);
  std::optional<View> ComposeView(const Instruction& instruction);
  // The value of an instruction as a view of slots.
  View AsView(const Instruction& instruction) const;
  bool IsView(const Instruction& instruction) const;
  // The view with numbers of operands in the place of the slots, which become the operands.
  static View WithSlotsAsOperands(const View& view, std::vector<int32_t>* slots);
  // A small view of constants becomes one: a loop would move it in every turn.
  bool FoldConstants(const Instruction& instruction, const View& view);
  void AddConstant(int32_t slot, Literal literal);
  // Gives a view slots of its own, and a step that fills them.
  void StoreView(const Instruction& instruction);
  // A kernel that reads operands through views, with the slots it reads; null if there is none.
  KernelOr PrepareOnViews(const Instruction& instruction, std::vector<int32_t>* slots) const;
  // Appends a step whose operands and kernel are given.
  void AddStep(const Instruction& instruction, Step step);
  SlotList NewSlots(const Shape& shape);
  int32_t NewSlot(const Shape& shape);
  const SlotList& SlotsOf(const Instruction& instruction) const;
  void FindDying();
  void FindRoots();
  // Where values lie (plan_places.cc).
  void AssignPlaces();
  // What runs of the plan need not work out again (plan_frames.cc).
  void PrepareFrames();
  void PrepareKernelStep(Step& step, const std::vector<bool>& is_constant);
  void PrepareHandovers(Step& step) const;
  void FindDirect();

  const Computation& computation_;
  const ModulePlan& module_;
  const PlanOptions& options_;
  const Engine& engine_;
  const DeviceEngine* const device_;  // the engine, if values lie in a memory of its own
  const PlanMap& plans_;
  Budget& budget_;
  std::unique_ptr<ComputationPlan> plan_;
  std::vector<bool> live_;                                 // by instruction index
  std::vector<SlotList> slots_of_;                         // by instruction index
  std::optional<ViewChoice> view_choice_;                  // none: every instruction is stored
  absl::flat_hash_map<const Instruction*, View> views_;    // sources are slots
  absl::flat_hash_map<int32_t, size_t> constant_of_slot_;  // its number among the constants
  int64_t folded_bytes_ = 0;
  absl::Status refusal_;  // of a view that the engine cannot store
  absl::flat_hash_map<const Instruction*, AsyncChain> chains_;  // by its last instruction so far
};

// The computations that an instruction runs as plans: those of control flow, and regions of other
// operations that are no scalar programs.
std::vector<const Computation*> PlannedCallees(const Instruction& instruction,
                                               const Engine& engine);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_PLAN_H_
