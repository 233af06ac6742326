#include "fuzz/reduce/lax_program.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace assay::fuzz {
namespace {

// Returns the name of a type whose elements NumPy, or ml_dtypes, stores as HLO has them; empty if
// there is none.
std::string DtypeOf(ElementType type) {
  static const auto* const names = new absl::flat_hash_map<ElementType, std::string>{
      {ElementType::kPred, "np.bool_"},
      {ElementType::kS8, "np.int8"},
      {ElementType::kS16, "np.int16"},
      {ElementType::kS32, "np.int32"},
      {ElementType::kS64, "np.int64"},
      {ElementType::kU8, "np.uint8"},
      {ElementType::kU16, "np.uint16"},
      {ElementType::kU32, "np.uint32"},
      {ElementType::kU64, "np.uint64"},
      {ElementType::kF16, "np.float16"},
      {ElementType::kF32, "np.float32"},
      {ElementType::kF64, "np.float64"},
      {ElementType::kC64, "np.complex64"},
      {ElementType::kC128, "np.complex128"},
      {ElementType::kBF16, "ml_dtypes.bfloat16"},
      {ElementType::kF8E5M2, "ml_dtypes.float8_e5m2"},
      {ElementType::kF8E4M3, "ml_dtypes.float8_e4m3"},
      {ElementType::kF8E3M4, "ml_dtypes.float8_e3m4"},
      {ElementType::kF8E4M3FN, "ml_dtypes.float8_e4m3fn"},
      {ElementType::kF8E4M3FNUZ, "ml_dtypes.float8_e4m3fnuz"},
      {ElementType::kF8E4M3B11FNUZ, "ml_dtypes.float8_e4m3b11fnuz"},
      {ElementType::kF8E5M2FNUZ, "ml_dtypes.float8_e5m2fnuz"},
      {ElementType::kF8E8M0FNU, "ml_dtypes.float8_e8m0fnu"},
  };
  const auto found = names->find(type);
  return found == names->end() ? "" : found->second;
}

std::string Numbers(absl::Span<const int64_t> list) {
  return absl::StrCat("(", absl::StrJoin(list, ", "), list.size() == 1 ? ",)" : ")");
}

// Returns the function of an elementwise operation without attributes; empty if there is none.
absl::string_view LaxName(Opcode opcode) {
  struct Row {
    Opcode opcode;
    absl::string_view name;
  };
  static constexpr Row kRows[] = {
      {Opcode::kAbs, "abs"},
      {Opcode::kAdd, "add"},
      {Opcode::kAnd, "bitwise_and"},
      {Opcode::kAtan2, "atan2"},
      {Opcode::kCbrt, "cbrt"},
      {Opcode::kCeil, "ceil"},
      {Opcode::kClamp, "clamp"},
      {Opcode::kClz, "clz"},
      {Opcode::kComplex, "complex"},
      {Opcode::kCos, "cos"},
      {Opcode::kDivide, "div"},
      {Opcode::kExp, "exp"},
      {Opcode::kExpm1, "expm1"},
      {Opcode::kFloor, "floor"},
      {Opcode::kImag, "imag"},
      {Opcode::kIsFinite, "is_finite"},
      {Opcode::kLog, "log"},
      {Opcode::kLog1p, "log1p"},
      {Opcode::kLogistic, "logistic"},
      {Opcode::kMaximum, "max"},
      {Opcode::kMinimum, "min"},
      {Opcode::kMultiply, "mul"},
      {Opcode::kNegate, "neg"},
      {Opcode::kNot, "bitwise_not"},
      {Opcode::kOr, "bitwise_or"},
      {Opcode::kPopcnt, "population_count"},
      {Opcode::kPower, "pow"},
      {Opcode::kReal, "real"},
      {Opcode::kRemainder, "rem"},
      {Opcode::kRsqrt, "rsqrt"},
      {Opcode::kSelect, "select"},
      {Opcode::kShiftLeft, "shift_left"},
      {Opcode::kShiftRightArithmetic, "shift_right_arithmetic"},
      {Opcode::kShiftRightLogical, "shift_right_logical"},
      {Opcode::kSign, "sign"},
      {Opcode::kSin, "sin"},
      {Opcode::kSqrt, "sqrt"},
      {Opcode::kSubtract, "sub"},
      {Opcode::kTan, "tan"},
      {Opcode::kTanh, "tanh"},
      {Opcode::kXor, "bitwise_xor"},
  };
  const auto* const found = std::find_if(std::begin(kRows), std::end(kRows),
                                         [&](const Row& row) { return row.opcode == opcode; });
  return found == std::end(kRows) ? absl::string_view() : found->name;
}

bool IsKnown(const Shape& shape) {
  return shape.is_array() && !shape.is_dynamic() && !DtypeOf(shape.element_type()).empty();
}

// Writes a computation as expressions. A value with several users gets a name, others stand in the
// expression of their user.
class Writer {
 public:
  explicit Writer(const Computation& entry) {
    for (const auto& each : entry.instructions()) {
      for (const Instruction* operand : each->operands()) ++uses_[operand];
    }
  }

