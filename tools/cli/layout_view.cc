#include "tools/cli/layout_view.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "spec/arrays/memory_json.h"
#include "tools/cli/report.h"

namespace assay::cli {
namespace {

// Cells of one array that are printed at all.
constexpr int64_t kMostCells = int64_t{1} << 20;

// An array with the shape, and so the layout, that it has in the module.
struct Shown {
  std::string name;
  Shape shape;
  Literal value;
};

void AppendLeaves(const std::string& name, const Shape& shape, const Literal& value,
                  std::vector<Shown>* shown) {
  const std::vector<const Shape*> shapes = Leaves(shape);
  const std::vector<Literal> values = Flatten(value);
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    if (!shapes[leaf]->is_array()) continue;
    const std::string number = shapes.size() == 1 ? "" : absl::StrCat("{", leaf, "}");
    shown->push_back({absl::StrCat(name, number), *shapes[leaf], values[leaf]});
  }
}

}  // namespace

void LayoutView::AddTo(CLI::App* app) {
  constexpr char kGroup[] = "Linear memory";
  app->add_flag("--layout", asked,
                "The memory of the constants (with --inputs of the arguments too), cell by cell")
      ->group(kGroup);
  app->add_option("--minor-to-major", minor_to_major,
                  "Under this order of dimensions instead of the shape's, the fastest first: 0,1")
      ->delimiter(',')
      ->group(kGroup);
  app->add_option("--padded-dimensions", padded_dimensions,
                  "Every dimension padded to this size, as the layouts of 2017 did: 3,5")
      ->delimiter(',')
      ->group(kGroup);
  app->add_option("--padding-value", padding_value,
                  "What padding holds: an element, or zero, one, lowest, highest, unknown (_)")
      ->group(kGroup);
  inputs.AddTo(app);
}

absl::StatusOr<ArrayMemory> LayoutView::MemoryOf(const Shape& shape) const {
  MemoryLayout layout = MemoryLayout::Of(shape);
  if (!minor_to_major.empty()) {
    layout.layout = Layout();
    layout.layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  }
  layout.padded_dimensions.assign(padded_dimensions.begin(), padded_dimensions.end());
  if (!padding_value.empty()) {
    absl::StatusOr<std::optional<Element>> value =
        ParsePaddingValue(padding_value, shape.element_type());
    if (!value.ok()) return value.status();
    layout.padding_value = *value;
  }
  Shape laid_out = shape;
  laid_out.set_layout(layout.layout);
  absl::StatusOr<ArrayMemory> memory = ArrayMemory::Create(laid_out, layout);
  if (memory.ok() && memory->cell_count() > kMostCells) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the memory of ", laid_out.ToString(true), " has ", memory->cell_count(),
                     " cells, more than the ", kMostCells, " that are printed"));
  }
  return memory;
}

absl::StatusOr<std::string> LayoutView::Text(const ModuleFile& file, bool json) const {
  std::vector<Shown> shown;
  if (!inputs.inputs.empty() || !file.arguments.empty()) {
    absl::StatusOr<std::vector<Literal>> arguments = inputs.Load(file, RunBudget().bytes);
    if (!arguments.ok()) return arguments.status();
    const std::vector<Instruction*> parameters = file.module->entry()->parameters();
    for (size_t i = 0; i < parameters.size(); ++i) {
      AppendLeaves(parameters[i]->name(), parameters[i]->shape(), (*arguments)[i], &shown);
    }
  }
  for (const auto& computation : file.module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->literal() == nullptr) continue;
      AppendLeaves(instruction->name(), instruction->shape(), *instruction->literal(), &shown);
    }
  }
  std::string text;
  nlohmann::json list = nlohmann::json::array();
  for (const Shown& array : shown) {
    absl::StatusOr<ArrayMemory> memory = MemoryOf(array.shape);
    if (!memory.ok()) {
      return absl::Status(memory.status().code(),
                          absl::StrCat(array.name, ": ", memory.status().message()));
    }
    if (json) {
      list.push_back(MemoryToJson(array.name, array.value, *memory));
      continue;
    }
    absl::StrAppend(&text, array.name, " = ", memory->shape().ToString(true), ": ",
                    memory->cell_count(), " cells of ", memory->element_bits(), " bits, ",
                    memory->byte_size(), " bytes\n  ",
                    absl::StrJoin(MemoryWords(array.value, *memory), " "), "\n");
  }
  return json ? JsonText(list) : text;
}

}  // namespace assay::cli
