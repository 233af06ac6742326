// What rewrites of programs are made of: patterns of several instructions, and what stands in their
// place. Used by the tables of *_rewrites.cc. Tests: mutants_test.cc.
#ifndef ASSAY_CONFORMANCE_MUTANTS_REWRITES_H_
#define ASSAY_CONFORMANCE_MUTANTS_REWRITES_H_

#include <optional>
#include <vector>

#include "conformance/mutants/site.h"
#include "spec/element/element.h"

namespace assay::conformance {

// Whether the instruction has the opcode.
inline bool Is(const Instruction& x, Opcode opcode) { return x.opcode() == opcode; }

// Arrays of static shape.
bool IsArray(const Instruction& x);
bool FloatArray(const Instruction& x);
bool IntegerArray(const Instruction& x);
bool SignedArray(const Instruction& x);

// The value of every element of a constant, or of a broadcast scalar constant, of integers or
// floats; none for any other instruction.
std::optional<double> UniformValue(const Instruction& x);
bool Uniform(const Instruction& x, double value);
// 2, 4, 8 and so on.
bool PowerOfTwo(double value);

// Operand `k` of the instruction at the site, and its shape; the copy of operand `j` of operand
// `k`.
const Instruction& In(const Site& site, int64_t k);
const Shape& ShapeOf(const Site& site);
Instruction* Inner(const Site& site, int64_t k, int64_t j);

// The dimensions of a transpose, broadcast, reverse or reduction; dims[k] = first[second[k]].
std::vector<int64_t> DimensionsOf(const Instruction& x);
std::vector<int64_t> Composed(absl::Span<const int64_t> first, absl::Span<const int64_t> second);

// A new instruction of the operands; null where an operand is null or the instruction is illegal.
Instruction* Build(Site& site, Opcode opcode, const Shape& shape,
                   absl::Span<Instruction* const> operands,
                   const std::function<void(Instruction&)>& edit = nullptr);
// A transpose of the shape of the instruction at the site.
Instruction* BuildTranspose(Site& site, Instruction* operand, std::vector<int64_t> dims);
// An array all of whose elements have the value.
Instruction* BuildUniform(Site& site, const Shape& shape, double value);
// The shape of pred for a comparison of arrays of the shape.
Shape PredOf(const Shape& shape);
// A comparison with the attributes of another one and another direction.
Instruction* BuildCompare(Site& site, const Instruction& like, ComparisonDirection direction,
                          Instruction* a, Instruction* b);
// The direction that holds where the other does not (EQ for NE, GE for LT), as if values were in
// total order, and the one of exchanged operands (GT for LT).
ComparisonDirection Inverted(ComparisonDirection direction);
ComparisonDirection Exchanged(ComparisonDirection direction);
// The direction of a comparison.
ComparisonDirection DirectionOf(const Instruction& compare);

// The opcode of a computation of two scalars that is that operation of its parameters alone.
std::optional<Opcode> ReducerOf(const Computation& computation);

// A loop over a tuple whose element `counter` starts at a constant, is compared with a constant and
// rises or falls by a constant.
struct CountedLoop {
  int64_t counter = 0;
  ElementType type = ElementType::kS32;
  int64_t from = 0, to = 0, step = 0;
  ComparisonDirection direction = ComparisonDirection::kLt;
  // How often the body runs, in the wrapping arithmetic of the type; none beyond 64 times.
  std::optional<int64_t> Iterations() const;
};
std::optional<CountedLoop> MatchCountedLoop(const Instruction& loop);
// The body of a loop, called that many times one after the other in the place of the loop.
Instruction* BuildUnrolled(Site& site, int64_t iterations);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_MUTANTS_REWRITES_H_
