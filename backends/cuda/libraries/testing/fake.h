// What the recording fake of NVIDIA's libraries shares. The fake is a library that exports the
// functions of functions.def, records every call, checks what the real libraries document that they
// check, and computes on the host, by simple loops, in the order of an emulated device's stream.
// Used by: libraries_test.cc, and the command with
// ASSAY_CUDA_LIBRARIES=build/release/fake_libraries.
#ifndef ASSAY_BACKENDS_CUDA_LIBRARIES_TESTING_FAKE_H_
#define ASSAY_BACKENDS_CUDA_LIBRARIES_TESTING_FAKE_H_

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/device/api.h"
#include "backends/cuda/libraries/library_functions.h"

#define ASSAY_FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace assay::cuda::libraries::fake {

// Counts a call, and returns the error with which it fails; 0 if it does not.
int Called(const char* function);
#define ASSAY_FAKE_CALL() \
  if (const int error = ::assay::cuda::libraries::fake::Called(__func__); error != 0) return error

// Adds a line to the record: the function and what it was given.
void Record(const std::string& line);
// Counts an object that has been made (1) or destroyed (-1).
void CountObject(int change);
// Executes a task in the order of the stream. Returns false if no device has the stream.
bool Enqueue(StreamHandle* stream, std::function<void()> task);
// Executes a task once all streams have come to it; they go on when it is done.
bool EnqueueTogether(const std::vector<StreamHandle*>& streams, std::function<void()> task);

// A handle or descriptor.
template <typename T>
int Make(void** made, T value = {}) {
  *made = new T(std::move(value));
  CountObject(1);
  return 0;
}
template <typename T>
int Destroy(void* object) {
  delete static_cast<T*>(object);
  CountObject(-1);
  return 0;
}

using Number = std::complex<double>;
// An element of an array of a cudaDataType.
Number Get(int type, const void* array, int64_t at);
void Set(int type, void* array, int64_t at, Number value);
int64_t BytesOf(int type);

}  // namespace assay::cuda::libraries::fake

#endif  // ASSAY_BACKENDS_CUDA_LIBRARIES_TESTING_FAKE_H_
