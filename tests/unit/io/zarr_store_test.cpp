#include "zarr/zarr_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "codecs/codecs.h"
#include "hdf5_builder.h"
#include "scvet/io/format.h"

namespace scvet::io::zarr {
namespace {
namespace fs = std::filesystem;
using store::LinkKind;
using testing::ElementsAre;
using testing::HasSubstr;

// A store in a folder, written by hand.
class ZarrStore : public testing::Test {
 protected:
  ZarrStore() : root_(folder_.folder() + "/s.zarr") { put(".zgroup", R"({"zarr_format": 2})"); }

  void put(const std::string& key, const std::string& bytes) {
    fs::create_directories(fs::path(root_ + "/" + key).parent_path());
    std::ofstream(root_ + "/" + key, std::ios::binary | std::ios::trunc) << bytes;
  }
  template <typename T>
  void put_values(const std::string& key, const std::vector<T>& values) {
    put(key, bytes_of(values));
  }
  template <typename T>
  static std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
  }
  void array2(const std::string& path, const std::string& shape, const std::string& chunks, const std::string& dtype,
              const std::string& more = R"("order": "C", "compressor": null, "filters": null, "fill_value": 0)") {
    put(path + "/.zarray", R"({"zarr_format": 2, "shape": )" + shape + R"(, "chunks": )" + chunks + R"(, "dtype": ")" +
                               dtype + "\", " + more + "}");
  }
  void array3(const std::string& path, const std::string& shape, const std::string& chunks, const std::string& type,
              const std::string& codecs, const std::string& more = R"("fill_value": 0)") {
    put(path + "/zarr.json", R"({"zarr_format": 3, "node_type": "array", "shape": )" + shape +
                                 R"(, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": )" + chunks +
                                 R"(}}, "chunk_key_encoding": {"name": "default"}, "data_type": )" + type +
                                 R"(, "codecs": )" + codecs + ", " + more + "}");
  }
  void version3() {
    fs::remove(root_ + "/.zgroup");
    put("zarr.json", R"({"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"metadata": 7}})");
  }
  std::vector<double> reals(const std::string& path) { return open_store(root_)->dataset(path)->read_reals(); }
  std::vector<std::string> texts(const std::string& path) { return open_store(root_)->dataset(path)->read_texts(); }
  std::string complaint(const std::string& path) {
    return message_of([&] { open_store(root_)->dataset(path)->read_reals(); });
  }

  Hdf5Builder folder_;
  std::string root_;
};

TEST_F(ZarrStore, EdgeChunksArePaddedAndMissingOnesFilled) {
  array2("x", "[3, 5]", "[2, 3]", "<i2", R"("order": "C", "compressor": null, "filters": null, "fill_value": -7)");
  put_values<std::int16_t>("x/0.0", {0, 1, 2, 10, 11, 12});
  put_values<std::int16_t>("x/0.1", {3, 4, 99, 13, 14, 99});
  put_values<std::int16_t>("x/1.1", {23, 24, 99, 99, 99, 99});
  EXPECT_THAT(reals("x"), ElementsAre(0, 1, 2, 3, 4, 10, 11, 12, 13, 14, -7, -7, -7, 23, 24));
  const auto dataset = open_store(root_)->streamed_dataset("x");
  EXPECT_THAT(dataset->shape(), ElementsAre(3, 5));
  EXPECT_THAT(dataset->chunk(), ElementsAre(2, 3));
  EXPECT_EQ(dataset->type().dtype, "int16");
  for (std::int64_t row = 0; row < 3; ++row) {  // one row at a time, from chunks that are kept
    std::vector<double> values(5);
    dataset->read_rows(row, 1, std::span<double>(values));
    EXPECT_EQ(values.back(), 10 * static_cast<double>(row) + 4);
  }
}

TEST_F(ZarrStore, ChunksAreDecodedOnceWhenRowsAreReadInOrder) {
  array2("x", "[6]", "[4]", "<f8");
  put_values<double>("x/0", {0, 1, 2, 3});
  put_values<double>("x/1", {4, 5, 0, 0});
  const auto dataset = open_store(root_)->streamed_dataset("x");
  std::vector<double> values(3);
  dataset->read_rows(0, 3, std::span<double>(values));
  put_values<double>("x/0", {9, 9, 9, 9});  // what was decoded is not read again
  dataset->read_rows(3, 3, std::span<double>(values));
  EXPECT_THAT(values, ElementsAre(3, 4, 5));
}

