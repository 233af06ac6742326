// Writes idioms: each function appends one instruction and returns its value, or null where an
// operand is null, the operation does not take its type, or the result would go beyond the limits.
// What follows from a null is null, so that an idiom ends where it can go no further.
#ifndef ASSAY_FUZZ_PROGRAMS_SKETCH_H_
#define ASSAY_FUZZ_PROGRAMS_SKETCH_H_

#include <initializer_list>
#include <vector>

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

  // Operations without attributes whose result follows from the operands.
  Instruction* Op(Opcode opcode, std::initializer_list<Instruction*> operands);
  Instruction* Compare(ComparisonDirection direction, Instruction* a, Instruction* b);
  Instruction* Select(Instruction* pred, Instruction* a, Instruction* b);
  Instruction* Convert(Instruction* x, ElementType type);
  // The dimensions of x become `places` of the sizes.
  Instruction* Broadcast(Instruction* x, Sizes sizes, std::vector<int64_t> places);
  Instruction* Transpose(Instruction* x, std::vector<int64_t> order);
  Instruction* Reshape(Instruction* x, Sizes sizes);
  Instruction* Reverse(Instruction* x, std::vector<int64_t> dimensions);
  // Of one dimension [start, limit) by strides, of the others everything.
  Instruction* Slice(Instruction* x, int64_t dimension, int64_t start, int64_t limit,
                     int64_t stride = 1);
  Instruction* Pad(Instruction* x, Instruction* value, int64_t dimension, int64_t low, int64_t high,
                   int64_t interior = 0);
  Instruction* Concatenate(std::vector<Instruction*> parts, int64_t dimension);
  Instruction* Iota(ElementType type, Sizes sizes, int64_t dimension);
  // A fold by one operation, from `start`.
  Instruction* Reduce(Instruction* x, Opcode fold, std::vector<int64_t> dimensions,
                      Instruction* start);
  Instruction* Dot(Instruction* a, Instruction* b, int64_t a_contracting, int64_t b_contracting,
                   int64_t batches = 0);
  // Starts are scalars of one integer type.
  Instruction* DynamicSlice(Instruction* x, std::vector<Instruction*> starts, Sizes part);
  Instruction* DynamicUpdateSlice(Instruction* x, Instruction* part,
                                  std::vector<Instruction*> starts);
  // Sorts values, with what goes along, along the last dimension; the values.
  std::vector<Instruction*> Sort(std::vector<Instruction*> arrays, bool descending);
  // Rows of a matrix at the indices, and a matrix with rows combined into it.
  Instruction* GatherRows(Instruction* matrix, Instruction* indices);
  Instruction* ScatterRows(Instruction* matrix, Instruction* indices, Instruction* rows,
                           Opcode combine);

  // Elements of a vector at the indices, a vector, and a vector with elements combined into it; the
  // indices then have a second dimension of 1.
  Instruction* GatherElements(Instruction* vector, Instruction* indices);
  Instruction* ScatterElements(Instruction* vector, Instruction* indices, Instruction* elements,
                               Opcode combine);

  Instruction* Infinity(ElementType type, bool negative);
  Instruction* Number(ElementType type, double number) { return w_.NumberConstant(type, number); }
  Instruction* SplatLike(const Instruction* x, double number) {
    return x == nullptr ? nullptr : w_.Splat(TypeOf(x), SizesOf(x), number);
  }
  // A new array with values of the profile, of real floats.
  Instruction* Values(ElementType type, Sizes sizes) { return w_.NewArray(type, sizes); }

  // One of these types that the grammar's options name too; else the first.
  ElementType AnyOf(std::initializer_list<ElementType> types);
  // A region of two scalars that applies one operation.
  Computation* Region(Opcode opcode, ElementType type);

 private:
  static bool Takes(Opcode opcode, const Instruction* x);
  ProgramWriter& w_;
};

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_SKETCH_H_
