// NVRTC, loaded while the program runs, so that programs need no CUDA library.
#include <dlfcn.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/text/kernel_sources.h"
#include "backends/cuda/text/text_compiler.h"

namespace assay::cuda::text {
namespace {

// The types of <cstdint>, for which NVRTC has no header.
constexpr char kStandardIntegers[] =
    "#pragma once\n"
    "typedef signed char int8_t;\ntypedef short int16_t;\ntypedef int int32_t;\n"
    "typedef long int64_t;\ntypedef unsigned char uint8_t;\ntypedef unsigned short uint16_t;\n"
    "typedef unsigned int uint32_t;\ntypedef unsigned long uint64_t;\n";

// The functions of nvrtc.h, version 13.0. A program is a pointer, and 0 is success.
struct NvrtcFunctions {
  int (*create)(void** program, const char* text, const char* name, int headers,
                const char* const* sources, const char* const* names) = nullptr;
  int (*compile)(void* program, int options, const char* const* values) = nullptr;
  int (*destroy)(void** program) = nullptr;
  int (*log_size)(void* program, size_t* bytes) = nullptr;
  int (*log)(void* program, char* text) = nullptr;
  int (*cubin_size)(void* program, size_t* bytes) = nullptr;
  int (*cubin)(void* program, char* bytes) = nullptr;
  int (*ptx_size)(void* program, size_t* bytes) = nullptr;
  int (*ptx)(void* program, char* text) = nullptr;
};

class Nvrtc : public TextCompiler {
 public:
  explicit Nvrtc(const NvrtcFunctions& functions) : functions_(functions) {
    sources_.push_back(kStandardIntegers);
    names_.push_back("cstdint");
    for (const KernelSource* source = kKernelSources; source->path != nullptr; ++source) {
      sources_.push_back(source->text);
      names_.push_back(source->path);
    }
  }

  absl::StatusOr<std::string> Compile(const std::string& text, const std::string& target) override {
    absl::StatusOr<WithPtx> compiled = CompileWithPtx(text, target);
    if (!compiled.ok()) return compiled.status();
    return target.rfind("compute_", 0) == 0 ? std::move(compiled->ptx) : std::move(compiled->image);
  }

  absl::StatusOr<WithPtx> CompileWithPtx(const std::string& text,
                                         const std::string& target) override {
    void* program = nullptr;
    int error = functions_.create(&program, text.c_str(), "fusion.cu",
                                  static_cast<int>(names_.size()), sources_.data(), names_.data());
    if (error != 0) return absl::InternalError(absl::StrCat("nvrtcCreateProgram: error ", error));
    const std::string architecture = absl::StrCat("-arch=", target);
    const char* const options[] = {architecture.c_str(), "--std=c++20", "-fmad=false",
                                   "--device-int128"};
    error = functions_.compile(program, 4, options);
    absl::StatusOr<WithPtx> compiled;
    if (error != 0) {
      compiled =
          absl::InternalError(absl::StrCat("nvrtcCompileProgram: error ", error, ":\n",
                                           Output(program, functions_.log_size, functions_.log)));
    } else {
      compiled = WithPtx{Output(program, functions_.cubin_size, functions_.cubin),
                         Output(program, functions_.ptx_size, functions_.ptx)};
    }
    functions_.destroy(&program);
    return compiled;
  }

 private:
  static std::string Output(void* program, int (*size)(void*, size_t*), int (*get)(void*, char*)) {
    size_t bytes = 0;
    if (size(program, &bytes) != 0) return "";
    std::string output(bytes, '\0');
    if (get(program, output.data()) != 0) return "";
    return output;
  }

  const NvrtcFunctions functions_;
  std::vector<const char*> sources_, names_;  // of the headers
};

}  // namespace

absl::StatusOr<std::unique_ptr<TextCompiler>> LoadNvrtc() {
  const char* const named = std::getenv("ASSAY_NVRTC");
  const char* const file = named == nullptr ? "libnvrtc.so.13" : named;
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    return absl::UnimplementedError(
        absl::StrCat("NVRTC is missing (", reason == nullptr ? file : reason, ")"));
  }
  NvrtcFunctions functions;
  bool is_complete = true;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    is_complete = is_complete && function != nullptr;
  };
  find("nvrtcCreateProgram", functions.create);
  find("nvrtcCompileProgram", functions.compile);
  find("nvrtcDestroyProgram", functions.destroy);
  find("nvrtcGetProgramLogSize", functions.log_size);
  find("nvrtcGetProgramLog", functions.log);
  find("nvrtcGetCUBINSize", functions.cubin_size);
  find("nvrtcGetCUBIN", functions.cubin);
  find("nvrtcGetPTXSize", functions.ptx_size);
  find("nvrtcGetPTX", functions.ptx);
  if (!is_complete) {
    dlclose(library);
    return absl::UnimplementedError(
        absl::StrCat("NVRTC is missing (", file, " is another library)"));
  }
  return std::make_unique<Nvrtc>(functions);
}

}  // namespace assay::cuda::text