TEST_F(ZarrStore, ColumnMajorOrderAndForeignByteOrderAreUndone) {
  array2("x", "[2, 3]", "[2, 3]", ">u2", R"("order": "F", "compressor": null, "filters": null, "fill_value": 0)");
  put("x/0.0", std::string("\0\1\1\0\0\2\1\1\0\3\1\2", 12));  // columns (1, 256), (2, 257), (3, 258)
  EXPECT_THAT(reals("x"), ElementsAre(1, 2, 3, 256, 257, 258));
}

TEST_F(ZarrStore, ATransposeOfThreeAxesIsUndone) {
  version3();
  // Stored axis k is axis order[k]: stored shape (4, 2, 3) for (2, 3, 4).
  array3(
      "x", "[2, 3, 4]", "[2, 3, 4]", R"("float32")",
      R"([{"name": "transpose", "configuration": {"order": [2, 0, 1]}}, {"name": "bytes", "configuration": {"endian": "little"}}])");
  std::vector<float> stored;
  for (int c = 0; c < 4; ++c)
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 3; ++b) stored.push_back(static_cast<float>(100 * a + 10 * b + c));
  put_values("x/c/0/0/0", stored);
  const std::vector<double> found = reals("x");
  std::size_t at = 0;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 4; ++c) EXPECT_EQ(found[at++], 100 * a + 10 * b + c);
}

TEST_F(ZarrStore, HalvesAreExactAtTheirEdges) {
  array2("x", "[8]", "[8]", "<f2");
  put_values<std::uint16_t>("x/0", {0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x7e00});
  const std::vector<double> found = reals("x");
  EXPECT_EQ(found[0], 0);
  EXPECT_TRUE(std::signbit(found[1]));
  EXPECT_EQ(found[2], 1);
  EXPECT_EQ(found[3], -2);
  EXPECT_EQ(found[4], 65504);
  EXPECT_EQ(found[5], std::ldexp(1.0, -24));
  EXPECT_EQ(found[6], INFINITY);
  EXPECT_TRUE(std::isnan(found[7]));
}

TEST_F(ZarrStore, TextsOfEveryCodingAreRead) {
  const auto variable = [](std::initializer_list<std::string> items) {
    std::string bytes = bytes_of<std::uint32_t>({static_cast<std::uint32_t>(items.size())});
    for (const std::string& item : items)
      bytes += bytes_of<std::uint32_t>({static_cast<std::uint32_t>(item.size())}) + item;
    return bytes;
  };
  array2("variable", "[3]", "[2]", "|O",
         R"("order": "C", "compressor": null, "filters": [{"id": "vlen-utf8"}], "fill_value": 0)");
  put("variable/0", variable({"a", "\xc3\xa9t\xc3\xa9"}));
  put("variable/1", variable({"", "padding"}));
  EXPECT_THAT(texts("variable"), ElementsAre("a", "\xc3\xa9t\xc3\xa9", ""));
  array2("unicode", "[2]", "[2]", "<U2", R"("order": "C", "compressor": null, "filters": null, "fill_value": "")");
  put_values<std::uint32_t>("unicode/0", {0x1f600, 0, 'x', 0xe9});
  EXPECT_THAT(texts("unicode"), ElementsAre("\xf0\x9f\x98\x80", "x\xc3\xa9"));
  array2("bytes", "[2]", "[2]", "|S3", R"("order": "C", "compressor": null, "filters": null, "fill_value": "AAAA")");
  put("bytes/0", std::string("ab\0abc", 6));
  EXPECT_THAT(texts("bytes"), ElementsAre("ab", "abc"));
  put("variable/0", variable({"a"}));
  EXPECT_THAT(message_of([&] { texts("variable"); }), HasSubstr("2 texts"));
  put("variable/0", variable({"a", "b"}).substr(0, 12));
  EXPECT_THAT(message_of([&] { texts("variable"); }), HasSubstr("cut short"));
}

