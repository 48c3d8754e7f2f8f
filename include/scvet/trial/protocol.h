// protocol.json: what must be the same across the phases of a trial, without any data or split seed. Specification 14.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scvet/trial/mlp.h"

namespace scvet::trial {

inline constexpr std::array<const char*, 5> kCascadeOrder = {"INVALID", "STRONG_EXTERNAL_REPLICATION",
                                                             "CAPACITY_ONLY_OR_AMBIGUOUS",
                                                             "PARTIAL_EXTERNAL_REPLICATION", "NO_EXTERNAL_REPLICATION"};

// The bounds of specification 12. The operators are fixed: invalid is "<", the rest ">=".
struct CascadeRule {
  double invalid_abs_sm = .020, mb_mean = .020, mb_seed = .020;
  int mb_seeds = 4;
  double mg_mean = .050, mg_seed = .050;
  int mg_seeds = 4;
  double gb_mean = .010;
  std::vector<std::string> order{kCascadeOrder.begin(), kCascadeOrder.end()};  // a permutation of kCascadeOrder
  bool operator==(const CascadeRule&) const = default;
};

enum class BaselineForm { kRidgeResidual, kRidgeDirect, kMlpResidual };
const char* baseline_name(BaselineForm form);        // ridge_residual, ridge_direct, mlp_residual
BaselineForm parse_baseline(std::string_view name);  // UsageError

struct Protocol {
  int min_cells = 10;
  std::array<std::string, 3> split_fractions{"0.70", "0.15", "0.15"};  // train, val, test, as decimals
  std::vector<std::uint32_t> seeds{20260527, 20260528, 20260529, 20260530, 20260531};
  int gaussian_offset = 777, shuffle_offset = 999;
  std::vector<double> alphas{1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
  int cv_folds = 5;
  BaselineForm baseline = BaselineForm::kRidgeResidual;
  MlpSettings mlp;
  CascadeRule cascade;
  int bootstrap = 2000;
  std::uint32_t bootstrap_seed = 20260605;
  bool operator==(const Protocol&) const = default;
};

// The canonical bytes of protocol.json, with the final newline.
std::string protocol_json(const Protocol& protocol);
// SHA-256 of those bytes.
std::string protocol_hash(const Protocol& protocol);
// Reads a protocol that a person wrote or a folder holds; blanks and the order of keys are free. An unknown, missing or
// repeated key, a real number that is not a string, and a value that this program cannot follow are UsageErrors that
// name the key; `where` names the file.
Protocol parse_protocol(std::string_view text, const std::string& where);
// The fractions as the nearest doubles.
std::array<double, 3> split_fractions(const Protocol& protocol);
// The published constants, order, seed counts and number of seeds. Otherwise the category is CUSTOM.
bool is_default_rule(const Protocol& protocol);

}  // namespace scvet::trial
