// Rows of operations that move elements.
#include <algorithm>
#include <numeric>

#include "fuzz/programs/permutation.h"
#include "fuzz/programs/regions.h"
#include "fuzz/programs/sketch.h"
#include "fuzz/programs/writer.h"

namespace assay::fuzz {
namespace {

// Other sizes for as many elements.
Dimensions Reshaped(ProgramWriter& w, Sizes sizes) {
  Dimensions result(sizes.begin(), sizes.end());
  for (int64_t edits = w.choices().Between(1, 3); edits > 0; --edits) {
    const auto rank = static_cast<int64_t>(result.size());
    const int64_t at = rank == 0 ? 0 : w.choices().Below(rank);
    switch (w.choices().Below(4)) {
      case 0:  // two neighbours become one
        if (at + 1 < rank) {
          result[at] *= result[at + 1];
          result.erase(result.begin() + at + 1);
        }
        break;
      case 1:
        if (rank < w.most_rank()) result.insert(result.begin() + at, 1);
        break;
      case 2:  // one falls into two
        for (int64_t factor = 5; factor >= 2 && rank > 0 && rank < w.most_rank(); --factor) {
          if (result[at] <= factor || result[at] % factor != 0) continue;
          result[at] /= factor;
          result.insert(result.begin() + at, factor);
          break;
        }
        break;
      default:
        if (rank > 0 && result[at] == 1) {
          result.erase(result.begin() + at);
        } else if (rank > 1) {
          std::swap(result[at], result[(at + 1) % rank]);
        }
    }
  }
  return result;
}

Layout AnyLayout(ProgramWriter& w, int64_t rank) {
  Layout layout;
  const std::vector<int64_t> order = Permutation(w.choices(), rank);
  layout.minor_to_major.assign(order.begin(), order.end());
  return layout;
}

int64_t BitcastBits(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  return IsInteger(type) || info.bits == 4 ? info.bits : info.storage_bytes * 8;
}

int64_t ConvertBits(ElementType type) {
  return IsPred(type) || Info(type).bits == 6 ? 8 : Info(type).bits;
}

}  // namespace

void WriteBitcast(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  // Layouts are what a bitcast is about: the operand gets one.
  Shape from(x->shape().element_type(), x->shape().dimensions());
  from.set_layout(AnyLayout(w, from.rank()));
  auto copy = w.Start(Opcode::kCopy, {x}, from);
  copy->set_shape(from);
  Instruction* const laid_out = w.FinishAs(std::move(copy), std::make_shared<const Shape>(from));
  if (laid_out == nullptr) return;
  ElementType type = from.element_type();
  const ElementType other = w.AnyType(w.grammar().types());
  if (BitcastBits(other) == BitcastBits(type) && w.choices().OneIn(2)) type = other;
  Shape to(type, Reshaped(w, from.dimensions()));
  to.set_layout(AnyLayout(w, to.rank()));
  Instruction* const made =
      w.FinishAs(w.Start(opcode, {laid_out}), std::make_shared<const Shape>(to));
  if (made != nullptr) w.Add(Opcode::kCopy, {made});
}

void WriteBitcastConvert(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const ElementType from = x->shape().element_type();
  const Sizes sizes = x->shape().dimensions();
  std::vector<Shape> results;
  for (const ElementType to : kArrayTypes) {
    if (IsComplex(to) != IsComplex(from)) continue;
    const int64_t a = ConvertBits(from), b = ConvertBits(to);
    Dimensions result(sizes.begin(), sizes.end());
    if (a > b) result.push_back(a / b);
    if (a < b) {
      if (result.empty() || result.back() != b / a) continue;
      result.pop_back();
    }
    if (CountOf(result) <= w.limits().elements) results.emplace_back(to, result);
  }
  if (results.empty()) return w.LeaveOut();
  w.Add(opcode, {x}, w.choices().Of(results));
}

void WriteBroadcast(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  Dimensions sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
  std::vector<int64_t> places(sizes.size());
  std::iota(places.begin(), places.end(), 0);
  for (int64_t more = w.choices().Below(3);
       more > 0 && static_cast<int64_t>(sizes.size()) < w.most_rank(); --more) {
    const int64_t size = w.AnySize();
    if (CountOf(sizes) * size > w.limits().elements) break;
    const int64_t at = w.choices().Below(static_cast<int64_t>(sizes.size()) + 1);
    sizes.insert(sizes.begin() + at, size);
    for (int64_t& place : places) place += place >= at ? 1 : 0;
  }
  // Now and then dimensions change places on the way.
  if (places.size() >= 2 && w.choices().OneIn(4)) {
    std::swap(places[0], places[1]);
    std::swap(sizes[places[0]], sizes[places[1]]);
  }
  auto made = w.Start(opcode, {x}, Shape(x->shape().element_type(), sizes));
  made->SetAttribute(Attr::kDimensions, places);
  w.Finish(std::move(made));
}

void WriteConcatenate(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode, 1);
  const int64_t dimension = w.choices().Below(x->shape().rank());
  std::vector<Instruction*> operands = {x};
  for (int64_t more = w.Several(0, 2, 40); more > 0; --more) {
    Dimensions sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
    if (w.choices().OneIn(2)) sizes[dimension] = w.AnySize();
    if (CountOf(sizes) > w.limits().elements) sizes[dimension] = 1;
    operands.push_back(w.ArrayOf(x->shape().element_type(), sizes));
  }
  if (w.choices().OneIn(2)) std::reverse(operands.begin(), operands.end());
  auto made = w.Start(opcode, operands);
  made->SetAttribute(Attr::kDimension, dimension);
  w.Finish(std::move(made));
}

