// Runs a planned module on one device: a stack of activations, each with a frame of values and a
// position in a plan. Calls, loops and branches push and pop activations, so that nesting uses heap
// memory instead of machine stack. Tests: interpreter/plan_values_test.cc, world_test.cc.
#ifndef ASSAY_RUNTIME_MACHINE_H_
#define ASSAY_RUNTIME_MACHINE_H_

#include <memory>
#include <vector>

#include "runtime/engine.h"
#include "runtime/memory.h"
#include "runtime/plan.h"
#include "runtime/process.h"
#include "runtime/replay.h"
#include "runtime/run.h"
#include "runtime/value_memory.h"

namespace assay::runtime {

// The values of one activation of a plan.
struct Frame {
  ArenaPtr arena;
  std::vector<BufferPtr> buffers;
  // The references of all kernels of the plan, step after step, if World::MayBind permits them.
  // References to values in the arena never change.
  bool is_bound = false;
  std::vector<ArrayRef> operands;
  std::vector<MutableArrayRef> results;
};

class Machine : public ComputationCaller {
 public:
  Machine(const ModulePlan& module, const RunOptions& options, Process& process, Budget& budget,
          std::shared_ptr<MemoryAccount> memory, RunStats* stats);

  // Copies the constants of all plans to the memory of values. Start does so unless it was done.
  absl::Status PlaceConstants();
  absl::Status Start(const Computation& computation, absl::Span<const Literal> arguments);
  // Runs until the computation has ended or a step waits for other devices.
  absl::Status Advance();
  bool finished() const { return finished_; }
  // Returns what the machine waits for, or null if it can continue.
  const Pending* waits_for() const;
  // Returns the current step and the calls that led to it, outermost first.
  std::vector<const Instruction*> Path() const;
  // Returns the value of the computation's root in host memory. May be called once.
  absl::StatusOr<Literal> TakeResult();
  // Runs a region that is not a scalar program, above the current activation.
  absl::StatusOr<Literal> Call(const Computation& computation,
                               absl::Span<const Literal> arguments) override;
  void AddStats() const;
  // After a run that was recorded: the places of arguments and results.
  RecordedPlaces Places() const;
  int64_t stored_bytes() const { return stored_bytes_; }

 private:
  struct Activation {
    const ComputationPlan* plan = nullptr;
    Frame* frame = nullptr;
    size_t next = 0;  // step
    // For a running while step: the frames that all iterations share, and which of them is running.
    Frame* condition_frame = nullptr;
    Frame* body_frame = nullptr;
    bool in_condition = false;
    int64_t iterations = 0;  // that have begun, if their number is known
  };
  struct FixedPlace;

  // Adds the bytes of the arguments that count against the budget to `reserved`.
  absl::Status Begin(const ComputationPlan& plan, absl::Span<const Literal> arguments,
                     int64_t* reserved);
  // Runs until `floor` activations are left, the last of which has ended, or until a step waits.
  absl::Status RunUntil(size_t floor);
  Literal End();
  absl::Status RunStep(const Step& step);
  absl::Status RunKernel(const ComputationPlan& plan, Frame& frame, const Step& step);
  // Pushes the first activation of a call, loop or branch.
  absl::Status StartControl(const Step& step);
  absl::Status StartCall(const Step& step);
  absl::StatusOr<int64_t> SelectedBranch(const ComputationPlan& plan, Frame& frame,
                                         const Step& step) const;
  absl::Status StartConditional(const Step& step);
  absl::Status StartWhile(const Step& step);
  // Starts the condition, or if the number of iterations is known the next one or the step after
  // the loop.
  absl::Status NextIteration(const Step& step);
  absl::Status StartCondition(const Step& step);
  absl::Status StartBody(const Step& step);
  absl::Status EndLoop(Activation& activation, const Step& step);
  // Returns true if a step runs its callees without activations (RunDirect): there is no observer
  // and the nesting depth permits it.
  bool RunsDirectly(const Step& step) const;
  absl::Status RunDirect(const ComputationPlan& plan, Frame& frame, const Step& step);
  absl::Status RunDirectLoop(const ComputationPlan& plan, Frame& frame, const Step& step);
  absl::Status RunSteps(const ComputationPlan& plan, Frame& frame);
  absl::Status RunEffect(const Step& step);
  absl::Status Depart(const Step& step);
  absl::Status Await(const Step& step);
  absl::StatusOr<PendingPtr> StartEffect(const Step& step);
  absl::Status TakePending(const Step& step, PendingPtr pending);
  // Pops the finished activation and passes its results to the one below.
  absl::Status Finish();
  absl::Status FinishStep(Activation& activation, const Step& step);
  // Releases values that are not read again, and moves to the next step.
  void PassOver(Activation& activation, const Step& step);

