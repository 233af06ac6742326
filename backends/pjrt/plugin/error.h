// Errors of the plug-in, and the wrapper of its functions, which accepts argument structs of any
// size and catches exceptions. Tests: plugin_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_ERROR_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_ERROR_H_

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backends/pjrt/abi/abi.h"

namespace assay::pjrt {

// Returns an error that the host must destroy, or null for OK.
PJRT_Error* ToError(const absl::Status& status);

void DestroyError(PJRT_Error_Destroy_Args* args);
void ErrorMessage(PJRT_Error_Message_Args* args);
absl::Status ErrorCode(PJRT_Error_GetCode_Args& args);
absl::Status ErrorPayloads(PJRT_Error_ForEachPayload_Args& args);

// Returns a copy of a struct up to its struct_size. Fields beyond that are zero.
template <typename Args>
Args Known(const Args* args) {
  Args known = {};
  if (args == nullptr) return known;
  std::memcpy(&known, args, std::min(args->struct_size, kStructSize<Args>));
  return known;
}

template <typename Args>
absl::Status RunGuarded(absl::Status (*function)(Args&), Args& args) {
  try {
    return function(args);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& thrown) {
    return absl::InternalError(absl::StrCat("exception: ", thrown.what()));
  } catch (...) {
    return absl::InternalError("an exception of unknown type");
  }
}

// A function of the table. It uses a copy of its arguments, so that nothing beyond struct_size is
// read or written.
template <typename Args, absl::Status (*kFunction)(Args&)>
PJRT_Error* Slot(Args* args) {
  if (args == nullptr) return ToError(absl::InvalidArgumentError("the arguments are null"));
  const size_t size = std::min(args->struct_size, kStructSize<Args>);
  Args known = Known(args);
  const absl::Status status = RunGuarded(kFunction, known);
  std::memcpy(args, &known, size);
  return ToError(status);
}

// Returns a string as data and size. It lives as long as its owner.
inline void Give(absl::string_view text, const char** data, size_t* size) {
  *data = text.data();
  *size = text.size();
}

// The extent of a list as the interface gives it.
template <typename T>
void GiveList(const std::vector<T*>& list, T* const** data, size_t* size) {
  *data = list.data();
  *size = list.size();
}

// Bytes that the host gets with a function that ends their life.
template <typename Owner>
struct Owned {
  std::string bytes;
  static Owner* New(std::string text) {
    return reinterpret_cast<Owner*>(new Owned{std::move(text)});
  }
  static const std::string& Bytes(Owner* owner) { return reinterpret_cast<Owned*>(owner)->bytes; }
  static void Delete(Owner* owner) { delete reinterpret_cast<Owned*>(owner); }
};

absl::Status NoObject(absl::string_view what);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_ERROR_H_
