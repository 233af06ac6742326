#include "interpreter/shared_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

// What functions of a library get for their status, opaque to them.
struct XlaCustomCallStatus {
  std::optional<std::string> failure;
};

void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) { status->failure.reset(); }

void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                   size_t length) {
  // As XLA's: the message ends with its first NUL, if it has one.
  status->failure.emplace(message, strnlen(message, length));
}

namespace assay {
namespace {

// The ABIs (hlo CustomCallApiVersion 1 to 3).
using Original = void (*)(void* out, const void** in);
using StatusReturning = void (*)(void* out, const void** in, XlaCustomCallStatus* status);
using StatusReturningUnified = void (*)(void* out, const void** in, const char* opaque,
                                        size_t opaque_length, XlaCustomCallStatus* status);

bool IsNested(const Shape& shape) { return shape.tuple_depth() > 1; }

// Calls by the ABI that the instruction names.
absl::Status CallBy(const CustomCall& call, void* function, void* out, const void** in) {
  XlaCustomCallStatus status;
  switch (call.instruction.GetEnum<CustomCallApi>(Attr::kApiVersion)) {
    case CustomCallApi::kOriginal:
      reinterpret_cast<Original>(function)(out, in);
      break;
    case CustomCallApi::kStatusReturning:
      reinterpret_cast<StatusReturning>(function)(out, in, &status);
      break;
    case CustomCallApi::kStatusReturningUnified: {
      const std::string& opaque = call.instruction.annotations().backend_config;
      reinterpret_cast<StatusReturningUnified>(function)(out, in, opaque.data(), opaque.size(),
                                                         &status);
      break;
    }
    default:
      return runtime::custom_calls::BadCall(
          call, "functions of a library have the ABI version 1, 2 or 3");
  }
  if (!status.failure) return absl::OkStatus();
  return runtime::custom_calls::BadCall(call,
                                        absl::StrCat("the function fails: ", *status.failure));
}

absl::StatusOr<Literal> Call(const CustomCall& call, void* function) {
  const Shape& shape = call.instruction.shape();
  bool nested = IsNested(shape);
  for (const Literal& operand : call.operands) nested = nested || IsNested(operand.shape());
  if (nested)
    return runtime::custom_calls::BadCall(call, "tuples of tuples have no place in the ABI");
  // The tables of tuple operands stay where they are.
  std::vector<std::vector<const void*>> tables(call.operands.size());
  std::vector<const void*> in;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Literal& operand = call.operands[i];
    for (const Literal& element : operand.elements()) tables[i].push_back(element.data());
    in.push_back(operand.is_tuple() ? static_cast<const void*>(tables[i].data()) : operand.data());
  }
  std::vector<Literal> results;
  for (const Shape* element : runtime::custom_calls::ResultShapes(call)) {
    absl::StatusOr<Literal> result = call.Zeros(*element);
    if (!result.ok()) return result;
    results.push_back(*std::move(result));
  }
  std::vector<void*> out;
  for (Literal& result : results) out.push_back(result.mutable_data());
  const absl::Status status =
      CallBy(call, function, shape.is_tuple() ? static_cast<void*>(out.data()) : out[0], in.data());
  if (!status.ok()) return status;
  return runtime::custom_calls::AsResult(call, std::move(results));
}

}  // namespace

absl::Status RegisterSharedLibrary(const std::string& path, const Module& module,
                                   CustomCallRegistry* registry) {
  // Without a slash it would be looked up among the system's libraries.
  const std::string name = path.find('/') == std::string::npos ? absl::StrCat("./", path) : path;
  void* opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be opened: ", dlerror()));
  }
  const std::shared_ptr<void> library(opened, [](void* handle) { dlclose(handle); });
  std::set<std::string> targets, found;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kCustomCall) continue;
      targets.insert(instruction->GetString(Attr::kCustomCallTarget));
    }
  }
  for (const std::string& target : targets) {
    void* symbol = dlsym(opened, target.c_str());
    if (symbol == nullptr) continue;
    found.insert(target);
    registry->Register(target,
                       [library, symbol](const CustomCall& call) { return Call(call, symbol); });
  }
  if (!found.empty()) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat(path, ": defines none of the module's targets: ",
                   targets.empty() ? "it has none" : absl::StrJoin(targets, ", ")));
}

}  // namespace assay