  // Returns nothing if the value, or one that it is computed from, cannot be written.
  std::optional<std::string> Value(const Instruction& x) {
    const auto known = names_.find(&x);
    if (known != names_.end()) return known->second;
    if (x.opcode() == Opcode::kParameter) return absl::StrCat("p", x.parameter_number());
    if (!IsKnown(x.shape())) return std::nullopt;
    std::vector<std::string> operands;
    for (const Instruction* operand : x.operands()) {
      if (!IsKnown(operand->shape())) return std::nullopt;
      std::optional<std::string> value = Value(*operand);
      if (!value) return value;
      operands.push_back(*std::move(value));
    }
    operands_ = std::move(operands);
    std::optional<std::string> text = Text(x);
    if (!text || uses_[&x] < 2) return text;
    const std::string name = absl::StrCat("v", names_.size());
    absl::StrAppend(&lines_, "    ", name, " = ", *text, "\n");
    ++line_count_;
    return names_[&x] = name;
  }

  const std::string& lines() const { return lines_; }
  int64_t line_count() const { return line_count_; }

 private:
  // The expression of an instruction; operands_ has those of its operands.
  std::optional<std::string> Text(const Instruction& x) const {
    switch (x.opcode()) {
      case Opcode::kConstant:
        return x.literal() == nullptr ? std::nullopt : NumpyArray(*x.literal());
      case Opcode::kCompare:
        return Compare(x);
      case Opcode::kConvert:
        return Convert(x);
      case Opcode::kBitcastConvert:
        return Call("bitcast_convert_type", {DtypeOf(Type(x))});
      case Opcode::kIota:
        return absl::StrCat("jax.lax.broadcasted_iota(", DtypeOf(Type(x)), ", ", Sizes(x), ", ",
                            x.GetInt(Attr::kIotaDimension), ")");
      case Opcode::kReshape:
        if (x.HasAttribute(Attr::kInferredDimension)) return std::nullopt;
        return Call("reshape", {Sizes(x)});
      case Opcode::kBroadcast:
        return Call("broadcast_in_dim", {Sizes(x), Dimensions(x)});
      case Opcode::kTranspose:
        return Call("transpose", {Dimensions(x)});
      case Opcode::kReverse:
        return Call("rev", {Dimensions(x)});
      case Opcode::kSlice:
        return Slice(x);
      case Opcode::kPad:
        return Pad(x);
      case Opcode::kConcatenate:
        return absl::StrCat("jax.lax.concatenate([", absl::StrJoin(operands_, ", "), "], ",
                            x.GetInt(Attr::kDimension), ")");
      case Opcode::kReducePrecision:
        return Call("reduce_precision", {absl::StrCat(x.GetInt(Attr::kExponentBits)),
                                         absl::StrCat(x.GetInt(Attr::kMantissaBits))});
      case Opcode::kDot:
        return Dot(x);
      case Opcode::kConvolution:
        return Convolution(x);
      case Opcode::kReduce:
        return Reduce(x);
      case Opcode::kReduceWindow:
        return ReduceWindow(x);
      case Opcode::kDynamicSlice:
        return DynamicSlice(x);
      case Opcode::kDynamicUpdateSlice:
        return absl::StrCat("jax.lax.dynamic_update_slice(", operands_[0], ", ", operands_[1], ", ",
                            Starts(2), ", allow_negative_indices=False)");
      case Opcode::kRoundNearestAfz:
        return Call("round", {"jax.lax.RoundingMethod.AWAY_FROM_ZERO"});
      case Opcode::kRoundNearestEven:
        return Call("round", {"jax.lax.RoundingMethod.TO_NEAREST_EVEN"});
      case Opcode::kOptimizationBarrier:
        return Call("optimization_barrier", {});
      default:
        return Plain(x);
    }
  }

