// What holds of every plan, worked out from its steps alone: values that are alive together have
// storage of their own, and what the machine is told of a step (which values die, what may be
// overwritten, which bytes go to a callee) is what the lifetimes say, no more and no less. Used by
// interpreter/plan_check_test.cc.
#ifndef ASSAY_RUNTIME_TESTING_CHECK_PLAN_H_
#define ASSAY_RUNTIME_TESTING_CHECK_PLAN_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/plan.h"

namespace assay::runtime {

class PlanCheck {
 public:
  // `may_be_local` is false for plans whose values all lie in buffers or places of their own.
  PlanCheck(const ComputationPlan& plan, bool may_be_local)
      : plan_(plan), may_be_local_(may_be_local), steps_(static_cast<int>(plan.steps.size())) {
    FindLives();
    FindDonors();
    CheckUses();
    CheckRoots();
    CheckStorage();
    CheckLocals();
    CheckKernels();
    CheckHandovers();
    CheckDirect();
  }

  // One line for each fault; empty if there is none.
  const std::string& faults() const { return faults_; }

 private:
  // The steps at which a value is alive, both ends included: -1 before the first step, and the
  // number of steps for what is read after the last.
  struct Life {
    int begin = 0, end = -1;
    bool made = false;
  };

  template <typename... Parts>
  void Hold(bool holds, const Parts&... parts) {
    if (!holds) absl::StrAppend(&faults_, plan_.computation->name(), ": ", parts..., "\n");
  }
  const Slot& slot(int32_t number) const { return plan_.slots[number]; }
  static bool IsKernel(const Step& step) { return step.kind == StepKind::kKernel; }
  static int64_t RoundUp(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }
  int64_t BytesInArena(int32_t number) const {
    return RoundUp(slot(number).bytes, slot(number).is_local ? kLine : kPlaceBytes);
  }
  bool IsAlive(int32_t number, int step) const {
    const Life& life = lives_[number];
    return life.made && life.begin <= step && step <= life.end;
  }

  void FindLives() {
    lives_.resize(plan_.slots.size());
    is_constant_.resize(plan_.slots.size());
    is_root_.resize(plan_.slots.size());
    for (const auto& [number, literal] : plan_.constants) {
      lives_[number] = {-1, steps_, true};
      is_constant_[number] = true;
    }
    for (const int32_t number : plan_.parameters) lives_[number] = {-1, -1, true};
    for (int i = 0; i < steps_; ++i) {
      for (const int32_t number : plan_.steps[i].results) {
        Hold(!lives_[number].made, "slot ", number, " is made twice");
        lives_[number] = {i, i, true};
      }
      for (const int32_t number : plan_.steps[i].operands) {
        lives_[number].end = std::max(lives_[number].end, i);
      }
    }
    for (const RootSlot& root : plan_.roots) {
      lives_[root.slot].end = steps_;
      is_root_[root.slot] = true;
    }
    Hold(plan_.is_unread.size() == plan_.parameters.size(), "not every parameter is described");
    for (size_t i = 0; i < plan_.parameters.size(); ++i) {
      Life& life = lives_[plan_.parameters[i]];
      Hold(plan_.is_unread[i] == (life.end < 0), "parameter leaf ", i, " is unread, or it is not");
      if (life.end < 0) life.end = steps_;  // nobody releases it
    }
  }

  // The operand of each step, by its place in the list, whose storage the first result may get.
  void FindDonors() {
    for (const Step& step : plan_.steps) {
      const int operand =
          IsKernel(step) && !step.results.empty() ? step.kernel->in_place_operand() : -1;
      int32_t donor = -1;
      if (operand >= 0 && step.uses[operand] == OperandUse::kSole) {
        const Slot& result = slot(step.results[0]);
        donor = step.operands[operand];
        if (slot(donor).bytes != result.bytes || IsSmall(donor)) donor = -1;
      }
      donors_.push_back(donor);
    }
  }
  bool IsSmall(int32_t number) const { return slot(number).in_frame && !slot(number).is_local; }

