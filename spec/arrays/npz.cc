// Archives of arrays, and files whose content tells what they are. Test: arrays_test.cc.
#include <sys/stat.h>
#include <zip.h>

#include <memory>
#include <new>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/arrays/arrays.h"
#include "spec/arrays/memory_json.h"
#include "spec/files/file_io.h"
#include "spec/proto/module_file.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

// Deflate cannot shrink data more than this.
constexpr uint64_t kMaxDeflateRatio = 1040;
constexpr uint64_t kDeflateSlack = 1024;

struct ZipDiscard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct ZipFileClose {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, ZipDiscard>;
using Member = std::unique_ptr<zip_file_t, ZipFileClose>;

absl::Status ZipError(absl::string_view what, zip_error_t* error) {
  return absl::InvalidArgumentError(absl::StrCat(what, ": ", zip_error_strerror(error)));
}

// The archive reads from `content`, which must outlive it.
absl::StatusOr<Archive> OpenArchive(const std::string& content) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(content.data(), content.size(), 0, &error);
  zip_t* archive = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive == nullptr) {
    if (source != nullptr) zip_source_free(source);
    absl::Status status = ZipError("it is not a .npz file of numpy", &error);
    zip_error_fini(&error);
    return status;
  }
  zip_error_fini(&error);
  return Archive(archive);
}

// What the directory says of a member's size must be possible before it is believed.
absl::Status CheckSize(const zip_stat_t& info, uint64_t archive_bytes, int64_t bytes_left) {
  constexpr uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if ((info.valid & kNeeded) != kNeeded || info.comp_size > archive_bytes ||
      info.size / kMaxDeflateRatio > info.comp_size + kDeflateSlack) {
    return absl::InvalidArgumentError("the sizes in the archive's directory are impossible");
  }
  if (info.comp_method != ZIP_CM_STORE && info.comp_method != ZIP_CM_DEFLATE) {
    return absl::InvalidArgumentError("it is neither stored nor deflated");
  }
  if (info.size > static_cast<uint64_t>(bytes_left)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "it takes ", info.size, " bytes, more than the ", bytes_left, " that are left"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadMember(zip_t* archive, zip_uint64_t index, uint64_t size) {
  Member file(zip_fopen_index(archive, index, 0));
  if (file == nullptr) return ZipError("cannot be read", zip_get_error(archive));
  std::string content;
  try {
    content.resize(size);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there is no memory for its ", size, " bytes"));
  }
  uint64_t done = 0;
  while (done < size) {
    const zip_int64_t count = zip_fread(file.get(), content.data() + done, size - done);
    if (count < 0) return ZipError("cannot be read", zip_file_get_error(file.get()));
    if (count == 0) return absl::InvalidArgumentError("it is shorter than the directory says");
    done += count;
  }
  // Reading on to the end checks the checksum.
  char more;
  const zip_int64_t rest = zip_fread(file.get(), &more, 1);
  if (rest < 0) return ZipError("cannot be read", zip_file_get_error(file.get()));
  if (rest > 0) return absl::InvalidArgumentError("it is longer than the directory says");
  return content;
}

// "arg0@bf16.npy" is "arg0" and "bf16".
std::pair<std::string, std::string> SplitMemberName(absl::string_view member) {
  absl::ConsumeSuffix(&member, ".npy");
  std::pair<std::string, std::string> parts = absl::StrSplit(member, absl::MaxSplits('@', 1));
  return parts;
}

absl::StatusOr<NamedLiteral> ReadArray(zip_t* archive, zip_uint64_t index, uint64_t archive_bytes,
                                       int64_t bytes_left) {
  zip_stat_t info;
  if (zip_stat_index(archive, index, 0, &info) != 0) {
    return ZipError("cannot be read", zip_get_error(archive));
  }
  absl::Status status = CheckSize(info, archive_bytes, bytes_left);
  if (!status.ok()) return status;
  absl::StatusOr<std::string> content = ReadMember(archive, index, info.size);
  if (!content.ok()) return content.status();
  auto [name, type] = SplitMemberName(info.name);
  bool untyped = false;
  absl::StatusOr<Literal> array = ParseNpy(*content, type, "", bytes_left, &untyped);
  if (!array.ok()) {
    absl::string_view message = array.status().message();
    absl::ConsumePrefix(&message, ": ");
    return absl::Status(array.status().code(), message);
  }
  return NamedLiteral{name, *std::move(array), untyped};
}

absl::StatusOr<std::vector<NamedLiteral>> ReadNpz(const std::string& content, int64_t max_bytes) {
  absl::StatusOr<Archive> archive = OpenArchive(content);
  if (!archive.ok()) return archive.status();
  const zip_int64_t count = zip_get_num_entries(archive->get(), 0);
  std::vector<NamedLiteral> arrays;
  absl::flat_hash_set<std::string> names;
  int64_t bytes_left = max_bytes;
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* member = zip_get_name(archive->get(), i, 0);
    const std::string label = absl::StrCat("member ", member == nullptr ? "?" : member);
    absl::StatusOr<NamedLiteral> array = ReadArray(archive->get(), i, content.size(), bytes_left);
    if (!array.ok()) {
      return absl::Status(array.status().code(),
                          absl::StrCat(label, ": ", array.status().message()));
    }
    if (!names.insert(array->name).second) {
      return absl::InvalidArgumentError(absl::StrCat(label, ": ", array->name, " is there twice"));
    }
    bytes_left -= array->value.byte_size();
    arrays.push_back(*std::move(array));
  }
  return arrays;
}

absl::StatusOr<std::vector<NamedLiteral>> ReadLiterals(absl::string_view text, int64_t max_bytes,
                                                       absl::string_view prefix) {
  std::vector<NamedLiteral> arrays;
  int64_t line_number = 0;
  int64_t bytes_left = max_bytes;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_number;
    const absl::string_view words = absl::StripAsciiWhitespace(line);
    if (words.empty() || absl::StartsWith(words, "//")) continue;
    absl::StatusOr<Literal> literal = ParseTypedLiteral(line, bytes_left);
    if (!literal.ok()) {
      // The parser counts the lines of what it is given: one.
      absl::string_view message = literal.status().message();
      absl::ConsumePrefix(&message, "1:");
      return absl::Status(
          literal.status().code(),
          absl::StrCat("line ", line_number, ", column ", message,
                       "\nA line holds a value with its type in front, as f32[2] {1, 2}"));
    }
    bytes_left -= literal->byte_size();
    for (Literal& leaf : Flatten(*literal)) {
      arrays.push_back({absl::StrCat(prefix, arrays.size()), std::move(leaf)});
    }
  }
  if (arrays.empty()) return absl::InvalidArgumentError("it holds no arrays");
  return arrays;
}

