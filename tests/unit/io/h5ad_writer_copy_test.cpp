#include <cmath>

#include "h5ad_writer_fixture.h"
#include "scvet/base/digest.h"
#include "scvet/base/error.h"
#include "scvet/base/files.h"
#include "scvet/base/text.h"
#include "scvet/io/format.h"

namespace scvet::io {
namespace {

using namespace h5ad_fixture;

class AnnotatedCopy : public H5adWriter {
 protected:
  // A small typed file with a column of its own and one of an earlier run.
  std::string source() {
    MadeCells cells(57, 31, "float32", 10);
    obs_.columns = {categorical_column("cell_type", std::vector<std::string>(57, "B")),
                    real_column("scvet_jstar", std::vector<double>(57, 0.25))};
    H5adContent made = content();
    made.x = &cells;
    made.uns = {{"title", "t"}};
    write_h5ad(path("source.h5ad"), made);
    return path("source.h5ad");
  }
  std::vector<Column> columns(const std::string& name, std::int64_t rows = 57) const {
    return {real_column(name, std::vector<double>(static_cast<std::size_t>(rows), 0.75))};
  }
  // Opens a file for changes with the C API.
  static hdf5::Handle edit(const std::string& file) {
    return hdf5::Handle(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  }
};

// The compressed chunks of a data set, as they lie in the file.
std::vector<std::string> stored_chunks(const hdf5::Dataset& set) {
  std::vector<std::string> chunks;
  hsize_t count = 0;
  const hdf5::Handle space(H5Dget_space(set.id()));
  EXPECT_GE(H5Dget_num_chunks(set.id(), space.get(), &count), 0);
  for (hsize_t at = 0; at < count; ++at) {
    hsize_t offset[2] = {}, bytes = 0;
    haddr_t address = 0;
    unsigned mask = 0;
    EXPECT_GE(H5Dget_chunk_info(set.id(), space.get(), at, offset, &mask, &address, &bytes), 0);
    chunks.emplace_back(bytes, '\0');
    std::uint32_t filters = 0;
    EXPECT_GE(H5Dread_chunk(set.id(), H5P_DEFAULT, offset, &filters, chunks.back().data()), 0);
  }
  return chunks;
}

TEST_F(AnnotatedCopy, AddsColumnsAndKeepsAllElse) {
  const auto notes = annotate_copy(source(), path("copy.h5ad"), columns("scvet_p"), {{"scvet_version", "1"}});
  EXPECT_TRUE(notes.empty());
  const hdf5::Group copy = hdf5::open_file(path("copy.h5ad"));
  EXPECT_EQ(copy.group("obs").texts_attribute("column-order"),
            (std::vector<std::string>{"cell_type", "scvet_jstar", "scvet_p"}));
  EXPECT_EQ(copy.dataset("obs/scvet_p").read_reals()[56], 0.75);
  EXPECT_EQ(copy.dataset("obs/_index").read_texts(), obs_.names);
  EXPECT_EQ(copy.dataset("uns/title").read_texts(), (std::vector<std::string>{"t"}));
  EXPECT_EQ(copy.dataset("uns/scvet_version").read_texts(), (std::vector<std::string>{"1"}));
  expect_cells(copy.group("X"), 57, 31);
}

TEST_F(AnnotatedCopy, MatricesAreCopiedByteForByte) {
  if (!fs::exists(real("kang_pbmc_2000.h5ad"))) GTEST_SKIP() << "no real files under " << SCVET_REAL_DIR;
  annotate_copy(real("kang_pbmc_2000.h5ad"), path("copy.h5ad"), columns("scvet_p", 2000));
  const hdf5::Group from = hdf5::open_file(real("kang_pbmc_2000.h5ad")), to = hdf5::open_file(path("copy.h5ad"));
  for (const char* part : {"X/data", "X/indices"}) {
    const auto chunks = stored_chunks(from.dataset(part));
    EXPECT_GT(chunks.size(), 1u);
    EXPECT_EQ(chunks, stored_chunks(to.dataset(part))) << part;
  }
}

TEST_F(AnnotatedCopy, ReplacesItsOwnColumnsOnly) {
  annotate_copy(source(), path("copy.h5ad"), columns("scvet_jstar"), {});
  const hdf5::Group obs = hdf5::open_file(path("copy.h5ad")).group("obs");
  EXPECT_EQ(obs.texts_attribute("column-order"), (std::vector<std::string>{"cell_type", "scvet_jstar"}));
  EXPECT_EQ(obs.dataset("scvet_jstar").read_reals()[0], 0.75);
  try {
    annotate_copy(source(), path("second.h5ad"), columns("cell_type"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.facts().field, "cell_type");
    EXPECT_EQ(error.facts().file, path("source.h5ad"));
  }
  EXPECT_FALSE(fs::exists(path("second.h5ad")));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(AnnotatedCopy, ACopyOfACopyIsStable) {
  annotate_copy(source(), path("one.h5ad"), columns("scvet_p"), {{"scvet_version", "1"}});
  annotate_copy(path("one.h5ad"), path("two.h5ad"), columns("scvet_p"), {{"scvet_version", "1"}});
  annotate_copy(path("one.h5ad"), path("again.h5ad"), columns("scvet_p"), {{"scvet_version", "1"}});
  EXPECT_EQ(sha256_path(path("two.h5ad")), sha256_path(path("again.h5ad")));
  const std::unique_ptr<CellFile> file = open_cells(path("two.h5ad"));
  EXPECT_EQ(file->obs().column_names(), (std::vector<std::string>{"cell_type", "scvet_jstar", "scvet_p"}));
}

TEST_F(AnnotatedCopy, NeverReplacesItsSource) {
  const std::string file = source(), before = sha256_path(file);
  EXPECT_THROW(annotate_copy(file, file, columns("scvet_p")), UsageError);
  fs::create_symlink(file, path("link.h5ad"));
  EXPECT_THROW(annotate_copy(file, path("link.h5ad"), columns("scvet_p")), UsageError);
  EXPECT_EQ(sha256_path(file), before);
}

TEST_F(AnnotatedCopy, ColumnsOfAnotherLengthAreRefused) {
  EXPECT_THROW(annotate_copy(source(), path("copy.h5ad"), columns("scvet_p", 56)), InternalError);
}

TEST_F(AnnotatedCopy, BrokenEntriesOfUnsAndForeignObjectsAreLeftOutAndNoted) {
  const std::string file = source();
  {
    const hdf5::Handle open = edit(file);
    H5Lcreate_soft("/nowhere", open.get(), "uns/dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/x", open.get(), "uns/outside", H5P_DEFAULT, H5P_DEFAULT);
    const hdf5::Handle inner(H5Gcreate2(open.get(), "uns/inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hdf5::Handle odd(H5Gcreate2(inner.get(), "odd", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hdf5::Handle text(H5Tcopy(H5T_C_S1)), space(H5Screate(H5S_SCALAR));
    H5Tset_size(text.get(), 8);
    const hdf5::Handle attribute(
        H5Acreate2(odd.get(), "encoding-type", text.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(attribute.get(), text.get(), "unheard");
    const hdf5::Handle type(H5Tcopy(H5T_NATIVE_INT));
    H5Tcommit2(open.get(), "a_type", type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  }
  const auto notes = annotate_copy(file, path("copy.h5ad"), columns("scvet_p"));
  const std::string all = join(notes, "\n");
  for (const char* name : {"dangling", "outside", "odd", "a_type"})
    EXPECT_NE(all.find(name), std::string::npos) << name << " in:\n" << all;
  EXPECT_EQ(notes.size(), 4u) << all;
  const hdf5::Group copy = hdf5::open_file(path("copy.h5ad"));
  EXPECT_EQ(copy.group("uns").members(), (std::vector<std::string>{"inner", "title"}));
  EXPECT_FALSE(copy.has("a_type"));
}

TEST_F(AnnotatedCopy, NullableStringsBecomeWhatEveryVersionReads) {
  const std::string file = source();
  {
    const hdf5::Handle open = edit(file);
    Column gaps = string_column("gaps", std::vector<std::string>(57, "x"));
    Table other = obs_;
    other.columns = {boolean_column("mask", std::vector<bool>(57, true)), gaps};
    H5adContent made = content();
    made.obs = &other;
    write_h5ad(path("parts.h5ad"), made);
    const hdf5::Handle parts(H5Fopen(path("parts.h5ad").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hdf5::Handle group(H5Gcreate2(open.get(), "obs/gaps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Ocopy(parts.get(), "obs/gaps", group.get(), "values", H5P_DEFAULT, H5P_DEFAULT);
    H5Ocopy(parts.get(), "obs/mask", group.get(), "mask", H5P_DEFAULT, H5P_DEFAULT);
    const hdf5::Handle text(H5Tcopy(H5T_C_S1)), space(H5Screate(H5S_SCALAR));
    H5Tset_size(text.get(), 22);
    const hdf5::Handle type(
        H5Acreate2(group.get(), "encoding-type", text.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(type.get(), text.get(), "nullable-string-array\0");
  }
  const auto notes = annotate_copy(file, path("copy.h5ad"), columns("scvet_p"));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("obs/gaps"), std::string::npos) << notes[0];
  const hdf5::Group gaps = hdf5::open_file(path("copy.h5ad")).group("obs/gaps");
  EXPECT_EQ(encoding(gaps), "categorical 0.2.0");
  EXPECT_EQ(gaps.dataset("codes").read_integers(), std::vector<std::int64_t>(57, -1));
}

TEST_F(AnnotatedCopy, OldLayoutsBecomeTypedGroups) {
  for (const char* name :
       {"anndata_v0.5.0_pbmc68k_reduced.h5ad", "anndata_v0.7.0.h5ad", "scvi_tm_droplet_h5sparse.h5ad"}) {
    if (!fs::exists(real(name))) GTEST_SKIP() << "no " << name << " under " << SCVET_REAL_DIR;
    const std::unique_ptr<CellFile> from = open_cells(real(name));
    annotate_copy(*from, path("copy.h5ad"), columns("scvet_p", from->obs().rows()));
    const hdf5::Group root = hdf5::open_file(path("copy.h5ad"));
    EXPECT_EQ(encoding(root), "anndata 0.1.0") << name;
    for (const char* frame : {"obs", "var"}) EXPECT_EQ(encoding(root.group(frame)), "dataframe 0.2.0") << name;
    const std::unique_ptr<CellFile> to = open_cells(path("copy.h5ad"));
    EXPECT_EQ(to->obs().names, from->obs().names) << name;
    for (const Column& column : from->obs().columns) {
      const Column* same = to->obs().find(column.name);
      ASSERT_NE(same, nullptr) << name << " " << column.name;
      EXPECT_EQ(same->categories, column.categories) << name << " " << column.name;
      EXPECT_EQ(same->codes, column.codes) << name << " " << column.name;
      EXPECT_EQ(same->integers, column.integers) << name << " " << column.name;
      EXPECT_EQ(same->dtype, column.dtype) << name << " " << column.name;
    }
  }
}

TEST_F(AnnotatedCopy, CategoriesOfACompoundTableAreNoLongerInUns) {
  const std::string name = "anndata_v0.5.0_pbmc68k_reduced.h5ad";
  if (!fs::exists(real(name))) GTEST_SKIP() << "no real files under " << SCVET_REAL_DIR;
  annotate_copy(real(name), path("copy.h5ad"), columns("scvet_p", 700));
  const hdf5::Group uns = hdf5::open_file(path("copy.h5ad")).group("uns");
  EXPECT_FALSE(uns.has("louvain_categories"));
  EXPECT_TRUE(uns.has("louvain_colors"));
  EXPECT_EQ(encoding(uns.group("neighbors/connectivities")), "csr_matrix 0.1.0");
}

TEST_F(AnnotatedCopy, TenxFilesAreWrittenAnew) {
  const std::string name = real("tenx_v3_filtered_feature_bc_matrix.h5");
  if (!fs::exists(name)) GTEST_SKIP() << "no real files under " << SCVET_REAL_DIR;
  const std::unique_ptr<CellFile> from = open_cells(name);
  const std::int64_t rows = from->obs().rows();
  annotate_copy(*from, path("copy.h5ad"), columns("scvet_p", rows));
  const std::unique_ptr<CellFile> to = open_cells(path("copy.h5ad"));
  EXPECT_STREQ(to->format(), "h5ad");
  EXPECT_EQ(to->obs().names, from->obs().names);
  EXPECT_EQ(to->var().names, from->var().names);
  EXPECT_EQ(to->var().column_names(), from->var().column_names());
  ASSERT_NE(to->obs().find("scvet_p"), nullptr);
  CellChunk left, right;
  from->open_matrix(from->matrices().front().name)->read(0, rows, left);
  to->open_matrix("X")->read(0, rows, right);
  EXPECT_EQ(left.indptr, right.indptr);
  EXPECT_EQ(left.genes, right.genes);
  EXPECT_EQ(left.values, right.values);
  EXPECT_GT(left.values.size(), 1000u);
}

TEST_F(AnnotatedCopy, ATruncatedSourceLeavesNoCopy) {
  const std::string bytes = read_file(source());
  write_file(path("short.h5ad"), std::string_view(bytes).substr(0, bytes.size() / 2));
  EXPECT_THROW(annotate_copy(path("short.h5ad"), path("copy.h5ad"), columns("scvet_p")), DataError);
  EXPECT_EQ(entries(), 2u);
}

}  // namespace
}  // namespace scvet::io
