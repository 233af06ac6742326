// Runs programs on the CUDA backend over an emulated runtime, for its tests.
#ifndef ASSAY_BACKENDS_CUDA_TESTING_PROGRAMS_H_
#define ASSAY_BACKENDS_CUDA_TESTING_PROGRAMS_H_

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/cuda/cuda_backend.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::cuda::testing {

inline std::unique_ptr<CudaBackend> BackendOver(std::shared_ptr<Api> api, bool fuse,
                                                GraphUse graphs = GraphUse::kFromSecondRun) {
  auto backend = CudaBackend::Create(
      "cuda-emulated", std::move(api),
      {.fuse = fuse ? FusionTier::kBytecode : FusionTier::kKernels, .graphs = graphs});
  EXPECT_TRUE(backend.ok()) << backend.status();
  return *std::move(backend);
}

inline std::unique_ptr<Module> ParsedModule(const std::string& text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return *std::move(module);
}

inline Literal Floats(const std::vector<float>& values) {
  Literal literal = Literal::Zeros(Shape(ElementType::kF32, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), reinterpret_cast<float*>(literal.mutable_data()));
  return literal;
}

// Whether results are the same arrays bit for bit; tokens are alike.
inline bool AreEqual(const std::vector<Literal>& a, const std::vector<Literal>& b) {
  bool equal = a.size() == b.size();
  for (size_t i = 0; equal && i < a.size(); ++i) {
    equal = a[i].is_array() ? Literal::BitEqual(a[i], b[i]) : !b[i].is_array();
  }
  return equal;
}

// Runs an executable with the arguments of each device. Returns the results of all devices.
inline absl::StatusOr<std::vector<Literal>> Execute(
    Backend& backend, Executable& executable, const std::vector<std::vector<Literal>>& arguments) {
  std::vector<BufferHandle> buffers;
  std::vector<ExecuteInputs> inputs;
  for (size_t device = 0; device < arguments.size(); ++device) {
    ExecuteInputs each;
    for (const Literal& argument : arguments[device]) {
      auto buffer = backend.Upload(argument, static_cast<int64_t>(device));
      if (!buffer.ok()) return buffer.status();
      buffers.push_back(*std::move(buffer));
      each.arguments.emplace_back(buffers.back().get());
    }
    inputs.push_back(std::move(each));
  }
  const auto ran = executable.Execute(inputs);
  if (!ran.ok()) return ran.status();
  std::vector<Literal> results;
  for (const ExecuteOutputs& outputs : ran->devices) {
    for (const BufferHandle& result : outputs.results) {
      auto value = backend.Download(*result);
      if (!value.ok()) return value.status();
      results.push_back(*std::move(value));
    }
  }
  return results;
}

}  // namespace assay::cuda::testing

#endif  // ASSAY_BACKENDS_CUDA_TESTING_PROGRAMS_H_
