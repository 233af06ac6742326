#include "conformance/judge/window_readings.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "conformance/judge/rounds.h"
#include "conformance/judge/start_values.h"
#include "spec/analysis/isolate.h"
#include "spec/analysis/reducer.h"

namespace assay::conformance {
namespace {

bool HasOtherCells(const WindowDimension& d) {
  return d.padding_low > 0 || d.padding_high > 0 || d.base_dilation > 1;
}

bool Pads(const Window& window) {
  return std::any_of(window.dimensions.begin(), window.dimensions.end(), HasOtherCells);
}

// `window` has an entry for each dimension of the array.
Literal Pad(const Literal& array, Element init, absl::Span<const WindowDimension> window) {
  const Shape& shape = array.shape();
  Dimensions sizes;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const WindowDimension& w = window[d];
    const int64_t dilated = std::max<int64_t>(0, (shape.dimension(d) - 1) * w.base_dilation + 1);
    sizes.push_back(std::max<int64_t>(0, dilated + w.padding_low + w.padding_high));
  }
  Literal padded = Literal::Zeros(Shape(shape.element_type(), sizes));
  for (int64_t i = 0; i < padded.element_count(); ++i) padded.Set(i, init);
  const Dimensions from = RowMajorStrides(shape.dimensions()), to = RowMajorStrides(sizes);
  for (int64_t i = 0; i < array.element_count(); ++i) {
    int64_t place = 0;
    bool inside = true;  // negative padding cuts data off
    for (int64_t d = 0; d < shape.rank(); ++d) {
      const WindowDimension& w = window[d];
      const int64_t at = i / from[d] % shape.dimension(d) * w.base_dilation + w.padding_low;
      inside &= at >= 0 && at < sizes[d];
      place += at * to[d];
    }
    if (inside) padded.Set(place, array.Get(i));
  }
  return padded;
}

// Returns the shape with its dimensions in reverse order.
Shape Turned(const Shape& shape) {
  return Shape(shape.element_type(),
               Dimensions(shape.dimensions().rbegin(), shape.dimensions().rend()));
}

Literal Turn(const Literal& array) {
  Literal turned = Literal::Zeros(Turned(array.shape()));
  const Dimensions from = RowMajorStrides(array.shape().dimensions());
  const Dimensions to = RowMajorStrides(turned.shape().dimensions());
  const int64_t rank = array.shape().rank();
  for (int64_t i = 0; i < array.element_count(); ++i) {
    int64_t place = 0;
    for (int64_t d = 0; d < rank; ++d) {
      place += i / from[d] % array.shape().dimension(d) * to[rank - 1 - d];
    }
    turned.Set(place, array.Get(i));
  }
  return turned;
}

Literal TurnLeaves(const Literal& value) {
  if (!value.is_tuple()) return Turn(value);
  std::vector<Literal> leaves;
  for (const Literal& leaf : value.elements()) leaves.push_back(Turn(leaf));
  return Literal::Tuple(std::move(leaves));
}

Shape TurnedLeaves(const Shape& shape) {
  if (!shape.is_tuple()) return Turned(shape);
  std::vector<Shape> leaves;
  for (const Shape& leaf : shape.tuple_shapes()) leaves.push_back(Turned(leaf));
  return Shape::Tuple(std::move(leaves));
}

// The window on an array that is padded and dilated.
Window Unpadded(Window window) {
  for (WindowDimension& d : window.dimensions) {
    d.padding_low = d.padding_high = 0;
    d.base_dilation = 1;
  }
  return window;
}

// The value of a convolution whose data are padded and dilated with zeros, or nothing if no zero
// meets what is not finite.
absl::StatusOr<std::vector<Literal>> PaddedConvolution(const Instruction& convolution,
                                                       absl::Span<const Literal> operands,
                                                       const Evaluate& evaluate) {
  if (!PadsConvolution(convolution) || AllFinite(operands.subspan(1)))
    return std::vector<Literal>();
  const ConvolutionDimensions& numbers = convolution.convolution_dimensions();
  std::vector<WindowDimension> window(operands[0].shape().rank());
  for (size_t d = 0; d < numbers.input_spatial.size(); ++d) {
    window[numbers.input_spatial[d]] = convolution.window().dimensions[d];
  }
  const std::vector<Literal> arguments = {Pad(operands[0], Element{}, window), operands[1]};
  const std::unique_ptr<Module> module = analysis::IsolateInstruction(convolution);
  Instruction& alone = *module->entry()->root();
  alone.operand(0)->set_shape(arguments[0].shape());
  alone.SetAttribute(Attr::kWindow, Unpadded(convolution.window()));
  absl::StatusOr<Literal> value = evaluate(*module, arguments);
  if (!value.ok()) return value.status();
  return std::vector<Literal>{*std::move(value)};
}

struct Reading {
  bool padded;
  bool turned;
};

// Returns true if the order of cells matters. It does only for reducers that are not recognised.
bool Turns(const Instruction& instruction) {
  return instruction.window().dimensions.size() > 1 &&
         analysis::RecogniseReducer(*instruction.to_apply()).kind == analysis::ReducerKind::kOther;
}

}  // namespace

