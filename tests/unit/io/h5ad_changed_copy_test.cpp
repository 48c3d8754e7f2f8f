// Copies with other names of genes, other columns, without raw, or of some cells.
#include <algorithm>

#include "h5ad_writer_fixture.h"
#include "scvet/base/error.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {

using namespace h5ad_fixture;

class ChangedCopy : public H5adWriter {
 protected:
  // obs and var with indexes called barcode and gene_symbol, a layer, raw, an obsm and a pairwise matrix.
  std::string source(const WriteOptions& options = {}) {
    MadeCells cells(57, 31, "int32", 10), raw(57, 31, "float32", 10);
    obs_.index_name = "barcode";
    var_.index_name = "gene_symbol";
    obs_.columns = {categorical_column("cell_type", std::vector<std::string>(57, "B"))};
    var_.columns = {string_column("feature_name", std::vector<std::string>(31, "x"))};
    H5adContent made = content();
    made.x = &cells;
    made.layers = {{"counts", &raw}};
    made.raw = &raw;
    Embedding space{"X_two", 57, 2, {}};
    for (int value = 0; value < 114; ++value) space.values.push_back(static_cast<float>(value) / 4);
    made.obsm = {space};
    write_h5ad(path("source.h5ad"), made, options);
    const hdf5::Handle open(H5Fopen(path("source.h5ad").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    H5Ocopy(open.get(), "X", open.get(), "obsp/pairs", H5P_DEFAULT, H5P_DEFAULT);
    return path("source.h5ad");
  }
  std::vector<std::string> copy(const CopyChanges& changes) {
    return changed_copy(*open_cells(source()), path("copy.h5ad"), changes);
  }
  std::vector<std::string> new_names() const {
    std::vector<std::string> names;
    for (int gene = 0; gene < 31; ++gene) names.push_back("N" + std::to_string(gene));
    return names;
  }
};

TEST_F(ChangedCopy, GenesGetNewNamesAndEveryOtherByteStays) {
  copy({.var = {string_column("ensembl_id", var_.names)}, .gene_names = new_names()});
  const std::unique_ptr<CellFile> to = open_cells(path("copy.h5ad"));
  EXPECT_EQ(to->var().names, new_names());
  EXPECT_EQ(to->var().index_name, "gene_symbol");
  EXPECT_EQ(to->var().column_names(), (std::vector<std::string>{"feature_name", "ensembl_id"}));
  for (const char* object : {"X", "layers/counts", "raw/X", "obsm", "obs", "obsp/pairs"})
    EXPECT_EQ(stored_digest(path("copy.h5ad"), object), stored_digest(path("source.h5ad"), object)) << object;
}

TEST_F(ChangedCopy, AnIndexNamedAsANewColumnMovesAside) {
  const auto notes = copy({.obs = {string_column("barcode", obs_.names)},
                           .var = {string_column("gene_symbol", new_names())},
                           .gene_names = new_names()});
  EXPECT_EQ(notes.size(), 2u) << join(notes, "\n");
  const std::unique_ptr<CellFile> to = open_cells(path("copy.h5ad"));
  EXPECT_EQ(to->obs().index_name, "");  // "_index" in the file, which names nothing
  EXPECT_EQ(to->obs().names, obs_.names);
  ASSERT_NE(to->obs().find("barcode"), nullptr);
  EXPECT_EQ(to->obs().find("barcode")->strings, obs_.names);
  EXPECT_EQ(to->var().index_name, "");
  EXPECT_EQ(to->var().names, new_names());
  EXPECT_EQ(to->var().find("gene_symbol")->strings, new_names());
}

TEST_F(ChangedCopy, OtherColumnsAreReplacedOnlyWhenAsked) {
  CopyChanges changes;
  changes.obs = {real_column("cell_type", std::vector<double>(57, 0.5))};
  EXPECT_THROW(copy(changes), DataError);
  EXPECT_FALSE(fs::exists(path("copy.h5ad")));
  changes.replace_columns = true;
  copy(changes);
  const std::unique_ptr<CellFile> to = open_cells(path("copy.h5ad"));
  EXPECT_EQ(to->obs().column_names(), (std::vector<std::string>{"cell_type"}));
  EXPECT_EQ(to->obs().find("cell_type")->reals, std::vector<double>(57, 0.5));
}

TEST_F(ChangedCopy, RawIsDroppedWhenAsked) {
  copy({.drop_raw = true});
  const hdf5::Group root = hdf5::open_file(path("copy.h5ad"));
  EXPECT_FALSE(root.has("raw"));
  EXPECT_TRUE(root.has("layers/counts"));
}

TEST_F(ChangedCopy, ChosenCellsKeepTheirValuesAndTypes) {
  const std::vector<std::int64_t> rows = {0, 3, 11, 12, 56};
  const auto notes = copy({.obs = {string_column("barcode", obs_.names)}, .drop_raw = true, .cells = rows});
  EXPECT_NE(join(notes, "\n").find("obsp/pairs"), std::string::npos);
  const std::unique_ptr<CellFile> to = open_cells(path("copy.h5ad"));
  EXPECT_EQ(to->obs().names, (std::vector<std::string>{"c0", "c3", "c11", "c12", "c56"}));
  EXPECT_EQ(to->obs().find("barcode")->strings, to->obs().names);
  EXPECT_EQ(to->matrices().front().dtype, "int32");
  EXPECT_EQ(to->matrices().size(), 2u);  // X and the layer
  for (const char* name : {"X", "layers/counts"}) {
    CellChunk chunk;
    to->open_matrix(name)->read(0, 5, chunk);
    std::size_t at = 0;
    for (std::size_t cell = 0; cell < rows.size(); ++cell)
      for (std::int64_t gene = 0; gene < 31; ++gene) {
        if (MadeCells::value(rows[cell], gene) == 0) continue;
        ASSERT_EQ(chunk.genes[at], static_cast<std::uint32_t>(gene)) << name;
        ASSERT_EQ(chunk.values[at++], MadeCells::value(rows[cell], gene)) << name;
      }
    EXPECT_EQ(at, chunk.values.size()) << name;
  }
  const Embedding space = to->read_obsm("X_two");
  ASSERT_EQ(space.n_cells, 5);
  for (std::size_t cell = 0; cell < rows.size(); ++cell)
    EXPECT_EQ(space.values[2 * cell + 1], static_cast<float>(2 * rows[cell] + 1) / 4);
}

TEST_F(ChangedCopy, TenxFilesTakeTheSameChanges) {
  const std::string name = real("tenx_v3_filtered_feature_bc_matrix.h5");
  if (!fs::exists(name)) GTEST_SKIP() << "no real files under " << SCVET_REAL_DIR;
  const std::unique_ptr<CellFile> from = open_cells(name);
  std::vector<std::string> names;
  for (std::int64_t gene = 0; gene < from->var().rows(); ++gene) names.push_back("N" + std::to_string(gene));
  changed_copy(*from, path("copy.h5ad"), {.gene_names = names, .cells = std::vector<std::int64_t>{1, 4}});
  const std::unique_ptr<CellFile> to = open_cells(path("copy.h5ad"));
  EXPECT_EQ(to->var().names, names);
  EXPECT_EQ(to->obs().names, (std::vector<std::string>{from->obs().names[1], from->obs().names[4]}));
  CellChunk all, chosen;
  from->open_matrix(from->matrices().front().name)->read(0, 5, all);
  to->open_matrix("X")->read(0, 2, chosen);
  EXPECT_EQ(std::vector<double>(all.values.begin() + all.indptr[4], all.values.end()),
            std::vector<double>(chosen.values.begin() + chosen.indptr[1], chosen.values.end()));
}

TEST_F(ChangedCopy, TheStoredDigestSeesFiltersTypesAndValues) {
  source();
  const std::string zipped = stored_digest(path("source.h5ad"), "X");
  source({.compression = Compression::kNone});
  const std::string plain = stored_digest(path("source.h5ad"), "X");
  EXPECT_NE(plain, zipped);  // the same numbers, stored otherwise
  EXPECT_NE(stored_digest(path("source.h5ad"), "layers/counts"), plain);
  {
    const hdf5::Handle open(H5Fopen(path("source.h5ad").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    const hdf5::Handle data(H5Dopen2(open.get(), "X/data", H5P_DEFAULT));
    std::vector<std::int32_t> values(
        static_cast<std::size_t>(hdf5::Dataset(hdf5::Handle(H5Dopen2(open.get(), "X/data", H5P_DEFAULT)),
                                               std::make_shared<hdf5::FileInfo>(), "X/data")
                                     .size()));
    H5Dread(data.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    ++values[7];
    H5Dwrite(data.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  EXPECT_NE(stored_digest(path("source.h5ad"), "X"), plain);
  EXPECT_THROW(stored_digest(path("source.h5ad"), "layers/none"), DataError);
}

}  // namespace
}  // namespace scvet::io
