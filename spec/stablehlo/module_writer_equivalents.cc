// Instructions that StableHLO has no operation for but says with several: casts that depend on the
// order in memory or on the width of booleans, operands of several types, exchanges of whole
// operands. Tests: from_module_test.cc, conformance/corpus/stablehlo_round_trip_test.cc.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "spec/elementwise_info.h"
#include "spec/stablehlo/module_writer.h"

namespace assay::stablehlo {
namespace {

std::vector<int64_t> Permuted(absl::Span<const int64_t> sizes,
                              const std::vector<int64_t>& permutation) {
  std::vector<int64_t> permuted;
  for (const int64_t d : permutation) permuted.push_back(sizes[d]);
  return permuted;
}

// The dimensions from the slowest to the fastest in memory; empty optional where the layout says
// more than their order.
std::optional<std::vector<int64_t>> OrderInMemory(const Shape& shape) {
  if (!shape.is_array() || shape.is_dynamic()) return std::nullopt;
  std::vector<int64_t> order(shape.rank());
  std::iota(order.begin(), order.end(), 0);
  if (!shape.has_layout()) return order;
  const Dimensions& fastest_first = shape.layout()->minor_to_major;
  if (!shape.layout()->is_plain() ||
      !std::is_permutation(order.begin(), order.end(), fastest_first.begin(),
                           fastest_first.end())) {
    return std::nullopt;
  }
  return std::vector<int64_t>(fastest_first.rbegin(), fastest_first.rend());
}

// True if a cast of the bits between these types is one operation there: elements have whole
// numbers of bytes or half of one, and both count the same bits.
bool BitsAreAlike(ElementType a, ElementType b) {
  const auto known = [](ElementType type) {
    const int bits = Info(type).bits;
    return !IsPred(type) && !IsComplex(type) && (bits == 4 || bits % 8 == 0);
  };
  return a == b || (known(a) && known(b));
}

// True if each value of the narrow type is one of the wide type: f16 lacks the range of f8E8M0FNU
// alone among types of at most 8 bits.
bool HoldsValues(ElementType wide, ElementType narrow) {
  return IsFloat(wide) && IsFloat(narrow) && Info(wide).bits >= 16 &&
         Info(narrow).bits < Info(wide).bits &&
         !(wide == ElementType::kF16 && narrow == ElementType::kF8E8M0FNU);
}

// True if the operands and the result have one type there, but for what is not a floating-point
// number.
bool HasOneType(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcastConvert:
    case Opcode::kConvert:
      return false;
    case Opcode::kClamp:
    case Opcode::kConcatenate:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kMap:
    case Opcode::kPad:
    case Opcode::kSelect:
      return true;
    default:
      return FindElementwise(opcode) != nullptr;
  }
}

ElementType ParameterType(const Computation& computation, int64_t i) {
  return computation.parameters()[i]->shape().element_type();
}

// The type that operands of several floating-point types are converted to: the result's, or the
// widest where the result is of another kind (complex, pred).
ElementType OneType(const Instruction& instruction) {
  ElementType type = instruction.shape().element_type();
  if (IsFloat(type)) return type;
  type = instruction.operand(0)->shape().element_type();
  for (const Instruction* operand : instruction.operands()) {
    const ElementType other = operand->shape().element_type();
    if (HoldsValues(other, type)) type = other;
  }
  return type;
}

}  // namespace

Value* ModuleWriter::InOneType(const Instruction& instruction, int64_t i, Value* value) {
  const Shape& shape = instruction.operand(i)->shape();
  if (!instruction.shape().is_array() || !shape.is_array() || !IsFloat(shape.element_type()) ||
      !HasOneType(instruction.opcode())) {
    return value;
  }
  const ElementType type = instruction.opcode() == Opcode::kMap
                               ? ParameterType(*instruction.to_apply(), i)
                               : OneType(instruction);
  if (type == shape.element_type()) return value;
  if (!HoldsValues(type, shape.element_type())) {
    Refuse(instruction, "its operands have two element types");
    return value;
  }
  Shape wide = shape;
  wide.set_element_type(type);
  return EmitOne("stablehlo.convert", {value}, wide);
}

Value* ModuleWriter::Reshaped(Value* value, ElementType type, absl::Span<const int64_t> from,
                              absl::Span<const int64_t> to) {
  return from == to ? value : EmitOne("stablehlo.reshape", {value}, Shape(type, to));
}

Value* ModuleWriter::Transposed(Value* value, ElementType type, absl::Span<const int64_t> from,
                                const std::vector<int64_t>& permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return value;
  return EmitOne("stablehlo.transpose", {value}, Shape(type, Permuted(from, permutation)),
                 {{"permutation", Ints(permutation)}});
}

