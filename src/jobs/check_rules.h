// The table of specification 1: a line a test, in the peer's order and, where its reports are published, in its words.
#pragma once

#include <string>

#include "check_methods.h"
#include "check_scan.h"
#include "scvet/data/cells.h"

namespace scvet::jobs {

// What the tests look at.
struct CheckSubject {
  CellFile& file;
  const CheckOptions& options;
  const MethodNeeds& needs;
  const MatrixInfo* x = nullptr;     // null: no X
  const MatrixScan* scan = nullptr;  // null: X cannot be read
  std::string fault = {};            // why
};

// Appends to report.lines and report.limitations.
void apply_rules(const CheckSubject& subject, CheckReport& report);

}  // namespace scvet::jobs