bool HasOtherWindowReadings(const Instruction& instruction, absl::Span<const ElementRange> starts) {
  if (instruction.opcode() != Opcode::kReduceWindow) return false;
  const analysis::ReducerKind kind = analysis::RecogniseReducer(*instruction.to_apply()).kind;
  const bool pads = Pads(instruction.window());
  if (kind == analysis::ReducerKind::kOther) return pads || Turns(instruction);
  return pads && starts.size() == 1 && StartCounts(kind, starts[0]);
}

bool PadsConvolution(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kConvolution && Pads(instruction.window()) &&
         IsRounded(instruction.operand(1)->shape().element_type());
}

absl::StatusOr<std::vector<Literal>> OtherWindowReadings(const Instruction& instruction,
                                                         absl::Span<const Literal> operands,
                                                         const Evaluate& evaluate) {
  if (instruction.opcode() == Opcode::kConvolution) {
    return PaddedConvolution(instruction, operands, evaluate);
  }
  std::vector<Literal> values;
  std::vector<ElementRange> starts;
  for (const Literal& start : operands.subspan(operands.size() / 2)) {
    if (start.is_array()) starts.push_back(ElementRange::Of(start.element_type(), start.Get(0)));
  }
  if (!HasOtherWindowReadings(instruction, starts)) return values;
  const Window& window = instruction.window();
  const bool pads = Pads(window), turns = Turns(instruction);
  for (const Reading& reading : {Reading{true, false}, {false, true}, {true, true}}) {
    if ((reading.padded && !pads) || (reading.turned && !turns)) continue;
    const std::unique_ptr<Module> module = analysis::IsolateInstruction(instruction);
    Instruction& alone = *module->entry()->root();
    std::vector<Literal> arguments(operands.begin(), operands.end());
    const size_t arrays = operands.size() / 2;
    for (size_t k = 0; k < arrays; ++k) {
      if (reading.padded)
        arguments[k] = Pad(operands[k], operands[arrays + k].Get(0), window.dimensions);
      if (reading.turned) arguments[k] = Turn(arguments[k]);
      alone.operand(static_cast<int64_t>(k))->set_shape(arguments[k].shape());
    }
    Window other = reading.padded ? Unpadded(window) : window;
    if (reading.turned) {
      std::reverse(other.dimensions.begin(), other.dimensions.end());
      alone.set_shape(TurnedLeaves(alone.shape()));
    }
    alone.SetAttribute(Attr::kWindow, std::move(other));
    absl::StatusOr<Literal> value = evaluate(*module, arguments);
    if (!value.ok()) return value.status();
    values.push_back(reading.turned ? TurnLeaves(*value) : *std::move(value));
  }
  return values;
}

}  // namespace assay::conformance
