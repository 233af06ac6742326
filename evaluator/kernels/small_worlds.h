// For tests that run every small configuration of an operation: instructions made without text, and
// what kernel and definition make of them, held against a model of the test. The models of windows,
// paddings and slices are lists: an axis is the list of the elements along it, with -1 for what is
// no element. Used by the small_worlds_*_test.cc files only.
#ifndef ASSAY_EVALUATOR_KERNELS_SMALL_WORLDS_H_
#define ASSAY_EVALUATOR_KERNELS_SMALL_WORLDS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/evaluator.h"
#include "evaluator/region/scalar_program.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

// Elements as bit patterns in row-major order.
struct SmallArray {
  ElementType type;
  std::vector<int64_t> sizes;
  std::vector<uint64_t> values;
  std::vector<uint64_t> imaginary = {};      // of complex types
  std::vector<int64_t> minor_to_major = {};  // the layout; empty: none
  // The elements; layouts do not count.
  friend bool operator==(const SmallArray& a, const SmallArray& b) {
    return a.type == b.type && a.sizes == b.sizes && a.values == b.values &&
           a.imaginary == b.imaginary;
  }
};

// The number of elements, the row-major position of an index, and all indices in row-major order.
int64_t CountOf(const std::vector<int64_t>& sizes);
int64_t PositionOf(const std::vector<int64_t>& index, const std::vector<int64_t>& sizes);
void ForEach(const std::vector<int64_t>& sizes,
             const std::function<void(const std::vector<int64_t>&)>& visit);

// 0, 1, 2, ... plus `first`.
SmallArray Counting(ElementType type, std::vector<int64_t> sizes, uint64_t first = 0);
// Values that follow no simple rule, reproducible.
SmallArray Scrambled(ElementType type, std::vector<int64_t> sizes, uint64_t salt);

// Runs configurations and counts them.
class SmallWorlds {
 public:
  using Attribute = std::pair<Attr, AttributeValue>;

  SmallWorlds();
  ~SmallWorlds();

  // Computations "f { ... }" for to_apply, which live as long as this.
  Computation* Computations(const std::string& text, const std::string& name);

  // Returns true for a configuration that the schedule leaves out (spec/testing/schedule.h) and
  // counts it as accepted: it need not be checked, nor its expected result worked out. Any call of
  // Check that this was not asked for follows the schedule, too.
  bool Skips();
  // One configuration. What converts takes the shape of its result from `expected`, which is the
  // result, or nullopt where it must be refused; kernel and definition must both give it. False,
  // with a failure that shows the instruction, otherwise.
  bool Check(Opcode opcode, const std::vector<const SmallArray*>& operands,
             std::vector<Attribute> attributes, const std::optional<SmallArray>& expected);
  // One that gives a tuple, unless `expected` is a single array, and is accepted.
  bool CheckLeaves(Opcode opcode, const std::vector<const SmallArray*>& operands,
                   std::vector<Attribute> attributes, const std::vector<SmallArray>& expected);

  int64_t accepted() const { return accepted_; }
  int64_t refused() const { return refused_; }
  // Prints how many there were.
  void Report(const std::string& family) const;

 private:
  bool CheckResult(Opcode opcode, const std::vector<const SmallArray*>& operands,
                   std::vector<Attribute> attributes,
                   const std::optional<std::vector<SmallArray>>& expected);

  std::vector<std::unique_ptr<Module>> modules_;
  ProgramCache::Scope programs_;
  int64_t accepted_ = 0, refused_ = 0;
};

using Axis = std::vector<int64_t>;
// `size` elements.
Axis Elements(int64_t size);
// With `holes` places between neighbours.
Axis Dilated(const Axis& axis, int64_t holes);
// The same with places added in front and behind; negative numbers take places away, from beyond
// the other end too. Nullopt where fewer than none would be left.
std::optional<Axis> Extended(const Axis& axis, int64_t low, int64_t high);
// The places that each position of a window covers; nullopt where the window is none.
std::optional<std::vector<Axis>> Windows(int64_t size, const WindowDimension& window);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_KERNELS_SMALL_WORLDS_H_
