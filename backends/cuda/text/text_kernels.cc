#include "backends/cuda/text/text_kernels.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "backends/cuda/device/device.h"
#include "backends/cuda/kernels/parameters.h"
#include "backends/cuda/text/fusion_text.h"
#include "backends/cuda/text/kernel_sources.h"

namespace assay::cuda::text {
namespace {

// FNV-1a.
uint64_t HashOf(absl::string_view text, uint64_t hash = 0xcbf29ce484222325u) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// What a file must begin with to hold the image of a text.
std::string HeadOf(const std::string& text, const std::string& target) {
  uint64_t headers = HashOf("");
  for (const KernelSource* source = kKernelSources; source->path != nullptr; ++source) {
    headers = HashOf(source->text, headers);
  }
  return absl::StrCat("assay fusion for ", target, ", headers ", absl::Hex(headers), "\n", text,
                      "\n");
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
  namespace fs = std::filesystem;
  const std::string head = HeadOf(text, target_);
  const fs::path file = fs::path(folder_) / absl::StrCat(absl::Hex(HashOf(head)), ".fusion");
  if (!folder_.empty()) {
    std::ifstream stored(file, std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(stored), {});
    if (content.size() > head.size() && content.compare(0, head.size(), head) == 0) {
      return content.substr(head.size());
    }
  }
  ++compilations_;
  absl::StatusOr<std::string> image = compiler_->Compile(text, target_);
  if (!image.ok() || folder_.empty()) return image;
  // A file that cannot be written is made again. Others see it complete or not at all.
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path unfinished = absl::StrCat(file.string(), ".", absl::Hex(HashOf(*image)));
  std::ofstream(unfinished, std::ios::binary) << head << *image;
  fs::rename(unfinished, file, error);
  return image;
}

}  // namespace assay::cuda::text
