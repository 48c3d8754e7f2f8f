#include "anndata/anndata_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hdf5/hdf5_store.h"
#include "hdf5_builder.h"

namespace scvet::io::anndata {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Reads the frame "obs" of a file.
struct Read {
  Table table;
  std::vector<std::string> notes;
};
Read read_obs(Hdf5Builder& builder, bool with_uns = false) {
  const store::GroupPtr root = hdf5::open_store(builder.path());
  Notes notes;
  Read result;
  const store::GroupPtr uns = with_uns ? root->group("uns") : nullptr;
  result.table = read_table(*root, "obs", uns.get(), notes);
  result.notes = notes.lines();
  return result;
}

const Column& column(const Read& read, const char* name) {
  const Column* found = read.table.find(name);
  if (!found) throw std::runtime_error(std::string("no column ") + name + "; " + testing::PrintToString(read.notes));
  return *found;
}

TEST(AnnDataTable, TypedGroupsReadWithMissingValuesAndOrder) {
  Hdf5Builder builder;
  builder.frame("obs", {"a", "b", "c"}, {"type", "count", "flag", "name", "plain"})
      .numbers<std::int8_t>("obs/type/codes", {1, -1, 0})
      .texts("obs/type/categories", {"T", "B"})
      .encoding("obs/type", "categorical", "0.2.0")
      .boolean_attribute("obs/type", "ordered", true)
      .numbers<std::int32_t>("obs/count/values", {5, 6, 7})
      .booleans("obs/count/mask", {0, 1, 0})
      .encoding("obs/count", "nullable-integer", "0.1.0")
      .booleans("obs/flag/values", {1, 0, 1})
      .booleans("obs/flag/mask", {0, 0, 1})
      .encoding("obs/flag", "nullable-boolean", "0.1.0")
      .texts("obs/name/values", {"x", "", "z"})
      .booleans("obs/name/mask", {0, 1, 0})
      .encoding("obs/name", "nullable-string-array", "0.1.0")
      .numbers<std::uint8_t>("obs/plain", {1, 2, 255});
  const Read read = read_obs(builder);
  EXPECT_THAT(read.notes, IsEmpty());
  EXPECT_THAT(read.table.column_names(), ElementsAre("type", "count", "flag", "name", "plain"));
  EXPECT_EQ(column(read, "type").dtype, "category");
  EXPECT_TRUE(column(read, "type").ordered);
  EXPECT_EQ(column(read, "type").text(0), "B");
  EXPECT_TRUE(column(read, "type").is_missing(1));
  EXPECT_EQ(column(read, "count").dtype, "Int32");
  EXPECT_EQ(column(read, "count").text(2), "7");
  EXPECT_TRUE(column(read, "count").is_missing(1));
  EXPECT_EQ(column(read, "flag").dtype, "boolean");
  EXPECT_TRUE(column(read, "flag").is_missing(2));
  EXPECT_EQ(column(read, "name").dtype, "string");
  EXPECT_TRUE(column(read, "name").is_missing(1));
  EXPECT_EQ(column(read, "plain").dtype, "uint8");
}

TEST(AnnDataTable, ASingleCategoryMayBeAScalarEvenANumber) {
  Hdf5Builder builder;
  builder.frame("obs", {"a", "b"}, {"text", "number", "real"})
      .numbers<std::int8_t>("obs/text/codes", {0, 0})
      .text("obs/text/categories", "only")
      .encoding("obs/text", "categorical", "0.2.0")
      .numbers<std::int8_t>("obs/number/codes", {0, -1})
      .scalar<std::int64_t>("obs/number/categories", 42)
      .encoding("obs/number", "categorical", "0.2.0")
      .numbers<std::int8_t>("obs/real/codes", {0, 0})
      .scalar<double>("obs/real/categories", 1)
      .encoding("obs/real", "categorical", "0.2.0");
  const Read read = read_obs(builder);
  EXPECT_EQ(column(read, "text").text(1), "only");
  EXPECT_EQ(column(read, "number").text(0), "42");
  EXPECT_EQ(column(read, "real").text(0), "1.0");  // as Python prints it
}

TEST(AnnDataTable, CategoriesOf07AreFoundByReferenceAndByName) {
  Hdf5Builder builder;
  builder.frame("obs", {"a", "b"}, {"by_reference", "by_name", "number"})
      .numbers<std::int8_t>("obs/by_reference", {1, 0})
      .numbers<std::int8_t>("obs/by_name", {0, -1})
      .numbers<std::int64_t>("obs/number", {3, 4})
      .texts("obs/__categories/elsewhere", {"T", "B"})
      .texts("obs/__categories/by_name", {"x"})
      .boolean_attribute("obs/__categories/elsewhere", "ordered", true)
      .reference_attribute("obs/by_reference", "categories", "obs/__categories/elsewhere");
  const Read read = read_obs(builder);
  EXPECT_THAT(read.notes, IsEmpty());
  EXPECT_EQ(column(read, "by_reference").text(0), "B");
  EXPECT_TRUE(column(read, "by_reference").ordered);
  EXPECT_EQ(column(read, "by_name").text(0), "x");
  EXPECT_TRUE(column(read, "by_name").is_missing(1));
  EXPECT_EQ(column(read, "number").dtype, "int64");
}

TEST(AnnDataTable, OneBadColumnDoesNotLoseTheTable) {
  Hdf5Builder builder;
  builder.frame("obs", {"a", "b"}, {"codes", "short", "strange", "absent", "good"})
      .numbers<std::int8_t>("obs/codes/codes", {0, 5})
      .texts("obs/codes/categories", {"T"})
      .encoding("obs/codes", "categorical", "0.2.0")
      .numbers<std::int32_t>("obs/short", {1})
      .numbers<std::int32_t>("obs/strange", {1, 2})
      .encoding("obs/strange", "interval", "7.1")
      .numbers<double>("obs/good", {0.5, 1.5});
  const Read read = read_obs(builder);
  EXPECT_THAT(read.table.column_names(), ElementsAre("good"));
  ASSERT_EQ(read.notes.size(), 4u);
  EXPECT_THAT(read.notes[0], HasSubstr("column 'codes' of obs left out"));
  EXPECT_THAT(read.notes[0], HasSubstr("do not fit its 1 categories"));
  EXPECT_THAT(read.notes[1], HasSubstr("1 values for 2 rows"));
  EXPECT_THAT(read.notes[2], HasSubstr("encoding 'interval' version '7.1'"));
  EXPECT_THAT(read.notes[3], HasSubstr("nothing of that name"));
}

TEST(AnnDataTable, AnUnknownEncodingOfTheIndexIsAnErrorAndNeverAnEmptyTable) {
  Hdf5Builder type, version;
  type.texts("obs/_index", {"a"})
      .encoding("obs/_index", "rope-array", "0.1.0")
      .encoding("obs", "dataframe", "0.2.0")
      .attribute("obs", "_index", "_index");
  EXPECT_THAT(message_of([&] { read_obs(type); }), HasSubstr("encoding 'rope-array' version '0.1.0'"));
  version.texts("obs/_index", {"a"})
      .encoding("obs/_index", "string-array", "1.0.0")
      .encoding("obs", "dataframe", "0.2.0")
      .attribute("obs", "_index", "_index");
  EXPECT_THAT(message_of([&] { read_obs(version); }), HasSubstr("known versions: 0.2"));
}

TEST(AnnDataTable, AnUnknownEncodingOfTheTableIsAnError) {
  Hdf5Builder builder;
  builder.texts("obs/_index", {"a"}).encoding("obs", "dataframe", "3.0.0").attribute("obs", "_index", "_index");
  EXPECT_THAT(message_of([&] { read_obs(builder); }), HasSubstr("encoding 'dataframe' version '3.0.0'"));
}

TEST(AnnDataTable, NullableNamesOfPandas3AreAnIndex) {
  Hdf5Builder builder;
  builder.texts("obs/_index/values", {"a", "b"})
      .booleans("obs/_index/mask", {0, 0})
      .encoding("obs/_index", "nullable-string-array", "0.1.0")
      .encoding("obs", "dataframe", "0.2.0")
      .attribute("obs", "_index", "_index")
      .attribute("obs", "column-order", std::vector<std::string>{});
  EXPECT_THAT(read_obs(builder).table.names, ElementsAre("a", "b"));
}

TEST(AnnDataTable, NumbersAsNamesBecomeTexts) {
  Hdf5Builder builder;
  builder.numbers<std::int64_t>("obs/index", {0, 1}).attribute("obs", "_index", "index");
  const Read read = read_obs(builder);
  EXPECT_THAT(read.table.names, ElementsAre("0", "1"));
  EXPECT_EQ(read.table.index_name, "index");
}

TEST(AnnDataTable, TheReservedNameOfConvertersIsToleratedWithANote) {
  Hdf5Builder listed, column_of_that_name;
  listed.frame("obs", {"a"}, {"_index", "n"}).numbers<std::int32_t>("obs/n", {1});
  const Read read = read_obs(listed);
  EXPECT_THAT(read.table.column_names(), ElementsAre("n"));
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_THAT(read.notes[0], HasSubstr("reserved name '_index'"));
  column_of_that_name.texts("obs/features", {"g1"})
      .texts("obs/_index", {"ENSG1"})
      .attribute("obs", "_index", "features")
      .attribute("obs", "column-order", std::vector<std::string>{"_index"});
  const Read other = read_obs(column_of_that_name);
  EXPECT_THAT(other.table.names, ElementsAre("g1"));
  EXPECT_EQ(column(other, "_index").text(0), "ENSG1");
  EXPECT_THAT(other.notes.at(0), HasSubstr("reserved name"));
}

TEST(AnnDataTable, AMissingIndexIsNamed) {
  Hdf5Builder builder;
  builder.numbers<std::int32_t>("obs/n", {1}).attribute("obs", "_index", "cells");
  EXPECT_THAT(message_of([&] { read_obs(builder); }), HasSubstr("obs: its index 'cells' is missing"));
}

// A compound table as anndata 0.5 wrote it.
struct Row {
  char index[4];
  std::int8_t type;
  std::int64_t number;
};
void put_compound(Hdf5Builder& builder) {
  const hdf5::Handle text(H5Tcopy(H5T_C_S1)), type(H5Tcreate(H5T_COMPOUND, sizeof(Row)));
  H5Tset_size(text.get(), 4);
  H5Tset_strpad(text.get(), H5T_STR_NULLPAD);
  H5Tinsert(type.get(), "index", HOFFSET(Row, index), text.get());
  H5Tinsert(type.get(), "type", HOFFSET(Row, type), H5T_NATIVE_INT8);
  H5Tinsert(type.get(), "number", HOFFSET(Row, number), H5T_NATIVE_INT64);
  const Row rows[] = {{"a", 1, 10}, {"b", -1, 20}};
  builder.raw("obs", type.get(), {2}, rows);
}

TEST(AnnDataTable, CompoundTablesTakeCategoriesFromUns) {
  Hdf5Builder builder;
  put_compound(builder);
  builder.texts("uns/type_categories", {"T", "B"});
  const Read read = read_obs(builder, true);
  EXPECT_THAT(read.table.names, ElementsAre("a", "b"));
  EXPECT_EQ(column(read, "type").dtype, "category");
  EXPECT_EQ(column(read, "type").text(0), "B");
  EXPECT_TRUE(column(read, "type").is_missing(1));
  EXPECT_EQ(column(read, "number").integers.at(1), 20);
}

TEST(AnnDataTable, AUsersKeyThatDoesNotFitTheCodesIsNoCategoryTable) {
  Hdf5Builder builder;
  put_compound(builder);
  builder.texts("uns/type_categories", {"T", "B"}).texts("uns/number_categories", {"x", "y"});
  const Read read = read_obs(builder, true);
  EXPECT_EQ(column(read, "number").dtype, "int64");
  EXPECT_THAT(read.notes.at(0), HasSubstr("uns/number_categories does not fit"));
}

TEST(AnnDataTable, APlainListIsNoTable) {
  Hdf5Builder builder;
  builder.texts("obs", {"a", "b"});
  EXPECT_THAT(message_of([&] { read_obs(builder); }), HasSubstr("expected a table"));
}

}  // namespace
}  // namespace scvet::io::anndata
