#include "backends/cuda/text/fusion_text.h"

#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/kernels/parameters.h"

namespace assay::cuda::text {
namespace {

// Reads the bytes of a program, which are those of consecutive arrays.
class CodeReader {
 public:
  explicit CodeReader(const std::vector<std::byte>& code) : code_(code) {}
  template <typename T>
  std::vector<T> Next(int64_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), code_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
    return values;
  }

 private:
  const std::vector<std::byte>& code_;
  size_t at_ = 0;
};

std::string TextOf(bool value) { return value ? "true" : "false"; }

std::string TextOf(const ElementRow& row) {
  return absl::StrCat("ElementRow{", row.kind, ", ", row.bits, ", ", row.bytes, ", ",
                      row.exponent_bits, ", ", row.significand_bits, ", ", row.nan, ", ",
                      row.overflow, ", ", TextOf(row.has_infinity), ", ", TextOf(row.has_sign),
                      ", ", TextOf(row.signed_zero), ", ", row.bias, "}");
}

std::string TextOf(const Step& step) {
  return absl::StrCat("Step{static_cast<Op>(", static_cast<int>(step.op), "), ", step.direction,
                      ", ", TextOf(step.total_order), ", ", step.exponent_bits, ", ",
                      step.mantissa_bits, ", ", TextOf(step.in), ", ", TextOf(step.out),
                      ", {0, 0, 0}, 0}");
}

std::string TextOf(const Value& value) {
  return absl::StrCat("Value{", value.bits, "ull, ", value.imag, "ull}");
}

std::string RegisterName(int16_t number) {
  return number >= kConstantBase ? absl::StrCat("c", number - kConstantBase)
                                 : absl::StrCat("r", number);
}

// Appends the constants of the text: a row, a step or a value each.
template <typename T>
void AppendConstants(const std::vector<T>& values, const char* type, const char* name,
                     std::string& text) {
  for (size_t k = 0; k < values.size(); ++k) {
    absl::StrAppend(&text, "  constexpr ", type, " ", name, k, " = ", TextOf(values[k]), ";\n");
  }
}

void AppendInputs(const ElementwiseParameter& p, std::string& text) {
  for (int k = 0; k < p.inputs; ++k) {
    std::string at = "i";
    if (p.in_scalar[k] != 0) at = "0";
    if (p.in_strided[k] != 0) at = absl::StrCat("Position(p.box, p.strides[", k, "], i)");
    absl::StrAppend(&text, "    r", k, " = Convert(in", k, ", t", k, ", Load(in", k, ", p.in[", k,
                    "], ", at, "));\n");
  }
}

const std::vector<std::byte>* CodeOf(const KernelLaunch& launch, const KernelPlan& plan) {
  constexpr auto kAt = offsetof(ElementwiseParameter, program) + offsetof(Program, code);
  for (const PointerSlot& slot : launch.pointers) {
    if (slot.at != static_cast<int32_t>(kAt)) continue;
    if (slot.buffer.kind != BufferUse::Kind::kConstant) return nullptr;
    return &plan.constants[slot.buffer.number];
  }
  return nullptr;
}

}  // namespace

std::optional<std::string> FusionText(const KernelLaunch& launch, const KernelPlan& plan) {
  if (launch.entry != "Elementwise") return std::nullopt;
  ElementwiseParameter p;
  std::memcpy(&p, launch.parameter.data(), sizeof p);
  const std::vector<std::byte>* const code = CodeOf(launch, plan);
  if (code == nullptr || p.program.steps < 2) return std::nullopt;
  CodeReader reader(*code);
  const auto constants = reader.Next<Value>(p.program.constants);
  const auto steps = reader.Next<Step>(p.program.steps);
  const auto types = reader.Next<ElementRow>(p.program.inputs + p.program.results);
  const auto results = reader.Next<int16_t>(p.program.results);
  std::string text = absl::StrCat(
      "#include \"backends/cuda/kernels/text_kernel.h\"\n\n"
      "namespace assay::cuda::ASSAY_CUDA_BUILD {\n\nASSAY_TEXT_KERNEL(",
      kKernelName, ") {\n");
  AppendConstants(std::vector<ElementRow>(p.in_rows, p.in_rows + p.inputs), "ElementRow", "in",
                  text);
  AppendConstants(std::vector<ElementRow>(p.out_rows, p.out_rows + p.outputs), "ElementRow", "out",
                  text);
  AppendConstants(types, "ElementRow", "t", text);
  AppendConstants(constants, "Value", "c", text);
  AppendConstants(steps, "Step", "s", text);
  absl::StrAppend(&text, "  for (int64_t i = FirstIndex(); i < p.count; i += GridStride()) {\n");
  for (int k = 0; k < p.program.registers; ++k) absl::StrAppend(&text, "    Value r", k, ";\n");
  AppendInputs(p, text);
  for (size_t k = 0; k < steps.size(); ++k) {
    absl::StrAppend(&text, "    ", RegisterName(steps[k].result), " = ApplyCase<s", k, ".op, s", k,
                    ".in.kind>(s", k, ", ", RegisterName(steps[k].operands[0]), ", ",
                    RegisterName(steps[k].operands[1]), ", ", RegisterName(steps[k].operands[2]),
                    ");\n");
  }
  for (int k = 0; k < p.outputs; ++k) {
    absl::StrAppend(&text, "    Store(out", k, ", p.out[", k, "], i, Convert(t",
                    p.program.inputs + k, ", out", k, ", ", RegisterName(results[k]), "));\n");
  }
  absl::StrAppend(&text, "  }\n}\n\n}  // namespace assay::cuda::ASSAY_CUDA_BUILD\n");
  return text;
}

}  // namespace assay::cuda::text
