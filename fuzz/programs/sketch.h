// Helpers for writing idioms. Each function appends one instruction and returns its value. It
// returns null if an operand is null, the operation does not support the type, or the result would
// exceed the limits, so that an idiom ends at the first failure. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_SKETCH_H_
#define ASSAY_FUZZ_PROGRAMS_SKETCH_H_

#include <initializer_list>
#include <vector>

#include "absl/functional/function_ref.h"
#include "fuzz/programs/writer.h"

namespace assay::fuzz {

class Sketch {
 public:
  explicit Sketch(ProgramWriter& writer) : w_(writer) {}

  ProgramWriter& w() { return w_; }
  Choices& choices() { return w_.choices(); }
  ElementType TypeOf(const Instruction* x) const { return x->shape().element_type(); }
  static Dimensions SizesOf(const Instruction* x) {
    return Dimensions(x->shape().dimensions().begin(), x->shape().dimensions().end());
  }

  // Returns true if the operation takes values of the type of `x`, which may be null.
  static bool Takes(Opcode opcode, const Instruction* x);
  // Returns one of the operations that take it; any of them if none does.
  Opcode AnyThatTakes(absl::Span<const Opcode> opcodes, const Instruction* x);
  // Appends an operation without attributes, whose result shape follows from the operands.
  Instruction* Op(Opcode opcode, std::initializer_list<Instruction*> operands);
  Instruction* Compare(ComparisonDirection direction, Instruction* a, Instruction* b);
  Instruction* Select(Instruction* pred, Instruction* a, Instruction* b);
  Instruction* Convert(Instruction* x, ElementType type);
  // Maps the dimensions of x to dimensions `places` of the sizes.
  Instruction* Broadcast(Instruction* x, Sizes sizes, std::vector<int64_t> places);
  Instruction* Transpose(Instruction* x, std::vector<int64_t> order);
  Instruction* Reshape(Instruction* x, Sizes sizes);
  Instruction* Reverse(Instruction* x, std::vector<int64_t> dimensions);
  // Slices one dimension to [start, limit) with a stride.
  Instruction* Slice(Instruction* x, int64_t dimension, int64_t start, int64_t limit,
                     int64_t stride = 1);
  Instruction* Pad(Instruction* x, Instruction* value, int64_t dimension, int64_t low, int64_t high,
                   int64_t interior = 0);
  Instruction* Concatenate(std::vector<Instruction*> parts, int64_t dimension);
  Instruction* Iota(ElementType type, Sizes sizes, int64_t dimension);
  // Reduces by one operation, with start value `start`.
  Instruction* Reduce(Instruction* x, Opcode fold, std::vector<int64_t> dimensions,
                      Instruction* start);
  // The same for each window of up to two elements in a dimension.
  Instruction* ReducePairs(Instruction* x, Opcode fold, Instruction* start);
  Instruction* Dot(Instruction* a, Instruction* b, int64_t a_contracting, int64_t b_contracting,
                   int64_t batches = 0);
  // `starts` are scalars of one integer type.
  Instruction* DynamicSlice(Instruction* x, std::vector<Instruction*> starts, Sizes part);
  Instruction* DynamicUpdateSlice(Instruction* x, Instruction* part,
                                  std::vector<Instruction*> starts);
  // Sorts the first array along the last dimension, and permutes the others with it; returns the
  // sorted arrays.
  std::vector<Instruction*> Sort(std::vector<Instruction*> arrays, bool descending);
  // Gather rows of a matrix at the indices, and scatter rows into a matrix.
  Instruction* GatherRows(Instruction* matrix, Instruction* indices);
  Instruction* ScatterRows(Instruction* matrix, Instruction* indices, Instruction* rows,
                           Opcode combine);
  // The same with a region that combines; none of the operands may be null.
  Instruction* ScatterRowsBy(Instruction* matrix, Instruction* indices, Instruction* rows,
                             Computation* region);

  // Gather elements of a vector at the indices, and scatter elements into a vector. For scatters
  // the indices have a second dimension of size 1.
  Instruction* GatherElements(Instruction* vector, Instruction* indices);
  Instruction* ScatterElements(Instruction* vector, Instruction* indices, Instruction* elements,
                               Opcode combine);

  // Appends a loop of `trips` iterations. `step` writes the body: it gets the counter, from 0 on,
  // and the values that the loop carries, which it replaces by those of the next iteration. A value
  // that it makes null, or of another shape, stays as it was.
  void Loop(std::vector<Instruction*> state, int64_t trips,
            absl::FunctionRef<void(Instruction*, std::vector<Instruction*>&)> step);

  Instruction* Infinity(ElementType type, bool negative);
  Instruction* Number(ElementType type, double number) { return w_.NumberConstant(type, number); }
  Instruction* SplatLike(const Instruction* x, double number) {
    return x == nullptr ? nullptr : w_.Splat(TypeOf(x), SizesOf(x), number);
  }
  // Returns a new array with values of the program's profile; float types are real.
  Instruction* Values(ElementType type, Sizes sizes) { return w_.NewArray(type, sizes); }
  // Returns a new array with values that differ where simplifications are wrong, in another order
  // for each array.
  Instruction* TellingValues(ElementType type, Sizes sizes);

  // Returns one of these types that the grammar's options permit, otherwise the first.
  ElementType AnyOf(std::initializer_list<ElementType> types);
  // Returns one of a table of types, whether the grammar's options permit it or not.
  template <size_t kCount>
  ElementType OneOf(const ElementType (&types)[kCount]) {
    return AnyOf({choices().Of(types)});
  }
  // Writes a region of two scalars that applies one operation.
  Computation* Region(Opcode opcode, ElementType type);

 private:
  ProgramWriter& w_;
};

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_SKETCH_H_