  void CheckUses() {
    for (int i = 0; i < steps_; ++i) {
      const Step& step = plan_.steps[i];
      Hold(step.uses.size() == step.operands.size(), "step ", i, " does not say all uses");
      for (size_t k = 0; k < step.operands.size(); ++k) {
        const int32_t number = step.operands[k];
        const auto count = std::count(step.operands.begin(), step.operands.end(), number);
        const auto later = std::count(step.operands.begin() + k + 1, step.operands.end(), number);
        const OperandUse use = lives_[number].end > i || later > 0 ? OperandUse::kKeep
                               : count == 1                        ? OperandUse::kSole
                                                                   : OperandUse::kLast;
        Hold(step.uses[k] == use, "step ", i, " uses operand ", k, " otherwise");
      }
      // Those with buffers.
      std::set<int32_t> dying;
      for (const auto& list : {step.operands, step.results}) {
        for (const int32_t number : list) {
          if (!slot(number).in_frame && lives_[number].end == i) dying.insert(number);
        }
      }
      Hold(dying == std::set<int32_t>(step.dying.begin(), step.dying.end()) &&
               dying.size() == step.dying.size(),
           "step ", i, " releases other buffers");
    }
  }

  void CheckRoots() {
    for (size_t i = 0; i < plan_.roots.size(); ++i) {
      bool again = false;
      for (size_t j = i + 1; j < plan_.roots.size(); ++j) {
        again |= plan_.roots[j].slot == plan_.roots[i].slot;
      }
      Hold(plan_.roots[i].movable == (!again && !is_constant_[plan_.roots[i].slot]), "root leaf ",
           i, " is movable, or it is not");
    }
  }

  struct Range {
    int64_t begin, end;
    int32_t number;
  };

  void CheckStorage() {
    const int64_t small_bytes = RoundUp(plan_.small_bytes, kLine);
    std::vector<Range> sizes;
    for (size_t number = 0; number < plan_.slots.size(); ++number) {
      const Slot& value = plan_.slots[number];
      const bool dynamic = value.shape->is_array() && value.shape->is_dynamic();
      Hold(dynamic == (value.sizes >= 0), "slot ", number, " has sizes, or it has not");
      if (dynamic) {
        sizes.push_back({value.sizes, value.sizes + 8 * value.shape->rank(), -1});
        Hold(value.sizes % 8 == 0 && sizes.back().end <= plan_.small_bytes, "the sizes of slot ",
             number, " lie elsewhere");
      }
      if (!value.in_frame) {
        Hold(value.place < plan_.buffer_count, "slot ", number, " has a buffer that is not there");
        continue;
      }
      const int64_t unit = value.is_local ? kLine : kPlaceBytes;
      const int64_t end = value.place + BytesInArena(static_cast<int32_t>(number));
      Hold(value.place % unit == 0 && (!value.is_local || value.place >= small_bytes) &&
               end <= (value.is_local ? plan_.arena_bytes : plan_.small_bytes),
           "slot ", number, " lies outside its part of the arena");
    }
    int most_buffers = 0;
    for (int i = -1; i < steps_; ++i) {
      most_buffers = std::max(most_buffers, CheckStorageAt(i, sizes));
    }
    Hold(plan_.buffer_count == most_buffers, "there are ", plan_.buffer_count,
         " buffers, where at most ", most_buffers, " are alive");
  }

  // Returns the number of buffers that are alive.
  int CheckStorageAt(int i, std::vector<Range> ranges) {
    std::set<int32_t> buffers;
    int alive = 0;
    for (int32_t number = 0; number < static_cast<int32_t>(plan_.slots.size()); ++number) {
      if (!IsAlive(number, i)) continue;
      const Slot& value = slot(number);
      if (!value.in_frame) {
        buffers.insert(value.place);
        ++alive;
      } else if (value.bytes > 0) {
        const bool given = i >= 0 && plan_.steps[i].takes_place && donors_[i] == number;
        if (given) {
          const Slot& result = slot(plan_.steps[i].results[0]);
          Hold(result.place == value.place, "step ", i, " does not take the place of its operand");
        } else {
          ranges.push_back({value.place, value.place + BytesInArena(number), number});
        }
      }
    }
    Hold(static_cast<int>(buffers.size()) == alive, "at step ", i, " two values have one buffer");
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
    for (size_t k = 1; k < ranges.size(); ++k) {
      Hold(ranges[k - 1].end <= ranges[k].begin, "at step ", i, " slots ", ranges[k - 1].number,
           " and ", ranges[k].number, " overlap");
    }
    return alive;
  }