  // Recorded loops and branches (machine_record.cc).
  // Returns true if the step is recorded as a loop or branches, not as what it does this time.
  bool RecordsControl(const Step& step) const;
  absl::Status RecordControl(const Step& step);
  absl::Status RecordLoop(const Step& step);
  absl::Status RecordBranches(const Step& step);
  // Records the condition of a loop and the copy of its value to the host, at `decision` if that is
  // not null.
  absl::Status RecordCondition(const Step& step, std::byte** decision);
  // Runs a callee above the top activation, and leaves it there.
  absl::StatusOr<Frame*> RecordCallee(const ComputationPlan& callee, Frame* frame);
  // Moves the state of a loop to its results and returns their places.
  absl::StatusOr<std::vector<FixedPlace>> FixState(const Step& step);
  static absl::StatusOr<FixedPlace> FixSlot(const ComputationPlan& plan, Frame& frame,
                                            int32_t slot);
  // Copies the roots of a callee to places.
  absl::Status CopyToPlaces(const ComputationPlan& plan, Frame& frame,
                            absl::Span<const FixedPlace> places);
  absl::Status GivePlaces(absl::Span<const FixedPlace> places);
  static RecordedPlaces::Place PlaceOf(const ComputationPlan& plan, Frame& frame, int32_t slot);

  absl::Status Push(const ComputationPlan& plan, Frame* frame);
  // Returns the storage of constant number `i` of a plan.
  const BufferPtr& ConstantStorage(const ComputationPlan& plan, size_t i) const;
  absl::StatusOr<Frame*> TakeFrame(const ComputationPlan& plan);
  absl::StatusOr<Frame*> NewFrame(const ComputationPlan& plan);
  void BindFrame(const ComputationPlan& plan, Frame& frame);
  void ReturnFrame(const ComputationPlan& plan, Frame* frame);
  // Allocates the storage of results and sets the references to operands and results.
  absl::Status PlaceAll(const ComputationPlan& plan, Frame& frame, const Step& step,
                        ArrayRef* operands, MutableArrayRef* results);
  absl::Status PlaceResult(const ComputationPlan& plan, Frame& frame, const Step& step, size_t i);
  // Counts the results that are local values against the budget.
  absl::Status ReserveLocals(const ComputationPlan& plan, const Step& step);
  absl::Status RunUnbound(const ComputationPlan& plan, Frame& frame, const Step& step);
  absl::Status Execute(const Step& step, absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results);

  static std::byte* Data(const ComputationPlan& plan, Frame& frame, int32_t slot);
  static void WriteSizes(const Slot& slot, Frame& frame, absl::Span<const int64_t> sizes);
  static absl::Span<const int64_t> ReadSizes(const Slot& slot, const Frame& frame);
  // Copies a value between frames. A buffer is shared, or moved if `move`.
  static void Transfer(const ComputationPlan& from_plan, Frame& from, int32_t from_slot, bool move,
                       const ComputationPlan& to_plan, Frame& to, int32_t to_slot);
  // Passes a value to parameter i of a callee. A value that the callee never reads is released
  // instead.
  static void PassParameter(const ComputationPlan& from_plan, Frame& from, int32_t from_slot,
                            bool move, const ComputationPlan& callee, Frame& frame, size_t i);
  absl::Status WriteSlot(const ComputationPlan& plan, Frame& frame, int32_t slot,
                         const Literal& leaf);
  static void ReleaseSlot(const ComputationPlan& plan, Frame& frame, int32_t slot);
  static void CopyRuns(const Handover& handover, const Frame& from, Frame& to);
  // Passes the operands from number `first` on to the parameters of a callee.
  void PassOperands(const Step& step, size_t callee, size_t first, Frame& frame);
  // Passes the state of a loop to the parameters of its condition or body.
  void PassState(const Step& step, size_t callee, bool move, Frame& frame);
  static void MoveRoots(const Activation& child, const Step& step, size_t callee,
                        Activation& receiver);
  absl::Status GiveBuffer(const ComputationPlan& plan, Frame& frame, int32_t slot);
  // Returns the value in the memory where it is.
  Literal ReadSlot(const ComputationPlan& plan, Frame& frame, int32_t slot) const;
  // Return the root of a finished condition, and the first element of a slot, for control
  // decisions.
  absl::StatusOr<bool> ReadCondition(const Activation& condition) const;
  absl::StatusOr<Element> ReadScalar(const ComputationPlan& plan, Frame& frame, int32_t slot) const;
  absl::Status Observe(const Activation& activation, const Step& step, bool after);
  absl::Status Locate(const absl::Status& status, const Step& step) const;

  const ModulePlan& module_;
  const RunOptions& options_;
  Process& process_;
  RunStats* stats_;
  std::shared_ptr<MemoryAccount> memory_;
  const std::unique_ptr<EngineState> state_;
  Context& context_;              // the state's
  ValueMemory* const values_;     // the state's; null if values are in host memory
  Recorder* recorder_ = nullptr;  // null unless the run is recorded
  std::vector<RecordedPlaces::Place> argument_places_;  // of a run that is recorded
  std::vector<Activation> stack_;
  PendingPtr pending_;  // the result that the top step waits for
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<std::vector<Frame*>> free_frames_;   // by plan number
  std::vector<std::vector<BufferPtr>> constants_;  // by plan number, if values_ is not null
  bool finished_ = false;
  int nested_runs_ = 0;
  int64_t stored_bytes_ = 0;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_MACHINE_H_
