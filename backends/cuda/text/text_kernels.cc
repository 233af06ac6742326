#include "backends/cuda/text/text_kernels.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backends/cuda/device/device.h"
#include "backends/cuda/kernels/parameters.h"
#include "backends/cuda/text/fusion_text.h"
#include "backends/cuda/text/kernel_sources.h"
#include "spec/stable_hash.h"

namespace assay::cuda::text {
namespace {

namespace fs = std::filesystem;

// What a file must begin with to hold the image of a text.
std::string HeadOf(const std::string& text, const std::string& target) {
  uint64_t headers = kEmptyHash;
  for (const KernelSource* source = kKernelSources; source->path != nullptr; ++source) {
    headers = StableHash(source->text, headers);
  }
  return absl::StrCat("assay fusion for ", target, ", headers ", absl::Hex(headers), "\n", text,
                      "\n");
}

// The line between the head and the image.
std::string HashLineOf(absl::string_view image) {
  return absl::StrCat(absl::Hex(StableHash(image), absl::kZeroPad16), "\n");
}

// Returns the image of a file. Returns nothing if the file is missing or damaged, or has another
// head.
std::optional<std::string> ReadImage(const fs::path& file, const std::string& head) {
  std::ifstream stored(file, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(stored), {});
  if (!absl::StartsWith(content, head)) return std::nullopt;
  const absl::string_view rest = absl::string_view(content).substr(head.size());
  const absl::string_view image = rest.substr(std::min(rest.size(), HashLineOf("").size()));
  if (!absl::StartsWith(rest, HashLineOf(image))) return std::nullopt;
  return std::string(image);
}

// Writes a file, which others see complete or not at all, under another name first. Leaves nothing
// if that fails: the image is then compiled again.
void WriteImage(const fs::path& file, const fs::path& unfinished, const std::string& head,
                const std::string& image) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(unfinished, std::ios::binary);
  out << head << HashLineOf(image) << image;
  out.close();
  if (out.good()) fs::rename(unfinished, file, error);
  if (!out.good() || error) fs::remove(unfinished, error);
}

}  // namespace

absl::StatusOr<std::shared_ptr<TextKernels>> TextKernels::Create(std::shared_ptr<Api> api,
                                                                 std::string folder) {
  const std::string target = api->TextTarget();
  absl::StatusOr<std::unique_ptr<TextCompiler>> compiler =
      target == "host" ? FindHostCompiler() : LoadNvrtc();
  if (!compiler.ok()) return compiler.status();
  return std::make_shared<TextKernels>(std::move(api), *std::move(compiler), target,
                                       std::move(folder));
}

absl::StatusOr<const Entry*> TextKernels::Find(const KernelLaunch& launch, const KernelPlan& plan) {
  const std::optional<std::string> text = FusionText(launch, plan);
  if (!text.has_value()) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(*text);
  if (found != entries_.end()) return &found->second;
  absl::StatusOr<std::string> image = ImageOf(*text);
  if (!image.ok()) return image.status();
  Entry entry;
  const Error error = api_->LoadKernel(image->data(), image->size(), kKernelName, &entry);
  if (error != Error::kSuccess) return ToStatus(*api_, error, "loading a generated kernel", 0);
  entry.name = kKernelName;
  entry.parameter_count = 1;
  entry.parameter_bytes = sizeof(ElementwiseParameter);
  return &entries_.emplace(*text, entry).first->second;
}

absl::StatusOr<std::string> TextKernels::ImageOf(const std::string& text) {
  const std::string head = HeadOf(text, target_);
  const fs::path file = fs::path(folder_) / absl::StrCat(absl::Hex(StableHash(head)), ".fusion");
  if (!folder_.empty()) {
    if (std::optional<std::string> image = ReadImage(file, head)) return *std::move(image);
  }
  absl::StatusOr<std::string> image = compiler_->Compile(text, target_);
  if (!image.ok() || folder_.empty()) return image;
  // Processes, and backends of one process, may write the same file at the same time.
  const fs::path unfinished =
      absl::StrCat(file.string(), ".", getpid(), ".", absl::Hex(reinterpret_cast<uintptr_t>(this)));
  WriteImage(file, unfinished, head, *image);
  return image;
}

}  // namespace assay::cuda::text