  // Slot::is_local holds for values of more than kSmallBytes and at most 128 KiB that only kernels
  // compute and read. Values that share memory agree in it.
  void CheckLocals() {
    std::vector<bool> local(plan_.slots.size(), false);
    for (const Step& step : plan_.steps) {
      if (!IsKernel(step)) continue;
      for (const int32_t number : step.results) {
        const Slot& value = slot(number);
        local[number] = may_be_local_ && value.bytes > kSmallBytes &&
                        value.bytes <= int64_t{128} << 10 && !value.shape->is_dynamic() &&
                        !is_root_[number];
      }
    }
    for (const Step& step : plan_.steps) {
      if (IsKernel(step)) continue;
      for (const int32_t number : step.operands) local[number] = false;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (int i = 0; i < steps_; ++i) {
        if (donors_[i] < 0 || local[donors_[i]] == local[plan_.steps[i].results[0]]) continue;
        local[donors_[i]] = local[plan_.steps[i].results[0]] = false;
        changed = true;
      }
    }
    for (size_t number = 0; number < plan_.slots.size(); ++number) {
      Hold(plan_.slots[number].is_local == local[number], "slot ", number,
           local[number] ? " must be local" : " must not be local");
    }
    for (int i = 0; i < steps_; ++i) {
      const Step& step = plan_.steps[i];
      int64_t released = 0;
      bool makes = false;
      const bool takes = donors_[i] >= 0 && local[donors_[i]];
      for (const auto* list : {&step.operands, &step.results}) {
        for (const int32_t number : std::set<int32_t>(list->begin(), list->end())) {
          const bool given = takes && number == donors_[i];
          if (local[number] && lives_[number].end == i && !given) released += slot(number).bytes;
        }
      }
      for (const int32_t number : step.results) makes |= local[number];
      Hold(step.takes_place == takes, "step ", i, " takes the place of an operand, or not");
      Hold(step.makes_local == makes, "step ", i, " makes a local value, or not");
      Hold(step.released_bytes == released, "step ", i, " releases ", step.released_bytes,
           " bytes, not ", released);
    }
  }

  void CheckKernels() {
    int32_t operands = 0, results = 0;
    for (int i = 0; i < steps_; ++i) {
      const Step& step = plan_.steps[i];
      int64_t stored = 0;
      bool fixed = true;
      for (const int32_t number : step.operands) {
        fixed &= slot(number).in_frame || is_constant_[number];
      }
      for (const int32_t number : step.results) {
        stored += slot(number).bytes;
        fixed &= slot(number).in_frame;
      }
      if (!IsKernel(step)) continue;
      Hold(step.first_operand == operands && step.first_result == results, "step ", i,
           " has its references elsewhere");
      Hold(step.is_fixed == fixed, "step ", i, " is fixed, or it is not");
      Hold(step.stored_bytes == stored, "step ", i, " stores ", stored, " bytes");
      operands += static_cast<int32_t>(step.operands.size());
      results += static_cast<int32_t>(step.results.size());
    }
    Hold(plan_.operand_count == operands && plan_.result_count == results,
         "there are other references");
  }

  // One value that goes from a slot of one frame to a slot of another.
  struct Passed {
    const Slot *from, *to;
  };

