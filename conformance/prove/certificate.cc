// Tests: prove_test.cc.
#include "conformance/prove/certificate.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conformance/prove/references.h"
#include "nlohmann/json.hpp"

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

namespace assay::conformance::prove {
namespace {

using Json = nlohmann::ordered_json;

// In the order of RealTier.
constexpr const char* kTierNames[] = {"exact",  "double", "extended", "quad",     "big192",
                                      "big384", "big768", "big1536",  "undecided"};
static_assert(std::size(kTierNames) == evaluator::kRealTierCount);

std::string Hex(uint64_t value) { return absl::StrCat("0x", absl::Hex(value)); }

uint64_t FromHex(const std::string& text) {
  uint64_t value = 0;
  if (!absl::SimpleHexAtoi(text, &value)) throw std::invalid_argument(text + " is not a number");
  return value;
}

Json ToJson(const SweepResult& result) {
  Json json;
  json["inputs"] = result.inputs;
  json["mismatches"] = result.mismatches;
  json["first_mismatches"] = Json::array();
  for (const Mismatch& mismatch : result.first_mismatches) {
    json["first_mismatches"].push_back({{"input", Hex(mismatch.input)},
                                        {"golden", Hex(mismatch.golden)},
                                        {"expected", Hex(mismatch.expected)}});
  }
  json["by_mpfr"] = result.by_mpfr;
  json["by_monotony"] = result.by_monotony;
  Json tiers = Json::object();
  for (int tier = 0; tier < evaluator::kRealTierCount; ++tier) {
    if (result.tiers.decided[tier] != 0) tiers[kTierNames[tier]] = result.tiers.decided[tier];
  }
  json["tiers"] = tiers;
  json["hash"] = Hex(result.hash);
  json["cpu_seconds"] = result.cpu_seconds;
  return json;
}

SweepResult ResultFrom(const Json& json) {
  SweepResult result;
  result.inputs = json.at("inputs");
  result.mismatches = json.at("mismatches");
  for (const Json& mismatch : json.at("first_mismatches")) {
    result.first_mismatches.push_back({FromHex(mismatch.at("input")),
                                       FromHex(mismatch.at("golden")),
                                       FromHex(mismatch.at("expected"))});
  }
  result.by_mpfr = json.at("by_mpfr");
  result.by_monotony = json.at("by_monotony");
  for (int tier = 0; tier < evaluator::kRealTierCount; ++tier) {
    result.tiers.decided[tier] = json.at("tiers").value(kTierNames[tier], int64_t{0});
  }
  result.hash = FromHex(json.at("hash"));
  result.cpu_seconds = json.at("cpu_seconds");
  return result;
}

Certificate CertificateFrom(const Json& json) {
  Certificate certificate;
  certificate.function = json.at("function");
  certificate.type = json.at("type");
  certificate.range = json.at("range");
  certificate.method = json.at("method");
  certificate.result = ResultFrom(json.at("result"));
  certificate.revision = json.at("revision");
  certificate.compiler = json.at("compiler");
  certificate.references = json.at("references");
  if (json.contains("shards_done")) {
    for (const char done : json.at("shards_done").get<std::string>()) {
      certificate.shards_done.push_back(done == '1');
    }
  }
  return certificate;
}

}  // namespace

std::string CompilerName() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string ReferenceNames() {
#if defined(__GLIBC__)
  return absl::StrCat("glibc ", gnu_get_libc_version(), " and ", References::VectorName());
#else
  return "the C library and none";
#endif
}

std::string ToJson(const Certificate& certificate) {
  Json json;
  json["function"] = certificate.function;
  json["type"] = certificate.type;
  json["range"] = certificate.range;
  json["method"] = certificate.method;
  json["result"] = ToJson(certificate.result);
  json["revision"] = certificate.revision;
  json["compiler"] = certificate.compiler;
  json["references"] = certificate.references;
  if (!certificate.complete()) {
    std::string done;
    for (const bool shard : certificate.shards_done) done += shard ? '1' : '0';
    json["shards_done"] = done;
  }
  return json.dump(2) + "\n";
}

absl::StatusOr<Certificate> FromJson(const std::string& text) {
  try {
    return CertificateFrom(Json::parse(text));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

absl::Status WriteCertificate(const std::string& path, const Certificate& certificate) {
  const std::string next = path + ".next";
  std::ofstream file(next, std::ios::trunc);
  file << ToJson(certificate);
  file.close();
  if (!file || std::rename(next.c_str(), path.c_str()) != 0) {
    return absl::UnavailableError(absl::StrCat("cannot write ", path));
  }
  return absl::OkStatus();
}

absl::StatusOr<Certificate> ReadCertificate(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("there is no ", path));
  std::ostringstream text;
  text << file.rdbuf();
  auto certificate = FromJson(text.str());
  if (certificate.ok()) return certificate;
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", certificate.status().message()));
}

}  // namespace assay::conformance::prove
