// The plan of a computation. Every array is a slot; tuples exist only as lists of slots, so that
// building and unpacking them costs nothing. Slots with disjoint lifetimes share storage. Tests:
// interpreter/plan_values_test.cc, interpreter/plan_memory_test.cc.
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

// A frame has one arena for values whose place is known when the module is planned: values up to
// this size, which calls and loops copy, and larger values that never leave the frame (local
// values). All others are shared buffers, which calls and loops pass on.
inline constexpr int64_t kSmallBytes = 256;
// The alignment of small values. The padding up to the next multiple belongs to the value.
inline constexpr int64_t kPlaceBytes = 16;

struct Slot {
  const Shape* shape = nullptr;  // the shape of an array or a token
  int64_t bytes = 0;
  bool in_frame = true;   // the value lies in the arena of the frame
  bool is_local = false;  // in_frame, and counted against the budget during its lifetime
  int32_t place = 0;      // the offset in the arena if in_frame, otherwise the number of the buffer
  int32_t sizes = -1;  // the offset in the arena of the current sizes of dynamic dimensions, or -1
};

enum class StepKind : uint8_t {
  kKernel,
  kCall,  // call, fusion
  kWhile,
  kConditional,
  kEffect,      // waits until the result is ready
  kAsyncStart,  // an async start: an effect whose result is awaited later
  kAsyncDone,   // an async done: takes the results of an async start
  kObserve,     // an instruction that only renames slots
};

// A slot of a computation's result. `movable` tells if its buffer may be moved out.
struct RootSlot {
  int32_t slot = 0;
  bool movable = false;
};

// The use of an operand's buffer in a step.
enum class OperandUse : uint8_t {
  kKeep,  // read again later
  kLast,  // not read after this occurrence in the operand list
  kSole,  // kLast, and it occurs once, so that the result may overwrite it
};

// Values that are passed from one frame to another: runs of bytes for small values, merged if they
// are adjacent in both frames, and the numbers of all others.
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
  // one for a call; condition and body of a while; the branches of a conditional
  std::vector<const ComputationPlan*> callees;
  std::vector<int32_t> operands;  // the leaves of all operands, in order; for views, their sources
  std::vector<OperandUse> uses;   // of each operand
  bool hidden = false;            // hidden from observers, because another step reports the value
  std::vector<int32_t> results;   // leaves of the result
  std::vector<int32_t> dying;     // slots with a buffer that is not read after this step
  // For a kernel: the indices of its operands and results among the references of a frame.
  // `is_fixed` is true if these never change, because all results are in the frame and all operands
  // in the frame or the plan.
  int32_t first_operand = 0, first_result = 0;
  bool is_fixed = false;
  // For a kernel: true if the first result has the place of a local operand that dies.
  bool takes_place = false;
  bool makes_local = false;    // true if one of the results becomes a local value
  int64_t released_bytes = 0;  // bytes of local values that are not read after this step
  // For a loop on a device: the number of its iterations, if that is known; otherwise negative.
  int64_t trips = -1;
  // For a call, loop or branch: true if its callees may run without activations
  // (machine_direct.cc).
  bool is_direct = false;
  // By callee: the values passed to its parameters, and those returned from its roots.
  std::vector<Handover> given, returned;
  int64_t stored_bytes = 0;  // bytes that a kernel writes
};

struct ComputationPlan {
  const Computation* computation = nullptr;
  int32_t number = 0;  // the number of the plan in the module's plan
  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<int32_t> parameters;  // leaves of all parameters, by number
  std::vector<bool> is_unread;      // true for a leaf that neither a step nor the root reads
  std::vector<RootSlot> roots;      // leaves of the root
  std::vector<std::pair<int32_t, Literal>> constants;
  int64_t small_bytes = 0;  // bytes at the beginning of the arena for all but local values
  int64_t arena_bytes = 0;
  int32_t buffer_count = 0;
  int32_t operand_count = 0, result_count = 0;  // the total of all kernels
  // The nesting depth of calls, loops and branches that run without activations, including the
  // computation itself; 0 if it needs an activation.
  int32_t direct_levels = 0;
};

