#include "scvet/audit/audit.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cells.h"
#include "controls.h"
#include "dataset.h"
#include "scvet/audit/membership.h"
#include "scvet/audit/texts.h"
#include "scvet/base/log.h"

namespace scvet::audit {
namespace {

double power_at(const std::vector<PlantPower>& plants, double thinning) {
  for (const PlantPower& plant : plants)
    if (plant.kept == thinning) return plant.found.share;
  return kNaN;
}

// Of several groups, the one whose planted copies are found least often: every group may hold the cells.
std::vector<PlantPower> weakest(const std::vector<std::vector<PlantPower>>& groups, double thinning) {
  if (groups.empty()) return {};
  return *std::min_element(groups.begin(), groups.end(),
                           [&](const auto& a, const auto& b) { return power_at(a, thinning) < power_at(b, thinning); });
}

// Runs the controls, or returns why they were not run.
std::string run_controls(const std::vector<ReferenceGroup>& groups, const CellAnnotations& annotations,
                         const AuditOptions& options, const CellsAudit& cells, DatasetAudit& audit) {
  std::string reason;
  if (!options.controls)
    reason = "the controls were switched off";
  else if (tests_same_cell(options, &reason) && cells.cells.empty())
    reason = "there are no cells";
  if (!reason.empty()) {
    audit.false_positives.n_cells = static_cast<std::int64_t>(cells.cells.size());
    audit.false_positives.reason = reason;
    return reason;
  }
  AuditOptions same_cell = options;  // nulls that draw say nothing of copies, and would be drawn again a part
  same_cell.nulls = {"same_cell"};
  audit.false_positives = measure_false_positives(groups, annotations, same_cell);
  audit.group_plants = plant_copies(groups, cells, same_cell);
  audit.plants = weakest(audit.group_plants, options.thinning);
  log_verbose(audit.name + ": " + calibration_sentence(audit.false_positives));
  for (const PlantPower& plant : audit.plants) log_verbose(audit.name + ": " + plant_sentence(plant) + ".");
  return "";
}

void estimate_share(const AuditOptions& options, DatasetAudit& audit) {
  ShareInput input;
  input.n = audit.exposed.n;
  input.hits = audit.exposed.hits;
  for (const CellOutcome& cell : audit.cells)
    input.undecidable += cell.status == CellStatus::kUndecidableRare && !cell.exposed(options.min_genes_same);
  input.power = power_at(audit.plants, options.thinning);
  input.thinning = options.thinning;
  input.false_positives = audit.false_positives.flagged;
  input.sampled = options.sampled_share;
  audit.membership = membership_share(input);
}

}  // namespace

void conclude_dataset(const CellAnnotations& annotations, const AuditOptions& options, const std::string& no_controls,
                      DatasetAudit& audit) {
  summarise_dataset(annotations, options, audit);
  estimate_share(options, audit);
  bootstrap_donors(annotations, options, audit);
  audit.verdict = decide_verdict(audit, options, no_controls);
}

DatasetAudit audit_dataset(const std::string& name, const std::vector<ReferenceGroup>& groups,
                           const CellAnnotations& annotations, const AuditOptions& options) {
  check_options(groups, annotations, options);
  DatasetAudit audit;
  audit.name = name;
  audit.engine = options.engine;
  CellsAudit cells = audit_cells(groups, options);
  decide_flags(cells.cells, cells.groups, annotations.label, options);
  const std::string no_controls = run_controls(groups, annotations, options, cells, audit);
  audit.cells = std::move(cells.cells);
  for (const GroupCells& group : cells.groups) audit.fits.push_back(group.fit);
  audit.fit = audit.fits.front();
  audit.identities = std::move(cells.identities);
  audit.notes = std::move(cells.notes);
  audit.engine_notes = std::move(cells.engine_notes);
  conclude_dataset(annotations, options, no_controls, audit);
  return audit;
}

}  // namespace scvet::audit
