#include "python/core/custom_calls.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "absl/strings/str_cat.h"
#include "spec/element/element_type.h"

namespace assay::python {
namespace {

// A function that is let go of in whatever thread.
std::shared_ptr<nb::object> Share(nb::object function) {
  return {new nb::object(std::move(function)), [](nb::object* held) {
            if (!nb::is_alive()) return;
            const nb::gil_scoped_acquire lock;
            delete held;
          }};
}

// An element type and sizes for each array that the call returns.
nb::list ResultsOfCall(const std::vector<const Shape*>& leaves) {
  nb::list results;
  for (const Shape* leaf : leaves) {
    if (!leaf->is_array()) continue;
    nb::list sizes;
    for (const int64_t size : leaf->dimensions()) sizes.append(size);
    results.append(nb::make_tuple(std::string(Name(leaf->element_type())), sizes));
  }
  return results;
}

nb::list OperandsOfCall(const CustomCall& call) {
  nb::list operands;
  for (const Literal& operand : call.operands) {
    for (Literal& leaf : Flatten(operand)) {
      if (leaf.is_array()) operands.append(nb::cast(Array{std::move(leaf)}));
    }
  }
  return operands;
}

absl::Status DoesNotFit(const CustomCall& call, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("the Python function for the custom call target \"",
                   call.instruction.GetString(Attr::kCustomCallTarget), "\" ", why, ": ",
                   call.instruction.Describe()));
}

// The value of the call from the arrays that the function returned; tokens have none.
absl::StatusOr<Literal> ValueOf(const CustomCall& call, std::vector<Array> arrays,
                                const std::vector<const Shape*>& leaves) {
  std::vector<Literal> values;
  size_t next = 0;
  for (const Shape* leaf : leaves) {
    if (!leaf->is_array()) {
      values.push_back(Literal::Token());
      continue;
    }
    if (next == arrays.size()) return DoesNotFit(call, "returned too few arrays");
    Literal& value = arrays[next++].value;
    if (!Shape::Compatible(value.shape(), *leaf)) {
      return DoesNotFit(
          call, absl::StrCat("returned ", value.shape().ToString(), ", not ", leaf->ToString()));
    }
    values.push_back(std::move(value));
  }
  if (next != arrays.size()) return DoesNotFit(call, "returned too many arrays");
  return Unflatten(call.instruction.shape(), values);
}

absl::StatusOr<Literal> CallFunction(const nb::object& function, const CustomCall& call,
                                     Interruption& interruption) {
  const std::vector<const Shape*> leaves = Leaves(call.instruction.shape());
  std::vector<Array> arrays;
  {
    const nb::gil_scoped_acquire lock;
    try {
      const std::string& config = call.instruction.annotations().backend_config;
      arrays = nb::cast<std::vector<Array>>(function(
          call.instruction.GetString(Attr::kCustomCallTarget),
          nb::bytes(config.data(), config.size()), ResultsOfCall(leaves), OperandsOfCall(call)));
    } catch (nb::python_error& error) {
      return StatusOfException(error, interruption);
    } catch (const nb::cast_error&) {
      return DoesNotFit(call, "did not return a list of arrays");
    }
  }
  return ValueOf(call, std::move(arrays), leaves);
}

}  // namespace

std::unique_ptr<CustomCallRegistry> RegistryOf(const nb::dict& functions,
                                               Interruption& interruption) {
  if (functions.size() == 0) return nullptr;
  auto registry = std::make_unique<CustomCallRegistry>();
  for (const auto& [target, function] : functions) {
    registry->Register(nb::cast<std::string>(target),
                       [held = Share(nb::borrow(function)), &interruption](const CustomCall& call) {
                         return CallFunction(*held, call, interruption);
                       });
  }
  return registry;
}

}  // namespace assay::python
