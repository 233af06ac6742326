#include "fuzz/campaign/judgeability.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/diagnose/module_judge.h"
#include "conformance/judge/verdict_text.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/differential/ways.h"
#include "spec/element/element.h"

namespace assay::fuzz {
namespace {

uint64_t FarFromPart(ElementType type, uint64_t bits) {
  if (!IsFloat(type)) return bits ^ (uint64_t{1} << (Info(type).bits - 1));
  const double value = DecodeFloat(type, bits);
  if (std::isnan(value)) return EncodeFloat(type, 1);
  const double far = std::fabs(value) < 4 ? DecodeFloat(type, MaxFinite(type)) / 2 : 0.5;
  return EncodeFloat(type, value < 0 || !Info(type).format->has_sign ? far : -far);
}

std::string CountRow(const std::string& name, const Judgeability::Count& count) {
  const auto percent = [&](int64_t part) {
    return absl::StrFormat("%.2f%%",
                           100.0 * static_cast<double>(part) / static_cast<double>(count.elements));
  };
  return absl::StrCat("| ", name, " | ", count.arrays, " | ", count.elements, " | ",
                      percent(count.inconclusive), " | ", percent(count.admitted), " | ",
                      absl::StrFormat("%.2f%%", 100.0 * count.Mean()), " |\n");
}

}  // namespace

Element FarFrom(ElementType type, Element element) {
  const ElementType part = Info(type).component;
  return {FarFromPart(part, element.bits), IsComplex(type) ? FarFromPart(part, element.imag) : 0};
}

void Judgeability::Add(const FuzzProgram& program, int64_t turn) {
  const Module& module = *program.module;
  const auto inputs = MakeInputs(program);
  if (!inputs.ok() || profile_.Unsupported(module)) return;
  const auto golden = RunByKernels(module, *inputs, budget_);
  if (!golden.ok()) return;
  std::vector<std::vector<Literal>> arguments;
  for (const DeviceInputs& own : *inputs) arguments.push_back(own.arguments);
  const std::vector<Literal> expected = ResultsOf(*golden);
  std::vector<Literal> actual;
  const int64_t leaf = turn % std::max<int64_t>(module.entry()->root()->shape().leaf_count(), 1);
  int64_t elements = 0;
  for (const Literal& result : expected) {
    std::vector<Literal> leaves = Flatten(result);
    Literal& own = leaves[leaf];
    if (!own.is_array() || own.shape().is_dynamic()) return;
    for (int64_t i = 0; i < own.element_count(); ++i) {
      own.Set(i, FarFrom(own.element_type(), own.Get(i)));
    }
    elements += own.element_count();
    actual.push_back(Unflatten(result.shape(), leaves));
  }
  if (elements == 0) return;
  const auto judgement =
      conformance::JudgeModule(module, arguments, expected, actual, profile_, budget_);
  if (!judgement.ok()) return;
  const auto count = [&](conformance::Verdict verdict) {
    return judgement->counts[static_cast<size_t>(verdict)];
  };
  const std::string operation = OperationOf(module, leaf);
  Count& own = operations_[operation.substr(0, operation.find(' '))];
  ++own.arrays;
  own.elements += elements;
  const int64_t inconclusive = count(conformance::Verdict::kNotJudgeable);
  const int64_t admitted = count(conformance::Verdict::kWithinBound) +
                           count(conformance::Verdict::kAllowed) +
                           count(conformance::Verdict::kKnownDeviation);
  own.inconclusive += inconclusive;
  own.admitted += admitted;
  own.shares += static_cast<double>(inconclusive + admitted) / static_cast<double>(elements);
}

Judgeability::Count Judgeability::total() const {
  Count total;
  for (const auto& [name, count] : operations_) {
    total.arrays += count.arrays;
    total.elements += count.elements;
    total.inconclusive += count.inconclusive;
    total.admitted += count.admitted;
    total.shares += count.shares;
  }
  return total;
}

std::string Judgeability::Markdown() const {
  std::vector<std::pair<std::string, Count>> rows(operations_.begin(), operations_.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.Mean() > b.second.Mean(); });
  std::string text =
      "| operation | arrays | elements | inconclusive | any number conforms | mean of arrays |\n"
      "|---|---|---|---|---|---|\n";
  int64_t judged = 0;
  for (const auto& [name, count] : rows) {
    if (count.shares == 0) {
      ++judged;
    } else {
      absl::StrAppend(&text, CountRow(absl::StrCat("`", name, "`"), count));
    }
  }
  absl::StrAppend(&text, CountRow("all", total()), "\nEvery element is judged of ",
                  conformance::Counted(judged, "other operation"), ".\n");
  return text;
}

}  // namespace assay::fuzz