  void CheckHandovers() {
    for (int i = 0; i < steps_; ++i) {
      const Step& step = plan_.steps[i];
      const bool loop = step.kind == StepKind::kWhile;
      size_t first = step.kind == StepKind::kConditional ? 1 : 0;
      for (size_t c = 0; c < step.callees.size(); ++c) {
        const ComputationPlan& callee = *step.callees[c];
        std::map<int32_t, Passed> given, returned;
        for (size_t k = 0; k < callee.parameters.size(); ++k) {
          const Slot& from = slot(loop ? step.results[k] : step.operands[first + k]);
          if (callee.is_unread[k] && from.in_frame) continue;
          given[static_cast<int32_t>(k)] = {&from, &callee.slots[callee.parameters[k]]};
        }
        CheckHandover(step.given[c], given, absl::StrCat("step ", i, " to callee ", c));
        for (size_t k = 0; k < callee.roots.size() && !(loop && c == 0); ++k) {
          returned[static_cast<int32_t>(k)] = {&callee.slots[callee.roots[k].slot],
                                               &slot(step.results[k])};
        }
        CheckHandover(step.returned[c], returned, absl::StrCat("step ", i, " from callee ", c));
        if (!loop) first += callee.parameters.size();
      }
    }
  }

  // Runs copy whole values or whole places, as few as there can be; all else is one by one.
  void CheckHandover(const Handover& handover, const std::map<int32_t, Passed>& passed,
                     const std::string& where) {
    std::vector<int32_t> others;
    std::map<int32_t, int32_t> wanted, small;  // the source of each place, or of each small value
    for (const auto& [k, value] : passed) {
      if (!value.from->in_frame || value.to->sizes >= 0) {
        others.push_back(k);
      } else if (value.from->bytes >= kPlaceBytes) {
        for (int64_t byte = 0; byte < value.from->bytes; byte += kPlaceBytes) {
          wanted[value.to->place + static_cast<int32_t>(byte)] =
              value.from->place + static_cast<int32_t>(byte);
        }
      } else if (value.from->bytes > 0) {
        small[value.to->place] =
            value.from->place * kPlaceBytes + static_cast<int32_t>(value.from->bytes);
      }
    }
    std::map<int32_t, int32_t> copied, copied_small;
    const Handover::Run* last = nullptr;
    for (const Handover::Run& run : handover.runs) {
      if (run.bytes < kPlaceBytes) {
        copied_small[run.to] = run.from * kPlaceBytes + run.bytes;
      } else {
        Hold(run.bytes % kPlaceBytes == 0, where, " copies part of a place");
        for (int32_t byte = 0; byte < run.bytes; byte += kPlaceBytes) {
          copied[run.to + byte] = run.from + byte;
        }
        Hold(last == nullptr || last->bytes < kPlaceBytes || last->from + last->bytes != run.from ||
                 last->to + last->bytes != run.to,
             where, " copies one run as two");
      }
      last = &run;
    }
    Hold(copied == wanted && copied_small == small, where, " copies other bytes");
    Hold(handover.others == others, where, " passes other values one by one");
  }

  // Kernels on values in frames and constants, and calls of such plans that pass on nothing but
  // bytes.
  void CheckDirect() {
    int32_t levels = 1;
    for (int i = 0; i < steps_; ++i) {
      const Step& step = plan_.steps[i];
      if (IsKernel(step)) {
        if (!step.is_fixed) levels = 0;
        continue;
      }
      int32_t inner = step.callees.empty() ? 0 : 16;
      int32_t most = 0;
      for (const ComputationPlan* callee : step.callees) {
        inner = std::min(inner, callee->direct_levels);
        most = std::max(most, callee->direct_levels);
      }
      for (const auto* list : {&step.operands, &step.results}) {
        for (const int32_t number : *list) {
          if (!slot(number).in_frame || slot(number).sizes >= 0) inner = 0;
        }
      }
      Hold(step.is_direct == (inner > 0), "step ", i, " is direct, or it is not");
      levels = levels == 0 || inner == 0 ? 0 : std::max(levels, most + 1);
    }
    Hold(plan_.direct_levels == (levels > 16 ? 0 : levels), "there are ", plan_.direct_levels,
         " levels, not ", levels);
  }

  static constexpr int64_t kLine = 64;
  const ComputationPlan& plan_;
  const bool may_be_local_;
  const int steps_;
  std::string faults_;
  std::vector<Life> lives_;  // by slot
  std::vector<bool> is_constant_, is_root_;
  std::vector<int32_t> donors_;  // by step
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_TESTING_CHECK_PLAN_H_