void WriteConstant(ProgramWriter& w, Opcode opcode) {
  const ElementType type = w.AnyType(w.grammar().TypesOf(opcode));
  const Dimensions sizes = w.AnySizes(0, 3, 64);
  w.ProfileConstant(type, sizes, w.AnyProfile(type));
}

void WriteCopy(ProgramWriter& w, Opcode opcode) { w.Add(opcode, {w.ArrayFor(opcode)}); }

void WriteIota(ProgramWriter& w, Opcode opcode) {
  const ElementType type = w.AnyType(w.grammar().TypesOf(opcode));
  const Shape shape(type, w.AnySizes(1, 4, w.limits().argument_elements));
  auto made = w.Start(opcode, {}, shape);
  made->SetAttribute(Attr::kIotaDimension, w.choices().Below(shape.rank()));
  w.Finish(std::move(made));
}

void WritePad(ProgramWriter& w, Opcode opcode) {
  // HLO text cannot say how a scalar is padded (reference hlo_text_format.md 9.4).
  Instruction* const x = w.ArrayFor(opcode, 1);
  PaddingConfig config;
  for (const int64_t size : x->shape().dimensions()) {
    PaddingDimension& d = config.dimensions.emplace_back();
    static constexpr int64_t kEdges[] = {0, 1, -1, 2, 0, 3, -2, 1, 0, 0, 0, 17};
    d.low = w.choices().Of(kEdges);
    d.high = w.choices().Of(kEdges);
    d.interior = w.choices().OneIn(3) ? w.choices().Between(1, 2) : 0;
    const int64_t spread = size + std::max<int64_t>(size - 1, 0) * d.interior;
    if (spread + d.low + d.high < 0) d.low = -spread, d.high = 0;
  }
  auto made = w.Start(opcode, {x, w.ScalarOf(x->shape().element_type())});
  made->SetAttribute(Attr::kPadding, config);
  w.Finish(std::move(made));
}

void WriteReshape(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  w.Add(opcode, {x}, Shape(x->shape().element_type(), Reshaped(w, x->shape().dimensions())));
}

void WriteReverse(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  std::vector<int64_t> dimensions = Permutation(w.choices(), x->shape().rank());
  dimensions.resize(w.choices().Below(x->shape().rank() + 1));
  auto made = w.Start(opcode, {x});
  made->SetAttribute(Attr::kDimensions, dimensions);
  w.Finish(std::move(made));
}

void WriteSlice(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  Slices ranges;
  for (const int64_t size : x->shape().dimensions()) {
    SliceRange& range = ranges.emplace_back();
    range.start = w.choices().OneIn(2) ? w.choices().Below(size + 1) : 0;
    range.limit = w.choices().OneIn(2) ? w.choices().Between(range.start, size) : size;
    range.stride = w.choices().OneIn(3) ? w.choices().Between(2, 3) : 1;
  }
  auto made = w.Start(opcode, {x});
  made->SetAttribute(Attr::kSlice, ranges);
  w.Finish(std::move(made));
}

void WriteTranspose(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  auto made = w.Start(opcode, {x});
  made->SetAttribute(Attr::kDimensions, Permutation(w.choices(), x->shape().rank()));
  w.Finish(std::move(made));
}

// --- Dynamic sizes.
// --------------------------------------------------------------------------------

void WriteGetDimensionSize(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode, 1);
  auto made = w.Start(opcode, {x});
  made->SetAttribute(Attr::kDimension, w.choices().Below(x->shape().rank()));
  w.Finish(std::move(made));
}

// Operations on a dynamic array follow at once: later rows take values of static sizes alone.
void WriteSetDimensionSize(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode, 1);
  const int64_t dimension = w.choices().Below(x->shape().rank());
  conformance::ProfileUse size;
  size.profile = conformance::ValueProfile::kIndices;
  size.seed = w.choices().Byte();
  size.low = 0;
  size.high = x->shape().dimension(dimension);
  auto made = w.Start(opcode, {x, w.NewArray(ElementType::kS32, {}, size)});
  made->SetAttribute(Attr::kDimension, dimension);
  Instruction* value = w.Finish(std::move(made));
  if (value == nullptr) return;
  for (int64_t steps = w.choices().Below(3); steps > 0; --steps) {
    const ElementType type = value->shape().element_type();
    const absl::Span<const ElementType> negated = LegalTypes(Opcode::kNegate);
    const bool negates = std::find(negated.begin(), negated.end(), type) != negated.end();
    Instruction* const next =
        negates && w.choices().OneIn(2)
            ? w.Add(Opcode::kNegate, {value})
            : w.Add(Opcode::kConvert, {value},
                    Shape(w.AnyType(w.grammar().types()), value->shape().dimensions()));
    if (next == nullptr) break;
    value = next;
  }
  // What lies beyond the current size does not count in a fold.
  if (w.choices().OneIn(3)) {
    Sketch s(w);
    const Opcode fold = AnyFold(w, s.TypeOf(value));
    s.Reduce(value, fold, {dimension}, s.Number(s.TypeOf(value), 1));
  }
  auto current = w.Start(Opcode::kGetDimensionSize, {value});
  current->SetAttribute(Attr::kDimension, dimension);
  w.Finish(std::move(current));
}

void WriteDynamicReshape(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const Dimensions sizes = Reshaped(w, x->shape().dimensions());
  std::vector<Instruction*> operands = {x};
  for (const int64_t size : sizes) {
    operands.push_back(w.IntegerConstant(ElementType::kS32, {}, {size}));
  }
  w.Add(opcode, operands, Shape(x->shape().element_type(), sizes));
}

}  // namespace assay::fuzz
