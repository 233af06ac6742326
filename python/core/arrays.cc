// Arrays between Python and Literal, without a copy where the elements lie as Literal has them.
#include "spec/arrays/arrays.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "python/core/binding.h"
#include "runtime/module_form.h"
#include "spec/element/element_type.h"
#include "spec/element/narrow_bits.h"

namespace assay::python {
namespace {

// Elements have to stand at multiples of this, as in the storage that Literal makes itself.
constexpr uintptr_t kAlignment = 16;

ElementType TypeOfName(const std::string& name) {
  const std::optional<ElementType> type = ElementTypeFromName(name);
  if (!type || !IsArray(*type)) {
    throw StatusError(absl::InvalidArgumentError(absl::StrCat("no element type is called ", name)));
  }
  return *type;
}

// Holds a buffer of Python's until the last owner of the storage is gone, in whatever thread.
std::shared_ptr<std::byte[]> Borrow(Py_buffer view) {
  auto* held = new Py_buffer(view);
  auto release = [held](std::byte*) {
    if (nb::is_alive()) {
      const nb::gil_scoped_acquire lock;
      PyBuffer_Release(held);
    }
    delete held;
  };
  return std::shared_ptr<std::byte[]>(static_cast<std::byte*>(view.buf), release);
}

// Whether all elements have the bits of the type alone: of narrow types others may come from views.
bool HasOnlyValueBits(ElementType type, const std::byte* data, int64_t bytes) {
  const int bits = Info(type).bits;
  if (bits >= 8) return true;
  const auto above = static_cast<std::byte>(0xff << bits);
  std::byte seen{0};
  for (int64_t i = 0; i < bytes; ++i) seen |= data[i];
  return (seen & above) == std::byte{0};
}

Array FromPython(const std::string& type_name, const std::vector<int64_t>& sizes,
                 const nb::object& elements) {
  const ElementType type = TypeOfName(type_name);
  const Shape shape(type, sizes);
  const int64_t bytes = Value(shape.ByteSize());
  Py_buffer view;
  if (PyObject_GetBuffer(elements.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  if (view.len != bytes) {
    PyBuffer_Release(&view);
    throw StatusError(absl::InvalidArgumentError(
        absl::StrCat(shape.ToString(), " has ", bytes, " bytes, but ", view.len, " are given")));
  }
  const bool stands = reinterpret_cast<uintptr_t>(view.buf) % kAlignment == 0;
  const auto* data = static_cast<const std::byte*>(view.buf);
  if (bytes > 0 && stands && HasOnlyValueBits(type, data, bytes)) {
    return {Literal::FromBuffer(shape, Borrow(view))};
  }
  absl::StatusOr<Literal> copy = Literal::Create(shape);
  if (copy.ok() && bytes > 0) {
    std::memcpy(copy->mutable_data(), data, bytes);
    ClearUnusedBits(type, copy->mutable_data(), bytes);
  }
  PyBuffer_Release(&view);
  return {Value(std::move(copy))};
}

// The name of a type by DLPack's code of its kind and its bits; empty: there is none.
std::string NameOfDlpack(int code, int bits) {
  constexpr int kSigned = 0, kUnsigned = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6;
  // From code 7 on each has a width of its own.
  constexpr const char* kNarrow[] = {"f8e3m4",     "f8e4m3",   "f8e4m3b11fnuz", "f8e4m3fn",
                                     "f8e4m3fnuz", "f8e5m2",   "f8e5m2fnuz",    "f8e8m0fnu",
                                     "f6e2m3fn",   "f6e3m2fn", "f4e2m1fn"};
  constexpr int kFirstNarrow = 7;
  if (code == kSigned) return absl::StrCat("s", bits);
  if (code == kUnsigned) return absl::StrCat("u", bits);
  if (code == kFloat) return absl::StrCat("f", bits);
  if (code == kBfloat && bits == 16) return "bf16";
  if (code == kComplex) return absl::StrCat("c", bits);
  if (code == kBool && bits == 8) return "pred";
  const int narrow = code - kFirstNarrow;
  return narrow >= 0 && narrow < static_cast<int>(std::size(kNarrow)) ? kNarrow[narrow] : "";
}

using Tensor = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

// Holds a tensor until the last owner of the storage is gone, in whatever thread.
std::shared_ptr<std::byte[]> Borrow(Tensor tensor) {
  auto* data = static_cast<std::byte*>(const_cast<void*>(tensor.data()));
  auto* held = new Tensor(std::move(tensor));
  return {data, [held](std::byte*) {
            if (!nb::is_alive()) return;
            const nb::gil_scoped_acquire lock;
            delete held;
          }};
}

// A tensor of a type that numpy lacks, copied where it does not lie as Literal has it.
Array FromDlpack(Tensor tensor) {
  const nb::dlpack::dtype dtype = tensor.dtype();
  const ElementType type = TypeOfName(NameOfDlpack(dtype.code, dtype.bits));
  Dimensions sizes;
  for (size_t d = 0; d < tensor.ndim(); ++d) sizes.push_back(tensor.shape(d));
  const Shape shape(type, sizes);
  const int64_t bytes = Value(shape.ByteSize());
  const auto* data = static_cast<const std::byte*>(tensor.data());
  if (dtype.lanes != 1 || dtype.bits < 8) {
    throw StatusError(absl::InvalidArgumentError("elements of DLPack that share bytes"));
  }
  const bool stands = reinterpret_cast<uintptr_t>(data) % kAlignment == 0;
  if (bytes > 0 && stands && HasOnlyValueBits(type, data, bytes)) {
    return {Literal::FromBuffer(shape, Borrow(std::move(tensor)))};
  }
  absl::StatusOr<Literal> copy = Literal::Create(shape);
  if (copy.ok() && bytes > 0) {
    std::memcpy(copy->mutable_data(), data, bytes);
    ClearUnusedBits(type, copy->mutable_data(), bytes);
  }
  return {Value(std::move(copy))};
}

// The elements as unsigned integers of 1 byte; Python looks at them as the type that they have.
nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>> ToPython(const Array& array) {
  auto* owner = new Literal(array.value);
  const nb::capsule capsule(owner,
                            [](void* pointer) noexcept { delete static_cast<Literal*>(pointer); });
  const auto bytes = static_cast<size_t>(owner->byte_size());
  // Two owners: this one and the array. Whether a third one minds is for LeavesOf to know.
  auto* data = const_cast<std::byte*>(owner->data());
  return nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>>(data, {bytes}, capsule);
}

std::string TypeName(const Array& array) {
  return std::string(Name(array.value.shape().element_type()));
}

nb::tuple SizesOf(const Array& array) {
  nb::list sizes;
  if (array.value.is_array()) {
    for (const int64_t size : array.value.shape().dimensions()) sizes.append(size);
  }
  return nb::tuple(sizes);
}

}  // namespace

absl::StatusOr<int64_t> DevicesOf(const Module& module) {
  const absl::StatusOr<runtime::ProcessPlan> plan = runtime::PlanProcesses(module);
  if (!plan.ok()) return plan.status();
  return plan->grid.count() / plan->per_device;
}

absl::StatusOr<std::vector<std::vector<Literal>>> ArgumentsOf(const Module& module,
                                                              const ArraysByDevice& arrays,
                                                              int64_t devices) {
  std::vector<NamedLiteral> named;
  for (size_t device = 0; device < arrays.size(); ++device) {
    int64_t number = 0;
    for (const Array& array : arrays[device]) {
      std::string name = absl::StrCat("arg", number++);
      if (arrays.size() > 1) absl::StrAppend(&name, ".dev", device);
      named.push_back({std::move(name), array.value});
    }
  }
  absl::StatusOr<std::vector<std::vector<Literal>>> arguments =
      ToArguments(module, std::move(named));
  if (!arguments.ok()) return arguments.status();
  if (arguments->size() <= 1) {
    arguments->resize(devices, arguments->empty() ? std::vector<Literal>() : arguments->front());
  }
  if (static_cast<int64_t>(arguments->size()) == devices) return arguments;
  return absl::InvalidArgumentError(absl::StrCat("arguments for ", arguments->size(),
                                                 " devices, but the module runs on ", devices));
}

ArraysByDevice LeavesOf(std::vector<Literal> values) {
  ArraysByDevice by_device;
  for (Literal& value : values) {
    std::vector<Literal> leaves = Flatten(value);
    value = Literal();
    std::vector<Array>& own = by_device.emplace_back();
    for (Literal& leaf : leaves) {
      if (!leaf.is_array()) {
        own.push_back({std::move(leaf)});
        continue;
      }
      Literal box = leaf.shape().is_dynamic() ? ValidBox(leaf) : std::move(leaf);
      leaf = Literal();
      // An argument that is handed through, a constant of the module, one array given twice.
      if (box.buffer().use_count() > 1) box.mutable_data();
      own.push_back({std::move(box)});
    }
  }
  return by_device;
}

void BindArrays(nb::module_& m) {
  nb::class_<Array>(m, "Array", "An array, or a token, as the C++ library holds it.")
      .def_static("of", &FromPython, nb::arg("type"), nb::arg("sizes"), nb::arg("elements"),
                  "Borrows the elements where they lie as the library has them.")
      .def_static("of_dlpack", &FromDlpack, nb::arg("tensor"))
      .def_prop_ro("type", &TypeName)
      .def_prop_ro("sizes", &SizesOf)
      .def("elements", &ToPython, "The bytes of the elements, which are not copied.");
}

}  // namespace assay::python
