#include "backends/cuda/checker/places.h"

#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace assay::cuda::checker {
namespace {

struct Range {
  uintptr_t first, end;
};
struct Image {
  uintptr_t base = 0;            // of the program
  std::vector<Range> constants;  // segments of all images that cannot be written
};

int AddImage(dl_phdr_info* info, size_t /*bytes*/, void* data) {
  auto* const image = static_cast<Image*>(data);
  // The first one is the program.
  if (image->constants.empty()) image->base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const bool read_only = segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0;
    const bool relocated = segment.p_type == PT_GNU_RELRO;
    if (!read_only && !relocated) continue;
    const uintptr_t first = info->dlpi_addr + segment.p_vaddr;
    image->constants.push_back({first, first + segment.p_memsz});
  }
  return 0;
}

const Image& TheImage() {
  static const auto& image = *[] {
    auto* const made = new Image;
    dl_iterate_phdr(AddImage, made);
    return made;
  }();
  return image;
}

// The output of a command; empty if it cannot be run.
std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[512];
  while (fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  pclose(pipe);
  return output;
}

}  // namespace

uint32_t OffsetOf(const void* pc) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pc) - TheImage().base);
}

std::string PlaceOf(uint32_t offset) {
  const std::string unknown = absl::StrFormat("program+0x%x", offset);
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0 || absl::StrContains(absl::string_view(program, length), '\'')) return unknown;
  program[length] = '\0';
  // The call stands before the address that it returns to. Frames are listed inside out.
  const std::string output =
      OutputOf(absl::StrFormat("addr2line -i -e '%s' 0x%x 2>&-", program, offset - 1));
  std::string place = unknown;
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    line = line.substr(0, line.find(' '));
    if (line.empty() || absl::StartsWith(line, "??")) continue;
    const size_t slash = line.rfind('/');
    place = std::string(slash == absl::string_view::npos ? line : line.substr(slash + 1));
    if (!absl::StrContains(line, "emulated_dialect.h")) break;
  }
  return place;
}

bool IsConstant(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (const Range& range : TheImage().constants) {
    if (at >= range.first && at < range.end) return true;
  }
  return false;
}

}  // namespace assay::cuda::checker
