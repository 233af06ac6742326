#include "evaluator/kernels/small_worlds.h"

#include <algorithm>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "runtime/float_environment.h"
#include "spec/ops/shape_inference.h"
#include "spec/testing/schedule.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::evaluator {
namespace {

// There are some ten million configurations, of which many read and write alike.
constexpr int64_t kStride = kScheduleStride == 1 ? 1 : 5 * kScheduleStride;

Shape ShapeOf(const SmallArray& array) {
  Shape shape(array.type, array.sizes);
  if (!array.minor_to_major.empty()) {
    Layout layout;
    layout.minor_to_major.assign(array.minor_to_major.begin(), array.minor_to_major.end());
    shape.set_layout(std::move(layout));
  }
  return shape;
}

Literal LiteralOf(const SmallArray& array) {
  Literal literal = Literal::Zeros(ShapeOf(array));
  for (size_t i = 0; i < array.values.size(); ++i) {
    const uint64_t imaginary = array.imaginary.empty() ? 0 : array.imaginary[i];
    literal.Set(static_cast<int64_t>(i), {array.values[i], imaginary});
  }
  return literal;
}

SmallArray ArrayOf(const Literal& literal) {
  const absl::Span<const int64_t> sizes = literal.shape().dimensions();
  SmallArray array{literal.element_type(), {sizes.begin(), sizes.end()}, {}};
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    array.values.push_back(literal.Get(i).bits);
    if (IsComplex(array.type)) array.imaginary.push_back(literal.Get(i).imag);
  }
  return array;
}

std::string Text(const std::vector<SmallArray>& arrays) {
  std::vector<std::string> texts;
  for (const SmallArray& array : arrays) {
    texts.push_back(absl::StrCat(std::string(Name(array.type)), "[",
                                 absl::StrJoin(array.sizes, ","), "] {",
                                 absl::StrJoin(array.values, ","), "}"));
    if (!array.imaginary.empty()) {
      absl::StrAppend(&texts.back(), " + i {", absl::StrJoin(array.imaginary, ","), "}");
    }
  }
  return absl::StrJoin(texts, ", ");
}

// Where leaves of the same shapes differ first.
std::string FirstDifference(const std::vector<SmallArray>& actual,
                            const std::vector<SmallArray>& expected) {
  for (size_t leaf = 0; leaf < std::min(actual.size(), expected.size()); ++leaf) {
    const SmallArray &a = actual[leaf], &b = expected[leaf];
    if (a.type != b.type || a.sizes != b.sizes) break;
    for (size_t i = 0; i < a.values.size(); ++i) {
      const bool imaginary = IsComplex(a.type) && a.imaginary[i] != b.imaginary[i];
      if (a.values[i] == b.values[i] && !imaginary) continue;
      return absl::StrCat("leaf ", leaf, ", element ", i, imaginary ? ", imaginary" : "", "; ");
    }
  }
  return "";
}

// The leaves that an instruction gives, by one way to run it.
absl::StatusOr<std::vector<SmallArray>> RunOn(const Instruction& instruction,
                                              const std::vector<Literal>& operands,
                                              absl::StatusOr<std::unique_ptr<Kernel>> kernel) {
  if (!kernel.ok()) return kernel.status();
  std::vector<ArrayRef> inputs;
  for (const Literal& operand : operands) inputs.push_back({&operand.shape(), operand.data()});
  std::vector<Literal> results;
  for (const Shape* leaf : Leaves(instruction.shape())) {
    results.push_back(Literal::Zeros(*leaf));
    for (int64_t i = 0; i < results.back().element_count(); ++i) results.back().Set(i, {0x5A});
  }
  std::vector<MutableArrayRef> outputs;
  for (Literal& result : results) outputs.push_back({&result.shape(), result.mutable_data()});
  EvaluationContext context;
  const runtime::FloatEnvironmentGuard guard;
  if (absl::Status status = (*kernel)->Run(inputs, outputs, context); !status.ok()) return status;
  std::vector<SmallArray> arrays;
  for (const Literal& result : results) arrays.push_back(ArrayOf(result));
  return arrays;
}

}  // namespace

int64_t CountOf(const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

int64_t PositionOf(const std::vector<int64_t>& index, const std::vector<int64_t>& sizes) {
  int64_t position = 0;
  for (size_t d = 0; d < sizes.size(); ++d) position = position * sizes[d] + index[d];
  return position;
}

void ForEach(const std::vector<int64_t>& sizes,
             const std::function<void(const std::vector<int64_t>&)>& visit) {
  const int64_t count = CountOf(sizes);
  std::vector<int64_t> index(sizes.size());
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) index[d] = rest % sizes[d];
    visit(index);
  }
}

SmallArray Counting(ElementType type, std::vector<int64_t> sizes, uint64_t first) {
  SmallArray array{type, std::move(sizes), {}};
  const int64_t count = CountOf(array.sizes);
  for (int64_t i = 0; i < count; ++i) array.values.push_back(first + static_cast<uint64_t>(i));
  return array;
}

SmallArray Scrambled(ElementType type, std::vector<int64_t> sizes, uint64_t salt) {
  SmallArray array = Counting(type, std::move(sizes), salt * 1000);
  for (uint64_t& value : array.values) {
    value = (value + 1) * 0x9E3779B97F4A7C15;
    value = EncodeInteger(type, (value ^ value >> 29) * 0xBF58476D1CE4E5B9 >> 17);
  }
  return array;
}

SmallWorlds::SmallWorlds() : programs_(std::make_shared<ProgramCache>()) {}
SmallWorlds::~SmallWorlds() = default;

