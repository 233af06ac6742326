#include "interpreter/shared_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "interpreter/custom_calls/targets.h"

namespace assay {
namespace {

using Function = void (*)(void* out, const void** in);

bool IsNested(const Shape& shape) { return shape.tuple_depth() > 1; }

absl::StatusOr<Literal> Call(const CustomCall& call, Function function) {
  const auto api = call.instruction.GetEnum<CustomCallApi>(Attr::kApiVersion);
  if (api != CustomCallApi::kOriginal) {
    return custom_calls::BadCall(call, "functions of a library are called by the original ABI");
  }
  const Shape& shape = call.instruction.shape();
  bool nested = IsNested(shape);
  for (const Literal& operand : call.operands) nested = nested || IsNested(operand.shape());
  if (nested) return custom_calls::BadCall(call, "tuples of tuples have no place in the ABI");
  // The tables of tuple operands stay where they are.
  std::vector<std::vector<const void*>> tables(call.operands.size());
  std::vector<const void*> in;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Literal& operand = call.operands[i];
    for (const Literal& element : operand.elements()) tables[i].push_back(element.data());
    in.push_back(operand.is_tuple() ? static_cast<const void*>(tables[i].data()) : operand.data());
  }
  std::vector<Literal> results;
  for (const Shape* element : custom_calls::ResultShapes(call)) {
    absl::StatusOr<Literal> result = call.Zeros(*element);
    if (!result.ok()) return result;
    results.push_back(*std::move(result));
  }
  std::vector<void*> out;
  for (Literal& result : results) out.push_back(result.mutable_data());
  function(shape.is_tuple() ? static_cast<void*>(out.data()) : out[0], in.data());
  return custom_calls::AsResult(call, std::move(results));
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
    const auto function = reinterpret_cast<Function>(symbol);
    registry->Register(
        target, [library, function](const CustomCall& call) { return Call(call, function); });
  }
  if (!found.empty()) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat(path, ": defines none of the module's targets: ",
                   targets.empty() ? "it has none" : absl::StrJoin(targets, ", ")));
}

}  // namespace assay
