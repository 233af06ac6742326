#include "backends/pjrt/plugin/options.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace assay::pjrt {
namespace {

// A value of an option: a text, or a number.
struct Value {
  std::string text;
  std::optional<double> number;
  int64_t integer = 0;
};

Value ValueOf(const PJRT_NamedValue& value) {
  Value read;
  switch (value.type) {
    case PJRT_NamedValue_String:
      read.text = std::string(value.value.string_value, value.value_size);
      break;
    case PJRT_NamedValue_Int64:
      read.integer = value.value.int64_value;
      read.number = static_cast<double>(read.integer);
      break;
    case PJRT_NamedValue_Float:
      read.number = value.value.float_value;
      read.integer = std::isfinite(*read.number)
                         ? static_cast<int64_t>(std::clamp(*read.number, -1e18, 1e18))
                         : 0;
      break;
    case PJRT_NamedValue_Bool:
      read.integer = value.value.bool_value ? 1 : 0;
      read.number = static_cast<double>(read.integer);
      break;
    default:
      break;
  }
  return read;
}

Value ValueOf(const std::string& text) {
  Value read;
  read.text = text;
  double number = 0;
  if (absl::SimpleAtod(text, &number) && std::isfinite(number)) {
    read.number = number;
    if (!absl::SimpleAtoi(text, &read.integer)) {
      read.integer = static_cast<int64_t>(std::clamp(number, -1e18, 1e18));
    }
  }
  return read;
}

absl::Status Set(const std::string& name, const Value& value, ClientOptions* options) {
  const auto bad = [&](absl::string_view wanted) {
    return absl::InvalidArgumentError(absl::StrCat(name, " must be ", wanted));
  };
  for (const auto& [text, member] : {std::pair{"platform_name", &options->platform_name},
                                     {"backend", &options->backend},
                                     {"trace", &options->trace}}) {
    if (name != text) continue;
    if (value.text.empty()) return bad("a text");
    *member = value.text;
    return absl::OkStatus();
  }
  if (!value.number) return bad("a number");
  if (name == "device_count") {
    if (value.integer < 1 || value.integer > ClientOptions::kMostDevices) {
      return bad(absl::StrCat("a number from 1 to ", ClientOptions::kMostDevices));
    }
    options->device_count = value.integer;
  } else if (name == "synchronous") {
    options->synchronous = value.integer != 0;
  } else if (name == "python_callback") {
    options->python_callback = reinterpret_cast<PythonCallback*>(value.integer);
  } else if (name == "python_uses") {
    options->python_uses = reinterpret_cast<int64_t*>(value.integer);
  } else if (name == "python_uses_size") {
    options->python_uses_size = value.integer;
  } else {
    absl::string_view limit = name;
    absl::ConsumePrefix(&limit, "budget_");
    if (limit == "threads" &&
        (*value.number == 0 || *value.number > runtime::RunBudget::kMostThreads)) {
      return bad(absl::StrCat("a number from 1 to ", runtime::RunBudget::kMostThreads, ", or -1"));
    }
    if (std::isnan(*value.number)) return bad("a number");
    SetBudget(std::string(limit), *value.number, &options->budget);
  }
  return absl::OkStatus();
}

struct Name {
  const char* option;
  const char* variable;  // null: none
};
constexpr Name kNames[] = {
    {"platform_name", nullptr},
    {"device_count", "ASSAY_DEVICES"},
    {"backend", "ASSAY_BACKEND"},
    {"threads", "ASSAY_BUDGET_THREADS"},
    {"budget_seconds", "ASSAY_BUDGET_SECONDS"},
    {"budget_bytes", "ASSAY_BUDGET_BYTES"},
    {"budget_steps", "ASSAY_BUDGET_STEPS"},
    {"budget_elements", "ASSAY_BUDGET_ELEMENTS"},
    {"trace", "ASSAY_TRACE"},
    {"synchronous", "ASSAY_SYNCHRONOUS"},
    {"python_callback", nullptr},
    {"python_uses", nullptr},
    {"python_uses_size", nullptr},
};

}  // namespace

bool SetBudget(const std::string& name, double value, runtime::RunBudget* budget) {
  constexpr double kUnlimited = 9e18;
  const int64_t whole = value >= kUnlimited || value < 0 ? -1 : static_cast<int64_t>(value);
  if (name == "seconds") {
    budget->seconds = value;
  } else if (name == "bytes") {
    budget->bytes = whole;
  } else if (name == "steps") {
    budget->steps = whole;
  } else if (name == "elements") {
    budget->elements = whole;
  } else if (name == "threads") {
    budget->threads = whole;
  } else {
    return false;
  }
  return true;
}

absl::StatusOr<ClientOptions> ClientOptions::Read(absl::Span<const PJRT_NamedValue> values) {
  ClientOptions options;
  for (const Name& name : kNames) {
    const char* text = name.variable == nullptr ? nullptr : std::getenv(name.variable);
    if (text == nullptr || *text == '\0') continue;
    const absl::Status status = Set(name.option, ValueOf(std::string(text)), &options);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(name.variable, ": ", status.message()));
    }
  }
  for (const PJRT_NamedValue& value : values) {
    const std::string name(value.name, value.name_size);
    const bool known = std::any_of(std::begin(kNames), std::end(kNames),
                                   [&](const Name& each) { return name == each.option; });
    if (!known) {
      std::string list;
      for (const Name& each : kNames) absl::StrAppend(&list, list.empty() ? "" : ", ", each.option);
      return absl::InvalidArgumentError(
          absl::StrCat("'", name, "' is not an option of Assay's plug-in; there are ", list));
    }
    if (absl::Status status = Set(name, ValueOf(value), &options); !status.ok()) return status;
  }
  return options;
}

}  // namespace assay::pjrt
