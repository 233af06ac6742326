// How arrays travel to a process and back: after the line of a message or, where they are large, as
// files. What comes back has the shapes that the module says, or is refused before anything is
// allocated for it. Tests: process_test.cc, containment_test.cc.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/process/cleanup.h"
#include "backends/process/message.h"
#include "backends/process/process_backend.h"

namespace assay::process {

using Json = nlohmann::json;
using Clock = ChildProcess::Clock;

namespace {

constexpr size_t kReadAtOnce = 16 << 20;  // of a file, between looks at the clock
constexpr size_t kLongestShape = 200;     // in messages

// Whether the file has these bytes and no more. What the child names need not be a file: a pipe or
// a device would make us wait, or do what reading it does.
bool ReadWholeFile(const std::string& path, absl::Span<std::byte> bytes,
                   Clock::time_point deadline) {
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat about = {};
  bool well = fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
              about.st_size == static_cast<off_t>(bytes.size());
  while (well && !bytes.empty()) {
    const ssize_t count = read(file, bytes.data(), std::min(bytes.size(), kReadAtOnce));
    if (count < 0 && errno == EINTR) continue;
    well = count > 0 && Clock::now() < deadline;
    if (well) bytes.remove_prefix(static_cast<size_t>(count));
  }
  close(file);
  return well;
}

// The shapes of the arrays that a module can feed out, by their text.
std::map<std::string, Shape> OutfeedShapes(const Module& module) {
  std::map<std::string, Shape> shapes;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kOutfeed) continue;
      for (const Shape* leaf : Leaves(instruction->operand(0)->shape())) {
        if (leaf->is_array()) shapes.emplace(leaf->ToString(), *leaf);
      }
    }
  }
  return shapes;
}

Json SizesJson(const Literal& array) {
  Json sizes = Json::array();
  for (const int64_t size : array.current_sizes()) sizes.push_back(size);
  return sizes;
}

// Of a header that CheckArray has seen. What lies outside the current sizes has no meaning: it
// becomes zero.
void TakeSizes(const Json& header, Literal* array) {
  const auto sizes = header.find("sizes");
  if (sizes == header.end() || !array->shape().is_dynamic()) return;
  Literal cut = Literal::Zeros(array->shape());
  const Dimensions origin(static_cast<size_t>(array->shape().rank()), 0);
  Dimensions box;
  for (int64_t d = 0; d < array->shape().rank(); ++d) {
    box.push_back((*sizes)[static_cast<size_t>(d)].get<int64_t>());
    if (array->shape().is_dynamic_dimension(d)) cut.set_dynamic_size(d, box.back());
  }
  CopyBox(*array, box, origin, &cut);
  *array = std::move(cut);
}

}  // namespace

absl::StatusOr<std::string> ProcessBackend::ScratchFile() {
  if (scratch_.empty()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      return absl::AbortedError(absl::StrCat("cannot make a folder for payloads at ", pattern));
    }
    scratch_ = pattern;
    RemoveOnSignal(scratch_);
  }
  return absl::StrCat(scratch_, "/", next_id_++);
}

absl::StatusOr<Json> ProcessBackend::EncodeLeaf(const Literal& leaf, std::string* payload) {
  Json header = {{"shape", leaf.shape().ToString()}, {"bytes", leaf.byte_size()}};
  if (leaf.shape().is_dynamic()) header["sizes"] = SizesJson(leaf);
  const absl::string_view bytes(reinterpret_cast<const char*>(leaf.data()), leaf.byte_size());
  if (leaf.byte_size() <= options_.file_threshold) {
    payload->append(bytes.data(), bytes.size());
    return header;
  }
  absl::StatusOr<std::string> file = ScratchFile();
  if (!file.ok()) return file.status();
  std::ofstream out(*file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) return absl::AbortedError(absl::StrCat("cannot write ", *file));
  header["file"] = *file;
  return header;
}

