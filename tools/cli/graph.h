// A module as a graph for Graphviz: a cluster per computation, a node per instruction.
// Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_GRAPH_H_
#define ASSAY_TOOLS_CLI_GRAPH_H_

#include <string>

#include "spec/ir/module.h"

namespace assay::cli {

std::string GraphText(const Module& module);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_GRAPH_H_
