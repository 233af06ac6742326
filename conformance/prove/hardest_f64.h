// Reads hardest_f64.txt (tests only).
#ifndef ASSAY_CONFORMANCE_PROVE_HARDEST_F64_H_
#define ASSAY_CONFORMANCE_PROVE_HARDEST_F64_H_

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace assay::conformance::prove {

// Function -> arguments of its hardest calls. Empty where the file is not found.
inline std::map<std::string, std::vector<std::vector<double>>> HardestF64(const std::string& root) {
  std::ifstream file(root + "/conformance/prove/hardest_f64.txt");
  std::map<std::string, std::vector<std::vector<double>>> hardest;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string function, number;
    words >> function;
    std::vector<double> arguments;
    while (words >> number) arguments.push_back(std::strtod(number.c_str(), nullptr));
    hardest[function].push_back(arguments);
  }
  return hardest;
}

}  // namespace assay::conformance::prove

#endif  // ASSAY_CONFORMANCE_PROVE_HARDEST_F64_H_