TEST_F(ZarrStore, AShardGivesItsChunksAndSaysWhereItLies) {
  version3();
  const std::string sharding =
      R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "codecs": [{"name": "bytes"}],
          "index_codecs": [{"name": "bytes"}, {"name": "crc32c"}]}}])";
  array3("x", "[7]", "[6]", R"("int8")", sharding, R"("fill_value": 5)");
  const auto shard = [](const std::vector<std::uint64_t>& entries, const std::string& data) {
    const std::string index = bytes_of(entries);
    const std::uint32_t checksum = crc32c(std::as_bytes(std::span(index)));
    return data + index + bytes_of<std::uint32_t>({checksum});
  };
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  put("x/c/0", shard({2, 2, kNone, kNone, 0, 2}, "\x04\x03\x02\x01"));
  EXPECT_THAT(reals("x"), ElementsAre(2, 1, 5, 5, 4, 3, 5));
  put("x/c/0", shard({2, 2, kNone, kNone, 1 << 20, 2}, "\x04\x03\x02\x01"));
  EXPECT_THAT(complaint("x"), HasSubstr("cut short"));
  put("x/c/0", shard({2, 1, kNone, kNone, 0, 2}, "\x04\x03\x02\x01"));
  EXPECT_THAT(complaint("x"), HasSubstr("1 bytes instead of 2"));
  put("x/c/0", shard({2, std::uint64_t{1} << 60, kNone, kNone, 0, 2}, "\x04\x03\x02\x01"));
  EXPECT_THAT(complaint("x"), HasSubstr("cannot be"));
  std::string broken = shard({2, 2, kNone, kNone, 0, 2}, "\x04\x03\x02\x01");
  broken[10] = 'x';
  put("x/c/0", broken);
  EXPECT_THAT(complaint("x"), HasSubstr("checksum"));
  put("x/c/0", "short");
  EXPECT_THAT(complaint("x"), HasSubstr("no room for its index"));
}

TEST_F(ZarrStore, FillValuesOfEverySpellingAreUnderstood) {
  version3();
  const std::string bytes = R"([{"name": "bytes", "configuration": {"endian": "little"}}])";
  array3("nan", "[1]", "[1]", R"("float32")", bytes, R"("fill_value": "NaN")");
  array3("inf", "[1]", "[1]", R"("float64")", bytes, R"("fill_value": "-Infinity")");
  array3("bits", "[1]", "[1]", R"("float32")", bytes, R"("fill_value": "0x3f800000")");
  array3("large", "[1]", "[1]", R"("uint64")", bytes, R"("fill_value": 18446744073709551615)");
  array3("flag", "[2]", "[1]", R"("bool")", bytes, R"("fill_value": true)");
  EXPECT_TRUE(std::isnan(reals("nan")[0]));
  EXPECT_EQ(reals("inf")[0], -INFINITY);
  EXPECT_EQ(reals("bits")[0], 1);
  EXPECT_EQ(reals("large")[0], 18446744073709551615.0);
  EXPECT_THAT(reals("flag"), ElementsAre(1, 1));
  array3("bad", "[1]", "[1]", R"("float32")", bytes, R"("fill_value": "0x3f")");
  EXPECT_THAT(complaint("bad"), HasSubstr("fill value"));
}

TEST_F(ZarrStore, MembersKindsAndAttributesAreThoseOfTheNodesThemselves) {
  put("a/.zgroup", R"({"zarr_format": 2})");
  put("a/.zattrs",
      R"({"word": "w", "words": ["x", "y"], "none": [], "flag": true, "shape": [3, 4], "mixed": [1, "x"]})");
  array2("a/x", "[]", "[]", "<i4");
  put_values<std::int32_t>("a/x/0", {42});
  put("a/no_node/file", "x");
  put("broken/.zarray", "{");
  const auto root = open_store(root_);
  EXPECT_THAT(root->members(), ElementsAre("a", "broken"));
  EXPECT_EQ(root->kind("a"), LinkKind::kGroup);
  EXPECT_EQ(root->kind("a/x"), LinkKind::kDataset);
  EXPECT_EQ(root->kind("broken"), LinkKind::kBroken);
  for (const char* out : {"..", "a/../a", "/a", "a/", "", ".", "a//x", "../s.zarr/a"})
    EXPECT_EQ(root->kind(out), LinkKind::kMissing) << out;
  const auto group = root->group("a");
  EXPECT_THAT(group->members(), ElementsAre("x"));
  EXPECT_EQ(group->text_attribute("word"), "w");
  EXPECT_EQ(group->text_attribute("words"), std::nullopt);
  EXPECT_THAT(*group->texts_attribute("words"), ElementsAre("x", "y"));
  EXPECT_TRUE(group->texts_attribute("none")->empty());
  EXPECT_THAT(*group->integers_attribute("flag"), ElementsAre(1));
  EXPECT_THAT(*group->integers_attribute("shape"), ElementsAre(3, 4));
  EXPECT_EQ(group->integers_attribute("mixed"), std::nullopt);
  EXPECT_THAT(reals("a/x"), ElementsAre(42));
  EXPECT_THAT(message_of([&] { root->group("nowhere"); }), HasSubstr("expected a group nowhere, found nothing"));
  EXPECT_THAT(message_of([&] { root->dataset("a"); }), HasSubstr("expected a data set a, found a group"));
  EXPECT_THAT(message_of([&] { root->group("broken"); }), HasSubstr("no JSON object"));
}

