// A PJRT plug-in that is loaded into this process. It calls the functions of the table with padding
// behind every struct, and checks all results. Tests: driver_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_DRIVER_PLUGIN_LIBRARY_H_
#define ASSAY_BACKENDS_PJRT_DRIVER_PLUGIN_LIBRARY_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/pjrt/abi/abi.h"

namespace assay::pjrt {

// A struct of arguments followed by zeros, with a larger struct_size than it has. A plug-in of a
// later version, whose structs have more fields, reads zeros there, while it would reject a smaller
// struct.
template <typename Args>
struct Padded {
  static constexpr size_t kRoom = 64;
  Padded() { args.struct_size = kStructSize<Args> + kRoom; }
  Args* operator->() { return &args; }
  Args args = {};
  std::byte room[4 * kRoom] = {};
};

class PluginLibrary {
 public:
  // Opens the library, which stays open as long as the process, and checks its table. Returns
  // INVALID_ARGUMENT, with a message of one line, for a file that is not a plug-in, another major
  // version of the interface, or a minor version before kOldestMinor.
  static absl::StatusOr<PluginLibrary> Open(const std::string& path);
  static constexpr int32_t kOldestMinor = 57;  // before it the table had another order

  // Returns true if the plug-in has the function.
  template <typename Function>
  bool Has(Function PJRT_Api::*slot) const {
    return Reaches(OffsetOf(slot)) && api_->*slot != nullptr;
  }
  // Calls a function. Returns its error with the plug-in's code and message, or UNIMPLEMENTED if
  // the plug-in does not have the function.
  template <typename Args>
  absl::Status Call(PJRT_Error* (*PJRT_Api::*slot)(Args*), Padded<Args>& args) const {
    if (!Has(slot)) return Missing(OffsetOf(slot));
    return StatusOf((api_->*slot)(&args.args));
  }
  // Waits for an event and destroys it. Returns INTERNAL for a null event.
  absl::Status Await(PJRT_Event* event) const;

  int32_t minor_version() const { return api_->pjrt_api_version.minor_version; }

 private:
  explicit PluginLibrary(const PJRT_Api* api) : api_(api) {}

  template <typename Function>
  size_t OffsetOf(Function PJRT_Api::*slot) const {
    return static_cast<size_t>(reinterpret_cast<const char*>(&(api_->*slot)) -
                               reinterpret_cast<const char*>(api_));
  }
  bool Reaches(size_t offset) const { return offset + sizeof(void*) <= api_->struct_size; }
  static absl::Status Missing(size_t offset);
  // Converts the error to a status and destroys it.
  absl::Status StatusOf(PJRT_Error* error) const;

  const PJRT_Api* api_;
};

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_PLUGIN_LIBRARY_H_
