// What the 10x formats (h5 and mtx) have in common: features and barcodes, and one matrix.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scvet/data/cells.h"

namespace scvet::io {

// One entry a feature; ids, types and genomes may be empty when the file has none.
struct TenxFeatures {
  std::vector<std::string> ids, names, types, genomes;
  // Of probe-based assays, where a feature is a probe: its gene, and whether it passed the assay's filter.
  std::vector<std::string> gene_ids = {}, gene_names = {};
  std::vector<std::uint8_t> passed = {};
};

// var: ids are the index where every feature has its own, with the names in column feature_name; else names are the
// index and ids, if any, stand in gene_ids. Columns feature_type and genome where the file has them.
Table make_var(TenxFeatures features);
Table make_obs(std::vector<std::string> barcodes);
// Says when there are features that are no genes, or several genomes.
std::vector<std::string> feature_notes(const Table& var);

class TenxFile : public CellFile {
 public:
  using OpenSource = std::function<std::unique_ptr<CellSource>(std::shared_ptr<const Table> var)>;

  TenxFile(std::string path, const char* format, Table obs, Table var, MatrixInfo info, OpenSource open_source)
      : path_(std::move(path)),
        format_(format),
        obs_(std::move(obs)),
        var_(std::make_shared<const Table>(std::move(var))),
        info_(std::move(info)),
        open_source_(std::move(open_source)),
        notes_(feature_notes(*var_)) {}

  void add_note(std::string note) { notes_.push_back(std::move(note)); }
  void set_feature_fields(std::vector<std::string> fields) { fields_ = std::move(fields); }

  const std::string& path() const override { return path_; }
  const char* format() const override { return format_; }
  const Table& obs() const override { return obs_; }
  const Table& var() const override { return *var_; }
  std::vector<MatrixInfo> matrices() const override { return {info_}; }
  std::unique_ptr<CellSource> open_matrix(const std::string& name) override;
  Embedding read_obsm(const std::string& key) override;
  std::vector<std::string> notes() const override { return notes_; }
  std::vector<std::string> feature_fields() const override { return fields_; }

 private:
  std::string path_;
  const char* format_;
  Table obs_;
  std::shared_ptr<const Table> var_;
  MatrixInfo info_;
  OpenSource open_source_;
  std::vector<std::string> notes_, fields_;
};

}  // namespace scvet::io