absl::Status ProcessBackend::EncodeInputs(absl::Span<const std::vector<const Literal*>> arguments,
                                          absl::Span<const absl::Span<const Literal>> queues,
                                          Json* request, std::string* payload) {
  const auto add = [&](const Literal& leaf, Json* headers) {
    absl::StatusOr<Json> header = EncodeLeaf(leaf, payload);
    if (header.ok()) headers->push_back(*std::move(header));
    return header.status();
  };
  Json& devices = (*request)["arguments"] = Json::array();
  for (const std::vector<const Literal*>& device : arguments) {
    Json& headers = devices.emplace_back(Json::array());
    for (const Literal* argument : device) {
      for (const Literal& leaf : Flatten(*argument)) {
        if (absl::Status status = add(leaf, &headers); !status.ok()) return status;
      }
    }
  }
  const auto is_empty = [](absl::Span<const Literal> queue) { return queue.empty(); };
  if (std::all_of(queues.begin(), queues.end(), is_empty)) return absl::OkStatus();
  Json& infeed = (*request)["infeed"] = Json::array();
  for (const absl::Span<const Literal> queue : queues) {
    Json& headers = infeed.emplace_back(Json::array());
    for (const Literal& array : queue) {
      if (absl::Status status = add(array, &headers); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status ProcessBackend::CheckOutfeeds(const Json& lists, const Module& module, size_t count) {
  if (!lists.is_array() || (!lists.empty() && lists.size() != count)) {
    return Refuse(
        absl::StrCat("answered with outfeeds of other than ", count, " devices in ", excerpt_));
  }
  const std::map<std::string, Shape> shapes = OutfeedShapes(module);
  int64_t left = options_.outfeed_bytes;
  for (const Json& headers : lists) {
    if (!headers.is_array()) return Refuse(absl::StrCat("answered with no arrays in ", excerpt_));
    for (const Json& header : headers) {
      const std::string shape = StringOf(header, "shape");
      const auto found = shapes.find(shape);
      if (found == shapes.end()) {
        return Refuse(absl::StrCat("fed out an array of shape '", CutText(shape, kLongestShape),
                                   "', which no outfeed of the module has"));
      }
      if (absl::Status status = CheckArray(header, found->second); !status.ok()) return status;
      const int64_t bytes = IntOf(header, "bytes", 0);
      if (bytes > left) {
        return Refuse(
            absl::StrCat("fed out more than ", options_.outfeed_bytes, " bytes in one answer"));
      }
      left -= bytes;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> ProcessBackend::ReadOutfeed(const Json& headers,
                                                                 const Module& module,
                                                                 Clock::time_point deadline) {
  const std::map<std::string, Shape> shapes = OutfeedShapes(module);
  std::vector<Literal> queue;
  for (const Json& header : headers) {
    absl::StatusOr<Literal> array = Literal::Create(shapes.at(StringOf(header, "shape")));
    if (!array.ok()) return array.status();
    absl::Status status = ReadArray(header, &*array, deadline);
    if (!status.ok()) return status;
    queue.push_back(*std::move(array));
  }
  return queue;
}

absl::Status ProcessBackend::CheckHeaders(const Json& headers, const Shape& result) {
  const std::vector<const Shape*> shapes = Leaves(result);
  if (!headers.is_array()) return Refuse(absl::StrCat("answered with no arrays in ", excerpt_));
  if (headers.size() != shapes.size()) {
    return Refuse(absl::StrCat("answered with ", headers.size(), " result arrays instead of ",
                               shapes.size()));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::string shape = StringOf(headers[i], "shape");
    if (shape != shapes[i]->ToString()) {
      return Refuse(absl::StrCat("answered with shape '", CutText(shape, kLongestShape),
                                 "' for result array ", i, ", which is ", shapes[i]->ToString()));
    }
    if (absl::Status status = CheckArray(headers[i], *shapes[i]); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ProcessBackend::CheckArray(const Json& header, const Shape& shape) {
  absl::StatusOr<int64_t> bytes = shape.is_array() ? shape.ByteSize() : 0;
  if (!bytes.ok()) return bytes.status();
  if (IntOf(header, "bytes", shape.is_array() ? -1 : 0) != *bytes) {
    return Refuse(absl::StrCat("announced ", IntOf(header, "bytes", -1), " bytes for ",
                               shape.ToString(), ", which has ", *bytes));
  }
  if (!shape.is_array() || !shape.is_dynamic()) return absl::OkStatus();
  const auto sizes = header.find("sizes");
  bool fit = sizes != header.end() && sizes->is_array() &&
             static_cast<int64_t>(sizes->size()) == shape.rank();
  for (int64_t d = 0; fit && d < shape.rank(); ++d) {
    const Json& size = (*sizes)[static_cast<size_t>(d)];
    const int64_t bound = shape.dimensions()[static_cast<size_t>(d)];
    const int64_t least = shape.is_dynamic_dimension(d) ? 0 : bound;
    fit = size.is_number_integer() && size.get<int64_t>() >= least && size.get<int64_t>() <= bound;
  }
  if (fit) return absl::OkStatus();
  return Refuse(absl::StrCat("answered without current sizes that fit ",
                             CutText(shape.ToString(), kLongestShape), " in ", excerpt_));
}

absl::StatusOr<Literal> ProcessBackend::ReadResult(const Json& headers, const Shape& result,
                                                   Clock::time_point deadline) {
  const std::vector<const Shape*> shapes = Leaves(result);
  std::vector<Literal> leaves;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i]->is_array()) {
      leaves.push_back(Literal::Token());
      continue;
    }
    absl::StatusOr<Literal> literal = Literal::Create(*shapes[i]);
    if (!literal.ok()) return literal.status();
    absl::Status status = ReadArray(headers[i], &*literal, deadline);
    if (!status.ok()) return status;
    leaves.push_back(*std::move(literal));
  }
  return Unflatten(result, leaves);
}

absl::Status ProcessBackend::ReadArray(const Json& header, Literal* literal,
                                       Clock::time_point deadline) {
  const int64_t bytes = literal->byte_size();
  absl::Span<std::byte> storage(literal->mutable_data(), bytes);
  const std::string file = StringOf(header, "file");
  if (file.empty()) {
    absl::Status status = child_->ReadExactly(storage, deadline);
    if (!status.ok()) {
      child_ = nullptr;
      return status;
    }
  } else {
    if (!ReadWholeFile(file, storage, deadline)) {
      return Refuse(absl::StrCat("did not leave ", bytes, " bytes in ", file));
    }
    std::remove(file.c_str());
  }
  TakeSizes(header, literal);
  return CheckTruthValues(*literal);
}

absl::Status ProcessBackend::CheckTruthValues(const Literal& literal) {
  if (literal.element_type() != ElementType::kPred) return absl::OkStatus();
  const absl::Span<const std::byte> bytes(literal.data(), literal.byte_size());
  const auto wrong =
      std::find_if(bytes.begin(), bytes.end(), [](std::byte each) { return each > std::byte{1}; });
  if (wrong == bytes.end()) return absl::OkStatus();
  return Refuse(absl::StrCat("answered with the byte ", static_cast<int>(*wrong), " as element ",
                             wrong - bytes.begin(), " of ", literal.shape().ToString(),
                             ", where a truth value is the byte 0 or 1"));
}

}  // namespace assay::process
