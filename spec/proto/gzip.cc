// Gzip content, with bounds that stop a bomb early. Test: module_file_test.cc.
#include <zlib.h>

#include <algorithm>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/proto/module_file.h"

namespace assay {
namespace {

constexpr size_t kMaxBytes = (size_t{1} << 31) - 1;
// Above this size a module compresses far less than a thousandfold, which only a bomb does. Only
// what has been read so far counts: what follows must not excuse a bomb.
constexpr size_t kTrustedBytes = size_t{128} << 20;
constexpr size_t kMaxRatio = 100;
constexpr size_t kChunk = size_t{1} << 18;

bool IsTooLarge(size_t size, size_t consumed) {
  return size > kMaxBytes || (size > kTrustedBytes && size / kMaxRatio > consumed);
}

}  // namespace

absl::StatusOr<std::string> Decompress(std::string content, const std::string& name) {
  if (!absl::StartsWith(content, "\x1f\x8b")) return content;
  if (content.size() > kMaxBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(name, ": larger than 2 GiB compressed"));
  }
  z_stream stream = {};
  constexpr int kGzip = 16;
  if (inflateInit2(&stream, MAX_WBITS + kGzip) != Z_OK) {
    return absl::ResourceExhaustedError(absl::StrCat(name, ": no memory to decompress"));
  }
  auto end = absl::MakeCleanup([&] { inflateEnd(&stream); });
  stream.next_in = reinterpret_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  std::string result;
  while (true) {
    const size_t used = result.size();
    result.resize(used + std::max(kChunk, used / 2));
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + used);
    stream.avail_out = static_cast<uInt>(result.size() - used);
    const int code = inflate(&stream, Z_NO_FLUSH);
    result.resize(result.size() - stream.avail_out);
    const size_t consumed = content.size() - stream.avail_in;
    if (IsTooLarge(result.size(), consumed)) {
      return absl::ResourceExhaustedError(
          absl::StrCat(name, ": its first ", consumed, " bytes decompress to more than ",
                       result.size(), "; decompress it with gunzip if that is meant"));
    }
    if (code == Z_STREAM_END) {
      // Another member may follow; zero padding may, too.
      while (stream.avail_in > 0 && *stream.next_in == 0) {
        ++stream.next_in;
        --stream.avail_in;
      }
      if (stream.avail_in == 0) return result;
      if (inflateReset(&stream) != Z_OK) break;
      continue;
    }
    if (code != Z_OK || (stream.avail_in == 0 && stream.avail_out > 0)) break;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": truncated or corrupt gzip data",
                   stream.msg == nullptr ? "" : absl::StrCat(" (", stream.msg, ")")));
}

}  // namespace assay