// An object, or a list; no literal with its type in front begins so.
bool LooksLikeJson(absl::string_view content) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(content.substr(0, 4096));
  return absl::StartsWith(text, "{") || absl::StartsWith(text, "[");
}

absl::StatusOr<std::vector<NamedLiteral>> ReadMemories(absl::string_view content,
                                                       int64_t max_bytes) {
  absl::StatusOr<std::vector<LaidOutArray>> memories = ParseMemoryJson(content, max_bytes);
  if (!memories.ok()) return memories.status();
  std::vector<NamedLiteral> arrays;
  for (LaidOutArray& memory : *memories) {
    arrays.push_back({std::move(memory.name), std::move(memory.value)});
  }
  return arrays;
}

absl::StatusOr<std::vector<NamedLiteral>> ReadContent(const std::string& content,
                                                      const std::string& path, int64_t max_bytes,
                                                      absl::string_view prefix) {
  constexpr absl::string_view kZip = "PK";
  constexpr absl::string_view kNpy = "\x93NUMPY";
  if (absl::StartsWith(content, kZip)) return ReadNpz(content, max_bytes);
  if (LooksLikeJson(content)) return ReadMemories(content, max_bytes);
  if (!absl::StartsWith(content, kNpy)) return ReadLiterals(content, max_bytes, prefix);
  // The file's name may carry the type: weights@bf16.npy, weights@bf16.npy.gz.
  const size_t slash = path.rfind('/');
  absl::string_view file_name = path;
  file_name.remove_prefix(slash == std::string::npos ? 0 : slash + 1);
  absl::ConsumeSuffix(&file_name, ".gz");
  const auto [name, type] = SplitMemberName(file_name);
  absl::StatusOr<Literal> array = ParseNpy(content, type, "array", max_bytes);
  if (!array.ok()) return array.status();
  return std::vector<NamedLiteral>{{absl::StrCat(prefix, 0), *std::move(array)}};
}