  static ElementType Type(const Instruction& x) { return x.shape().element_type(); }
  static std::string Sizes(const Instruction& x) { return Numbers(x.shape().dimensions()); }
  static std::string Dimensions(const Instruction& x) {
    return Numbers(x.GetInts(Attr::kDimensions));
  }
  std::string Call(absl::string_view name, const std::vector<std::string>& more) const {
    return absl::StrCat("jax.lax.", name, "(", absl::StrJoin(operands_, ", "),
                        more.empty() ? "" : ", ", absl::StrJoin(more, ", "), ")");
  }
  // Returns true if the instruction has no attributes but these.
  static bool HasOnly(const Instruction& x, std::initializer_list<Attr> known) {
    for (const auto& [attr, value] : x.attributes().entries()) {
      if (std::find(known.begin(), known.end(), attr) == known.end()) return false;
    }
    return true;
  }

  std::optional<std::string> Plain(const Instruction& x) const {
    const std::optional<absl::string_view> name = PlainName(x);
    return name ? std::optional<std::string>(Call(*name, {})) : std::nullopt;
  }

  // The function of an elementwise operation. jax.lax refuses, or replaces by another operation,
  // arithmetic of pred and the sign of unsigned integers.
  static std::optional<absl::string_view> PlainName(const Instruction& x) {
    const absl::string_view name = LaxName(x.opcode());
    if (name.empty() || !HasOnly(x, {})) return std::nullopt;
    const ElementType type = x.operands().back()->shape().element_type();
    const bool of_bits = x.opcode() == Opcode::kAnd || x.opcode() == Opcode::kOr ||
                         x.opcode() == Opcode::kXor || x.opcode() == Opcode::kNot ||
                         x.opcode() == Opcode::kSelect;
    if (type == ElementType::kPred && !of_bits) return std::nullopt;
    const bool of_sign =
        x.opcode() == Opcode::kAbs || x.opcode() == Opcode::kSign || x.opcode() == Opcode::kNegate;
    if (IsUnsigned(type) && of_sign) return std::nullopt;
    if (x.opcode() == Opcode::kPower && IsInteger(type)) return std::nullopt;
    return name;
  }

  std::optional<std::string> Compare(const Instruction& x) const {
    static constexpr absl::string_view kNames[] = {"eq", "ne", "ge", "gt", "le", "lt"};
    if (!HasOnly(x, {Attr::kDirection})) return std::nullopt;
    return Call(kNames[x.GetInt(Attr::kDirection)], {});
  }

  // jax.lax compares with zero where the result is pred, and takes the real part of complex
  // numbers.
  std::optional<std::string> Convert(const Instruction& x) const {
    const ElementType from = x.operand(0)->shape().element_type(), to = Type(x);
    if (to == ElementType::kPred || IsComplex(from) || IsComplex(to)) return std::nullopt;
    return Call("convert_element_type", {DtypeOf(to)});
  }

  std::optional<std::string> Slice(const Instruction& x) const {
    std::vector<int64_t> starts, limits, strides;
    for (const auto& range : x.slices()) {
      starts.push_back(range.start);
      limits.push_back(range.limit);
      strides.push_back(range.stride);
    }
    return Call("slice", {Numbers(starts), Numbers(limits), Numbers(strides)});
  }

  std::optional<std::string> Pad(const Instruction& x) const {
    std::vector<std::string> sizes;
    for (const auto& d : x.padding().dimensions) {
      sizes.push_back(absl::StrCat("(", d.low, ", ", d.high, ", ", d.interior, ")"));
    }
    if (x.operand(1)->shape().element_type() != Type(x)) return std::nullopt;
    return Call("pad", {absl::StrCat("[", absl::StrJoin(sizes, ", "), "]")});
  }