TEST_F(ZarrStore, ShapesThatOverflowAndChunksThatAreTooLargeAreRefused) {
  const std::pair<const char*, const char*> cases[] = {{"[4611686018427387904, 4611686018427387904]", "[1, 1]"},
                                                       {"[0, 4611686018427387904, 8]", "[1, 1, 1]"},
                                                       {"[5]", "[4294967296]"},
                                                       {"[5]", "[0]"},
                                                       {"[5]", "[5, 1]"},
                                                       {"[-5]", "[5]"},
                                                       {"5", "[5]"}};
  for (const auto& [shape, chunks] : cases) {
    array2("x", shape, chunks, "<f8");
    EXPECT_NE(complaint("x"), "") << shape;
  }
  array2("x", "[1000000000]", "[1]", "|i1");
  EXPECT_THAT(complaint("x"), HasSubstr("claims 1,000,000,000 values"));
}

// Two files of the same cells, as others wrote them.
class ZarrReal : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(std::string(SCVET_REAL_DIR) + "/anndata_v0.7.0.zarr.zip"))
      GTEST_SKIP() << "SCVET_REAL_DIR: " << SCVET_REAL_DIR << " is not there";
  }
  static CellChunk whole(const std::string& file, const std::string& matrix) {
    const auto cells = open_cells(std::string(SCVET_REAL_DIR) + "/" + file);
    const auto source = cells->open_matrix(matrix);
    CellChunk chunk, all;
    all.indptr = {0};
    const std::int64_t n_cells = source->info().n_cells;
    for (std::int64_t first = 0; first < n_cells; first += 100) {  // across the borders of chunks
      source->read(first, std::min<std::int64_t>(100, n_cells - first), chunk);
      for (std::int64_t cell = 0; cell < chunk.n_cells; ++cell)
        all.indptr.push_back(all.indptr.back() + chunk.indptr[static_cast<std::size_t>(cell) + 1] -
                             chunk.indptr[static_cast<std::size_t>(cell)]);
      all.genes.insert(all.genes.end(), chunk.genes.begin(), chunk.genes.end());
      all.values.insert(all.values.end(), chunk.values.begin(), chunk.values.end());
    }
    return all;
  }
};

TEST_F(ZarrReal, TwinsHoldTheSameValuesInEveryMatrix) {
  const std::pair<std::pair<const char*, const char*>, const char*> twins[] = {
      {{"anndata_v0.7.0.h5ad", "anndata_v0.7.0.zarr.zip"}, "X"},
      {{"anndata_v0.7.0.h5ad", "anndata_v0.7.0.zarr.zip"}, "raw/X"},
      {{"anndata_v0.7.0.h5ad", "anndata_v0.7.0.zarr.zip"}, "layers/array"},
      {{"anndata_v0.7.0.h5ad", "anndata_v0.7.0.zarr.zip"}, "layers/sparse"},
      {{"anndata_v0.5.0_pbmc68k_reduced.h5ad", "scanpy_pbmc68k_reduced.zarr.zip"}, "X"}};
  for (const auto& [files, matrix] : twins) {
    const CellChunk a = whole(files.first, matrix), b = whole(files.second, matrix);
    EXPECT_GT(a.values.size(), 0u);
    EXPECT_EQ(a.indptr, b.indptr) << files.second << " " << matrix;
    EXPECT_EQ(a.genes, b.genes);
    EXPECT_EQ(a.values, b.values);
  }
}

TEST_F(ZarrReal, EmbeddingsOfTwinsAreTheSame) {
  const std::string real = SCVET_REAL_DIR;
  const auto h5ad = open_cells(real + "/anndata_v0.7.0.h5ad"), zarr = open_cells(real + "/anndata_v0.7.0.zarr.zip");
  EXPECT_EQ(h5ad->read_obsm("array").values, zarr->read_obsm("array").values);
  EXPECT_EQ(h5ad->read_obsm("sparse").values, zarr->read_obsm("sparse").values);
}

}  // namespace
}  // namespace scvet::io::zarr