Computation* SmallWorlds::Computations(const std::string& text, const std::string& name) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(
      absl::StrCat("HloModule m\n", text, "\nENTRY e { ROOT r = pred[] constant(true) }\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  modules_.push_back(*std::move(module));
  return modules_.back()->Find(name);
}

bool SmallWorlds::Check(Opcode opcode, const std::vector<const SmallArray*>& operands,
                        std::vector<Attribute> attributes,
                        const std::optional<SmallArray>& expected) {
  std::optional<std::vector<SmallArray>> leaves;
  if (expected.has_value()) leaves = {*expected};
  return CheckResult(opcode, operands, std::move(attributes), leaves);
}

bool SmallWorlds::CheckLeaves(Opcode opcode, const std::vector<const SmallArray*>& operands,
                              std::vector<Attribute> attributes,
                              const std::vector<SmallArray>& expected) {
  return CheckResult(opcode, operands, std::move(attributes), expected);
}

bool SmallWorlds::Skips() {
  if ((accepted_ + refused_ + 1) % kStride == 0) return false;
  ++accepted_;
  return true;
}

bool SmallWorlds::CheckResult(Opcode opcode, const std::vector<const SmallArray*>& operands,
                              std::vector<Attribute> attributes,
                              const std::optional<std::vector<SmallArray>>& expected) {
  ++(expected.has_value() ? accepted_ : refused_);
  if ((accepted_ + refused_) % kStride != 0) return true;
  Computation entry("e");
  std::vector<Instruction*> parameters;
  for (const SmallArray* operand : operands) {
    parameters.push_back(
        entry.Add(std::make_unique<Instruction>(Opcode::kParameter, ShapeOf(*operand))));
    parameters.back()->set_parameter_number(static_cast<int64_t>(parameters.size()) - 1);
  }
  const Shape declared =
      expected.has_value() && expected->size() == 1 ? ShapeOf(expected->front()) : Shape();
  Instruction* root = entry.Add(std::make_unique<Instruction>(opcode, declared));
  root->set_name("r");
  root->set_operands(parameters);
  for (Attribute& attribute : attributes) {
    root->SetAttribute(attribute.first, std::move(attribute.second));
  }
  auto fail = [&](absl::string_view what) {
    ADD_FAILURE() << what << "\n"
                  << root->Describe() << "\n"
                  << PrintInstruction(*root) << "\nexpected "
                  << (expected ? Text(*expected) : "a refusal") << "\nafter " << accepted_
                  << " accepted and " << refused_ << " refused";
    return false;
  };
  absl::StatusOr<Shape> shape = InferShape(*root);
  absl::Status status = shape.status();
  if (status.ok()) {
    root->set_shape(*std::move(shape));
    status = CheckInstruction(*root);
  }
  if (status.ok() != expected.has_value()) return fail(status.message());
  if (!status.ok()) {
    return status.code() == absl::StatusCode::kInvalidArgument || fail(status.message());
  }
  std::vector<Literal> literals;
  for (const SmallArray* operand : operands) literals.push_back(LiteralOf(*operand));
  for (const bool by_kernel : {true, false}) {
    const absl::StatusOr<std::vector<SmallArray>> actual =
        RunOn(*root, literals, by_kernel ? PrepareKernel(*root) : PrepareStraight(*root));
    if (!actual.ok()) return fail(actual.status().message());
    if (*actual != *expected) {
      return fail(absl::StrCat(by_kernel ? "kernel: " : "definition: ",
                               FirstDifference(*actual, *expected), Text(*actual)));
    }
  }
  return true;
}

void SmallWorlds::Report(const std::string& family) const {
  std::cout << family << ": " << accepted_ + refused_ << " configurations, " << refused_
            << " of them refused\n";
}

Axis Elements(int64_t size) {
  Axis axis;
  for (int64_t i = 0; i < size; ++i) axis.push_back(i);
  return axis;
}

Axis Dilated(const Axis& axis, int64_t holes) {
  Axis dilated;
  for (const int64_t element : axis) {
    if (!dilated.empty()) dilated.insert(dilated.end(), static_cast<size_t>(holes), -1);
    dilated.push_back(element);
  }
  return dilated;
}

std::optional<Axis> Extended(const Axis& axis, int64_t low, int64_t high) {
  const auto size = static_cast<int64_t>(axis.size());
  if (size + low + high < 0) return std::nullopt;
  Axis extended;
  for (int64_t place = -low; place < size + high; ++place) {
    extended.push_back(place >= 0 && place < size ? axis[place] : -1);
  }
  return extended;
}

std::optional<std::vector<Axis>> Windows(int64_t size, const WindowDimension& window) {
  if (window.size < 1 || window.stride < 1 || window.base_dilation < 1 ||
      window.window_dilation < 1) {
    return std::nullopt;
  }
  const std::optional<Axis> base = Extended(Dilated(Elements(size), window.base_dilation - 1),
                                            window.padding_low, window.padding_high);
  if (!base) return std::nullopt;
  const int64_t reach = (window.size - 1) * window.window_dilation;  // of the last position
  std::vector<Axis> windows;
  for (int64_t first = 0; first + reach < static_cast<int64_t>(base->size());
       first += window.stride) {
    Axis covered;
    for (int64_t k = 0; k < window.size; ++k) {
      covered.push_back((*base)[first + k * window.window_dilation]);
    }
    windows.push_back(std::move(covered));
  }
  return windows;
}

}  // namespace assay::evaluator