  std::optional<std::string> Dot(const Instruction& x) const {
    const bool known = HasOnly(x, {Attr::kLhsBatchDims, Attr::kLhsContractingDims,
                                   Attr::kRhsBatchDims, Attr::kRhsContractingDims});
    if (!known || x.operand(0)->shape().element_type() != x.operand(1)->shape().element_type()) {
      return std::nullopt;
    }
    const auto both = [&](Attr lhs, Attr rhs) {
      return absl::StrCat("(", Numbers(x.GetInts(lhs)), ", ", Numbers(x.GetInts(rhs)), ")");
    };
    return Call("dot_general",
                {absl::StrCat("(", both(Attr::kLhsContractingDims, Attr::kRhsContractingDims), ", ",
                              both(Attr::kLhsBatchDims, Attr::kRhsBatchDims), ")"),
                 absl::StrCat("preferred_element_type=", DtypeOf(Type(x)))});
  }

  // One array and a computation that is one operation of its two parameters.
  std::optional<std::string> Reducer(const Instruction& x) const {
    const Instruction& root = *x.called_computations()[0]->root();
    const std::optional<absl::string_view> name = PlainName(root);
    if (x.operand_count() != 2 || root.operand_count() != 2 || !name) return std::nullopt;
    for (const Instruction* operand : root.operands()) {
      if (operand->opcode() != Opcode::kParameter || Type(*operand) != Type(x)) return std::nullopt;
    }
    if (Type(*x.operand(0)) != Type(x) || Type(root) != Type(x)) return std::nullopt;
    const int64_t a = root.operand(0)->parameter_number(), b = root.operand(1)->parameter_number();
    if (a == 0 && b == 1) return absl::StrCat("jax.lax.", *name);
    return absl::StrCat("lambda *p: jax.lax.", *name, "(p[", a, "], p[", b, "])");
  }

  // jax.lax leaves out a reduction of no dimensions.
  std::optional<std::string> Reduce(const Instruction& x) const {
    const std::optional<std::string> reducer = Reducer(x);
    if (!reducer || x.GetInts(Attr::kDimensions).empty()) return std::nullopt;
    return Call("reduce", {*reducer, Dimensions(x)});
  }

  struct WindowLists {
    std::vector<int64_t> sizes, strides, base_dilations, window_dilations;
    std::vector<std::string> padding;
    bool reverses = false;
    std::string Padding() const {
      return absl::StrCat("(", absl::StrJoin(padding, ", "), padding.size() == 1 ? ",)" : ")");
    }
  };
  static WindowLists ListsOf(const Window& window) {
    WindowLists lists;
    for (const WindowDimension& d : window.dimensions) {
      lists.sizes.push_back(d.size);
      lists.strides.push_back(d.stride);
      lists.base_dilations.push_back(d.base_dilation);
      lists.window_dilations.push_back(d.window_dilation);
      lists.padding.push_back(absl::StrCat("(", d.padding_low, ", ", d.padding_high, ")"));
      lists.reverses |= d.reversal;
    }
    return lists;
  }

  std::optional<std::string> ReduceWindow(const Instruction& x) const {
    const std::optional<std::string> reducer = Reducer(x);
    const WindowLists lists = ListsOf(x.window());
    if (!reducer || lists.reverses || lists.sizes.empty()) return std::nullopt;
    return Call("reduce_window",
                {*reducer, Numbers(lists.sizes), Numbers(lists.strides), lists.Padding(),
                 Numbers(lists.base_dilations), Numbers(lists.window_dilations)});
  }

  static std::string Labels(int64_t first, int64_t second, absl::Span<const int64_t> spatial) {
    std::vector<int64_t> labels = {first, second};
    labels.insert(labels.end(), spatial.begin(), spatial.end());
    return Numbers(labels);
  }

  // jax.lax reverses no windows.
  std::optional<std::string> Convolution(const Instruction& x) const {
    const bool known = HasOnly(
        x, {Attr::kWindow, Attr::kDimLabels, Attr::kFeatureGroupCount, Attr::kBatchGroupCount});
    const WindowLists lists = ListsOf(x.window());
    if (!known || lists.reverses || Type(*x.operand(0)) != Type(*x.operand(1))) return std::nullopt;
    const ConvolutionDimensions& d = x.convolution_dimensions();
    const std::string labels = absl::StrCat(
        "jax.lax.ConvDimensionNumbers(", Labels(d.input_batch, d.input_feature, d.input_spatial),
        ", ", Labels(d.kernel_output_feature, d.kernel_input_feature, d.kernel_spatial), ", ",
        Labels(d.output_batch, d.output_feature, d.output_spatial), ")");
    return Call(
        "conv_general_dilated",
        {Numbers(lists.strides), lists.Padding(), Numbers(lists.base_dilations),
         Numbers(lists.window_dilations), labels, absl::StrCat(x.GetInt(Attr::kFeatureGroupCount)),
         absl::StrCat(x.GetInt(Attr::kBatchGroupCount)),
         absl::StrCat("preferred_element_type=", DtypeOf(Type(x)))});
  }