// Between row-major layouts a bitcast of one type is a reshape. Otherwise the operand's dimensions
// are brought into their order in memory, and those of the result out of theirs.
ModuleWriter::Node ModuleWriter::Bitcast(const Instruction& instruction) {
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  const std::optional<std::vector<int64_t>> read = OrderInMemory(from);
  const std::optional<std::vector<int64_t>> written = OrderInMemory(to);
  const ElementType type = from.element_type(), wanted = to.element_type();
  if (!read || !written || !BitsAreAlike(type, wanted)) {
    return Refuse(instruction, "it depends on a layout that is more than an order of dimensions");
  }
  const int bits = Info(type).bits, wanted_bits = Info(wanted).bits;
  if (from.element_count() * bits != to.element_count() * wanted_bits) {
    return Refuse(instruction, "its last byte is filled up");
  }
  Value* value = Transposed(OperandValue(instruction, 0), type, from.dimensions(), *read);
  std::vector<int64_t> sizes = Permuted(from.dimensions(), *read);
  const std::vector<int64_t> result_sizes = Permuted(to.dimensions(), *written);
  if (bits < wanted_bits) {
    std::vector<int64_t> split = result_sizes;
    split.push_back(wanted_bits / bits);
    value = Reshaped(value, type, sizes, split);
    sizes = result_sizes;
  } else if (bits > wanted_bits) {
    sizes.push_back(bits / wanted_bits);
  }
  if (type != wanted) value = EmitOne("stablehlo.bitcast_convert", {value}, Shape(wanted, sizes));
  value = Reshaped(value, wanted, sizes, result_sizes);
  std::vector<int64_t> back(written->size());
  for (size_t i = 0; i < back.size(); ++i) back[(*written)[i]] = static_cast<int64_t>(i);
  return Leaf(Transposed(value, wanted, result_sizes, back));
}

// A boolean has 8 bits in HLO and one in StableHLO: bytes take its place.
ModuleWriter::Node ModuleWriter::BitcastConvert(const Instruction& instruction) {
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  const int bits = Info(from.element_type()).bits, other_bits = Info(to.element_type()).bits;
  if (bits != other_bits && (bits == 6 || other_bits == 6)) {
    return Refuse(instruction, "elements of 6 bits take a byte in HLO, and 6 bits there");
  }
  if (IsPred(from.element_type()) == IsPred(to.element_type())) {
    return One("stablehlo.bitcast_convert", instruction);
  }
  if (from.is_dynamic() || to.is_dynamic()) {
    return Refuse(instruction, "booleans of dynamic sizes have other bits there");
  }
  Value* value = OperandValue(instruction, 0);
  const bool from_booleans = IsPred(from.element_type());
  const Shape bytes(ElementType::kU8, (from_booleans ? from : to).dimensions());
  if (from_booleans) value = EmitOne("stablehlo.convert", {value}, bytes);
  const ElementType other = (from_booleans ? to : from).element_type();
  if (other != ElementType::kU8) {
    value = EmitOne("stablehlo.bitcast_convert", {value}, from_booleans ? to : bytes);
  }
  if (!from_booleans) value = EmitOne("stablehlo.convert", {value}, to);
  return Leaf(value);
}

// StableHLO wants one type of both operands: that of the result, where it holds their values.
ModuleWriter::Node ModuleWriter::ConvolutionOfTwoTypes(const Instruction& instruction,
                                                       Fields fields) {
  const ElementType type = instruction.shape().element_type();
  Values operands = OperandValues(instruction);
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape& shape = instruction.operand(i)->shape();
    if (shape.element_type() == type) continue;
    if (!HoldsValues(type, shape.element_type()))
      return Refuse(instruction, "its operands have two element types");
    operands[i] = EmitOne("stablehlo.convert", {operands[i]}, Shape(type, shape.dimensions()));
  }
  AddAnnotations(instruction, &fields);
  return Leaf(EmitOne("stablehlo.convolution", operands, instruction.shape(), std::move(fields)));
}

// An exchange of whole operands is one of the parts of an array that joins them.
ModuleWriter::Node ModuleWriter::ExchangeOperands(const Instruction& instruction) {
  const Shape& each = instruction.operand(0)->shape();
  if (each.is_dynamic()) return Refuse(instruction, "it exchanges operands of dynamic sizes");
  const ElementType type = each.element_type();
  std::vector<int64_t> row(each.dimensions().begin(), each.dimensions().end());
  row.insert(row.begin(), 1);
  std::vector<int64_t> all = row;
  all[0] = instruction.operand_count();
  Values rows;
  for (Value* operand : OperandValues(instruction)) {
    rows.push_back(Reshaped(operand, type, each.dimensions(), row));
  }
  Value* joined = EmitOne("stablehlo.concatenate", rows, Shape(type, all), {{"dimension", Int(0)}});
  Fields fields = {{"split_dimension", Int(0)},
                   {"concat_dimension", Int(0)},
                   {"split_count", Int(instruction.operand_count())}};
  AddChannel(instruction, &fields);
  if (!AddGroups(instruction, &fields)) return {};
  Value* exchanged = EmitOne("stablehlo.all_to_all", {joined}, Shape(type, all), std::move(fields));
  Values parts;
  const std::vector<int64_t> strides(all.size(), 1);
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    std::vector<int64_t> start(all.size(), 0), limit = all;
    start[0] = i;
    limit[0] = i + 1;
    Value* part = EmitOne("stablehlo.slice", {exchanged}, Shape(type, row),
                          {{"start_indices", Ints(start)},
                           {"limit_indices", Ints(limit)},
                           {"strides", Ints(strides)}});
    parts.push_back(Reshaped(part, type, row, each.dimensions()));
  }
  size_t next = 0;
  return FromLeaves(instruction.shape(), parts, &next);
}

}  // namespace assay::stablehlo
