#include "backends/pjrt/plugin/python_callback.h"

#include <atomic>
#include <cctype>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backends/pjrt/plugin/client.h"

namespace assay::pjrt {
namespace {

constexpr char kTarget[] = "assay_python_callback";

// The number in "index = 3" of `{index = 3 : ui64}`; none where there is not one.
std::optional<int64_t> IndexOf(absl::string_view config) {
  size_t at = config.find("index");
  if (at == absl::string_view::npos) return std::nullopt;
  at += 5;
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (at < config.size() && !is_digit(config[at])) ++at;
  size_t end = at;
  while (end < config.size() && is_digit(config[end])) ++end;
  int64_t index = 0;
  if (!absl::SimpleAtoi(config.substr(at, end - at), &index)) return std::nullopt;
  return index;
}

absl::StatusOr<Literal> CallPython(PJRT_Client& client, const CustomCall& call) {
  const std::optional<int64_t> index = IndexOf(call.instruction.annotations().backend_config);
  if (!index) {
    return absl::InvalidArgumentError(
        absl::StrCat("the backend configuration has no index: ", call.instruction.Describe()));
  }
  std::vector<const void*> arguments;
  for (const Literal& operand : call.operands) {
    for (const Literal& leaf : Flatten(operand)) {
      if (leaf.is_array()) arguments.push_back(leaf.data());
    }
  }
  std::vector<Literal> leaves;
  std::vector<void*> results;
  for (const Shape* shape : Leaves(call.instruction.shape())) {
    if (!shape->is_array()) {
      leaves.push_back(Literal::Token());
      continue;
    }
    absl::StatusOr<Literal> zeros = call.Zeros(*shape);
    if (!zeros.ok()) return zeros;
    leaves.push_back(*std::move(zeros));
    results.push_back(leaves.back().mutable_data());
  }
  char error[4096] = {};
  ++client.callbacks;
  const int32_t failed = client.options.python_callback(*index, arguments.data(), results.data(),
                                                        error, sizeof(error));
  --client.callbacks;
  if (failed != 0) {
    error[sizeof(error) - 1] = '\0';
    return absl::InternalError(absl::StrCat("a Python callback failed: ", error));
  }
  return Unflatten(call.instruction.shape(), leaves);
}

}  // namespace

void RegisterPythonCallback(PJRT_Client& client) {
  if (client.options.python_callback == nullptr) return;
  client.custom_calls.Register(
      kTarget, [&client](const CustomCall& call) { return CallPython(client, call); });
}

CallbackUses::CallbackUses(const Module& module, const ClientOptions& options) {
  if (options.python_uses == nullptr) return;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kCustomCall ||
          instruction->GetString(Attr::kCustomCallTarget) != kTarget) {
        continue;
      }
      const std::optional<int64_t> index = IndexOf(instruction->annotations().backend_config);
      if (!index || *index < 0 || *index >= options.python_uses_size) continue;
      counts_.push_back(options.python_uses + *index);
      std::atomic_ref<int64_t>(*counts_.back()).fetch_add(1);
    }
  }
}

CallbackUses::~CallbackUses() {
  for (int64_t* count : counts_) std::atomic_ref<int64_t>(*count).fetch_sub(1);
}

}  // namespace assay::pjrt