  // The start indices, which are the operands from `first` on.
  std::string Starts(size_t first) const {
    const auto begin = operands_.begin() + static_cast<int64_t>(first);
    return absl::StrCat("(", absl::StrJoin(begin, operands_.end(), ", "),
                        operands_.size() == first + 1 ? ",)" : ")");
  }
  std::optional<std::string> DynamicSlice(const Instruction& x) const {
    return absl::StrCat("jax.lax.dynamic_slice(", operands_[0], ", ", Starts(1), ", ", Sizes(x),
                        ", allow_negative_indices=False)");
  }

  absl::flat_hash_map<const Instruction*, int64_t> uses_;
  absl::flat_hash_map<const Instruction*, std::string> names_;
  std::vector<std::string> operands_;
  std::string lines_;
  int64_t line_count_ = 0;
};

}  // namespace

std::optional<std::string> NumpyArray(const Literal& literal) {
  constexpr int64_t kMostElements = 64;
  if (!IsKnown(literal.shape()) || literal.element_count() > kMostElements) return std::nullopt;
  const ElementType type = literal.shape().element_type();
  const bool is_complex = IsComplex(type);
  const int64_t bits = Info(is_complex ? Info(type).component : type).bits;
  std::vector<std::string> words;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const Element element = literal.Get(i);
    words.push_back(absl::StrCat("0x", absl::Hex(element.bits)));
    if (is_complex) words.push_back(absl::StrCat("0x", absl::Hex(element.imag)));
  }
  return absl::StrCat("np.array([", absl::StrJoin(words, ", "), "], np.uint",
                      std::max<int64_t>(bits, 8), ").view(", DtypeOf(type), ").reshape(",
                      Numbers(literal.shape().dimensions()), ")");
}

std::optional<std::string> LaxProgram(const Module& module, absl::Span<const Literal> arguments,
                                      const Literal& expected) {
  constexpr int64_t kMostNames = 1;  // ten lines in all
  const Instruction* const root = module.entry()->root();
  if (module.replica_count != 1 || module.num_partitions != 1) return std::nullopt;
  Writer writer(*module.entry());
  std::vector<std::string> parameters, values, given, golden;
  for (size_t k = 0; k < arguments.size(); ++k) {
    std::optional<std::string> array = NumpyArray(arguments[k]);
    if (!array) return std::nullopt;
    given.push_back(*std::move(array));
    parameters.push_back(absl::StrCat("p", k));
  }
  const std::vector<Literal> leaves = Flatten(expected);
  for (const Literal& leaf : leaves) {
    std::optional<std::string> array = NumpyArray(leaf);
    if (!array) return std::nullopt;
    golden.push_back(*std::move(array));
  }
  const bool is_tuple = root->opcode() == Opcode::kTuple;
  for (size_t k = 0; k < (is_tuple ? root->operands().size() : 1); ++k) {
    std::optional<std::string> value = writer.Value(is_tuple ? *root->operand(k) : *root);
    if (!value) return std::nullopt;
    values.push_back(*std::move(value));
  }
  if (values.size() != golden.size() || writer.line_count() > kMostNames) return std::nullopt;
  return absl::StrCat(
      "import jax, ml_dtypes, numpy as np\njax.config.update('jax_enable_x64', True)\n",
      "def program(", absl::StrJoin(parameters, ", "), "):\n", writer.lines(), "    return [",
      absl::StrJoin(values, ", "), "]\n", "expected = [", absl::StrJoin(golden, ", "), "]\n",
      "actual = [np.asarray(each) for each in jax.jit(program)(", absl::StrJoin(given, ", "),
      ")]\n", "print('expected', *map(np.ndarray.tolist, expected))\n",
      "print('actual  ', *map(np.ndarray.tolist, actual))\n",
      "raise SystemExit([each.tobytes() for each in expected] != [each.tobytes() for each in "
      "actual])\n");
}

}  // namespace assay::fuzz