// Adds a member whose bytes the archive takes over.
bool AddMember(zip_t* archive, const std::string& name, const std::string& content) {
  char* copy = static_cast<char*>(malloc(content.size()));
  if (copy == nullptr) return false;
  content.copy(copy, content.size());
  zip_source_t* source = zip_source_buffer(archive, copy, content.size(), /*freep=*/1);
  if (source == nullptr) {
    free(copy);
    return false;
  }
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  // The same arrays give the same bytes.
  return zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(archive, index, 0, (1 << 5) | 1, 0) == 0;
}

absl::StatusOr<std::string> MakeArchive(absl::Span<const NamedLiteral> arrays) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (source == nullptr) return ZipError("cannot make an archive", &error);
  zip_source_keep(source);  // to read what was written
  Archive archive(zip_open_from_source(source, ZIP_TRUNCATE, &error));
  if (archive == nullptr) {
    zip_source_free(source);
    return ZipError("cannot make an archive", &error);
  }
  for (const NamedLiteral& array : arrays) {
    const std::string name =
        absl::StrCat(MemberName(array.name, array.value.element_type()), ".npy");
    if (!AddMember(archive.get(), name, FormatNpy(array.value))) {
      return ZipError(absl::StrCat("cannot add ", name), zip_get_error(archive.get()));
    }
  }
  if (zip_close(archive.get()) != 0) {
    return ZipError("cannot make an archive", zip_get_error(archive.get()));
  }
  archive.release();
  std::string content;
  zip_stat_t info;
  if (zip_source_stat(source, &info) == 0 && zip_source_open(source) == 0) {
    content.resize(info.size);
    const zip_int64_t count = zip_source_read(source, content.data(), content.size());
    content.resize(count < 0 ? 0 : count);
    zip_source_close(source);
  }
  zip_source_free(source);
  return content;
}

}  // namespace

absl::StatusOr<std::vector<NamedLiteral>> ParseArrays(const std::string& content,
                                                      const std::string& name, int64_t max_bytes,
                                                      absl::string_view prefix) {
  absl::StatusOr<std::vector<NamedLiteral>> arrays = ReadContent(content, name, max_bytes, prefix);
  if (arrays.ok()) return arrays;
  return absl::Status(arrays.status().code(), absl::StrCat(name == "-" ? "standard input" : name,
                                                           ": ", arrays.status().message()));
}

absl::StatusOr<std::vector<NamedLiteral>> ReadArrays(const std::string& path, int64_t max_bytes,
                                                     absl::string_view prefix) {
  // Beside the arrays a file has headers.
  constexpr int64_t kHeaders = int64_t{1} << 26;
  absl::StatusOr<std::string> content = ReadFile(path, kDefaultMaxArrayBytes + kHeaders);
  if (!content.ok()) return content.status();
  content = Decompress(*std::move(content), path);
  if (!content.ok()) return content.status();
  return ParseArrays(*content, path, max_bytes, prefix);
}

absl::StatusOr<std::string> FormatNpz(absl::Span<const NamedLiteral> arrays) {
  for (const NamedLiteral& array : arrays) {
    if (array.value.is_array()) continue;
    return absl::InvalidArgumentError(absl::StrCat(array.name, " of shape ",
                                                   array.value.shape().ToString(),
                                                   " is not an array and cannot be written"));
  }
  if (!arrays.empty()) return MakeArchive(arrays);
  // libzip writes no empty archives; this is one: an end of the directory.
  constexpr char kEmpty[22] = {'P', 'K', 5, 6};
  return std::string(kEmpty, sizeof(kEmpty));
}

absl::Status WriteNpz(const std::string& path, absl::Span<const NamedLiteral> arrays) {
  absl::StatusOr<std::string> content = FormatNpz(arrays);
  if (!content.ok()) {
    return absl::Status(content.status().code(),
                        absl::StrCat(path, ": ", content.status().message()));
  }
  return WriteFileAtomically(path, *content);
}

}  // namespace assay