// Plans one computation. `plans` has the plans of the computations that it calls.
class PlanBuilder {
 public:
  using PlanMap = absl::flat_hash_map<const Computation*, const ComputationPlan*>;
  PlanBuilder(const Computation& computation, const ModulePlan& module, const PlanMap& plans,
              Budget& budget);
  absl::StatusOr<std::unique_ptr<ComputationPlan>> Build() &&;

 private:
  using SlotList = std::shared_ptr<const std::vector<int32_t>>;
  // An asynchronous computation. Its start and the following updates bind its operands.
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
  // Async operations (plan_async.cc). The value between start and done has the operands, the
  // results, and slots for context.
  absl::Status VisitStart(const Instruction& instruction);
  absl::Status VisitDone(const Instruction& instruction);
  absl::Status VisitAsync(const Instruction& instruction);
  absl::Status VisitAsyncDone(const Instruction& done);
  // Adds a step that starts the wrapped operation and stores its results in `results`.
  absl::Status StartWrapped(const Instruction& by, const AsyncChain& chain, SlotList results);
  void AppendSlots(const Instruction& operand, std::vector<int32_t>* slots);
  void AppendZeros(const Shape& shape, std::vector<int32_t>* slots);
  // Data movement that its users read through becomes a view instead of a step.
  absl::Status VisitMovement(const Instruction& instruction);
  std::optional<View> ComposeView(const Instruction& instruction);
  // Returns the value of an instruction as a view of slots.
  View AsView(const Instruction& instruction) const;
  bool IsView(const Instruction& instruction) const;
  // Returns the view with its slots replaced by operand numbers, and appends the slots to the
  // operands.
  static View WithSlotsAsOperands(const View& view, std::vector<int32_t>* slots);
  // Evaluates a small view of constants, which a loop would otherwise move in every iteration.
  bool FoldConstants(const Instruction& instruction, const View& view);
  void AddConstant(int32_t slot, Literal literal);
  // Stores a view: adds slots of its own and a step that fills them.
  void StoreView(const Instruction& instruction);
  // Returns a kernel that reads operands through views, with the slots that it reads; null if there
  // is none.
  KernelOr PrepareOnViews(const Instruction& instruction, std::vector<int32_t>* slots) const;
  // Appends a step whose operands and kernel are given.
  void AddStep(const Instruction& instruction, Step step);
  SlotList NewSlots(const Shape& shape);
  int32_t NewSlot(const Shape& shape);
  const SlotList& SlotsOf(const Instruction& instruction) const;
  void FindDying();
  void FindRoots();
  // Assigns the places of values (plan_places.cc).
  void AssignPlaces();
  // Precomputes data of the frames (plan_frames.cc).
  void PrepareFrames();
  void PrepareKernelStep(Step& step, const std::vector<bool>& is_constant);
  void PrepareHandovers(Step& step) const;
  void FindDirect();

  const Computation& computation_;
  const ModulePlan& module_;
  const PlanOptions& options_;
  const Engine& engine_;
  const DeviceEngine* const device_;  // the engine, if values are in a memory of its own
  const PlanMap& plans_;
  Budget& budget_;
  std::unique_ptr<ComputationPlan> plan_;
  std::vector<bool> live_;                                 // by instruction index
  std::vector<SlotList> slots_of_;                         // by instruction index
  std::optional<ViewChoice> view_choice_;                  // not set if every instruction is stored
  absl::flat_hash_map<const Instruction*, View> views_;    // sources are slots
  absl::flat_hash_map<int32_t, size_t> constant_of_slot_;  // the slot's number among the constants
  int64_t folded_bytes_ = 0;
  absl::Status refusal_;  // the error of a view that the engine cannot store
  // by the last instruction of the chain so far
  absl::flat_hash_map<const Instruction*, AsyncChain> chains_;
};

// Returns the computations that an instruction runs as plans: those of control flow, and regions of
// other operations that are not scalar programs.
std::vector<const Computation*> PlannedCallees(const Instruction& instruction,
                                               const Engine& engine);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_PLAN_H_
