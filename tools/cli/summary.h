// The counts of a module: computations, instructions, work and bytes. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_SUMMARY_H_
#define ASSAY_TOOLS_CLI_SUMMARY_H_

#include <cstdint>
#include <map>
#include <string>

#include "nlohmann/json_fwd.hpp"
#include "spec/ir/module.h"

namespace assay::cli {

struct ModuleSummary {
  int64_t computations = 0;
  int64_t instructions = 0;
  std::map<std::string, int64_t> opcodes;
  // The multiply-adds of dots and convolutions. Every instruction counts once, however often it
  // runs. The sum saturates.
  int64_t multiply_adds = 0;
  int64_t parameter_bytes = 0;  // the bytes of the entry's parameters
  int64_t result_bytes = 0;
  int64_t constant_bytes = 0;
  int64_t elided_constants = 0;
};

ModuleSummary Summarise(const Module& module);
std::string SummaryText(const Module& module, const ModuleSummary& summary);
nlohmann::json SummaryJson(const Module& module, const ModuleSummary& summary);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_SUMMARY_H_
