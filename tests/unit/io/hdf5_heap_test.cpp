#include "hdf5/hdf5_heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "hdf5_builder.h"

namespace scvet::io::hdf5 {
namespace {
using testing::HasSubstr;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(Hdf5Heap, ManyTextsReadBackIncludingEmptyLongAndForeignOnes) {
  std::vector<std::string> texts = {"", "a", "12345678", "β-globin", std::string(100000, 'x')};
  for (int at = 0; at < 5000; ++at) texts.push_back("gene_" + std::to_string(at));
  Hdf5Builder builder;
  builder.texts("names", texts).attribute("names", "order", std::vector<std::string>{"u", "", "longer than eight"});
  const Dataset names = builder.open().dataset("names");
  EXPECT_EQ(names.read_texts(), texts);
  EXPECT_EQ(names.texts_attribute("order").value(), (std::vector<std::string>{"u", "", "longer than eight"}));
}

TEST(Hdf5Heap, CompressedListsAndCompoundFieldsKeepTheirTexts) {
  struct Row {
    const char* name;
    int number;
  };
  const Row rows[] = {{"first", 1}, {"second", 2}};
  Hdf5Builder builder;
  const Handle text(H5Tcopy(H5T_C_S1)), type(H5Tcreate(H5T_COMPOUND, sizeof(Row))), list(H5Pcreate(H5P_DATASET_CREATE));
  H5Tset_size(text.get(), H5T_VARIABLE);
  H5Tinsert(type.get(), "name", HOFFSET(Row, name), text.get());
  H5Tinsert(type.get(), "number", HOFFSET(Row, number), H5T_NATIVE_INT);
  const hsize_t chunk = 1;
  H5Pset_chunk(list.get(), 1, &chunk);
  H5Pset_deflate(list.get(), 4);
  builder.raw("table", type.get(), {2}, rows, list.get());
  const Dataset table = builder.open().dataset("table");
  EXPECT_EQ(table.read_texts("name"), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(table.read_integers("number"), (std::vector<std::int64_t>{1, 2}));
}

TEST(Hdf5Heap, FilesWithAUserBlockRead) {
  Hdf5Builder builder;
  builder.texts("names", {"TP53", "MYC"});
  const std::string plain = builder.path();
  const std::string path = builder.folder() + "/block.h5";
  {
    const Handle creation(H5Pcreate(H5P_FILE_CREATE));
    H5Pset_userblock(creation.get(), 1024);
    const Handle target(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), H5P_DEFAULT));
    const Handle source(H5Fopen(plain.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    ASSERT_GE(H5Ocopy(source.get(), "names", target.get(), "names", H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  EXPECT_EQ(open_file(path).dataset("names").read_texts(), (std::vector<std::string>{"TP53", "MYC"}));
}

// Each damage once made HDF5 1.10 read outside its memory.
TEST(Hdf5Heap, DamagedHeapsGiveAnErrorThatNamesTheText) {
  Hdf5Builder builder;
  builder.texts("names", {"TP53", "MYC", "EGFR"});
  const std::string path = builder.path();
  const std::string sound = bytes_of(path);
  const std::size_t heap = sound.find("GCOL");
  ASSERT_NE(heap, std::string::npos);
  struct Damage {
    std::size_t offset;
    std::string bytes;
    const char* expected;
  };
  const Damage damages[] = {
      {heap, "XXXX", "no sound heap"},
      {heap + 8, std::string(8, '\xff'), "no sound heap"},
      {heap + 16, std::string("\x63\x00", 2), "no item of its number"},
      {heap + 16 + 8, std::string(7, '\xff'), "longer than the heap"},
      {heap + 16 + 8, std::string("\x01\0\0\0\0\0\0\0", 8), "item is shorter"},
  };
  for (const Damage& damage : damages) {
    std::string bytes = sound;
    bytes.replace(damage.offset, damage.bytes.size(), damage.bytes);
    put_bytes(path, bytes);
    const std::string message = message_of([&] { open_file(path).dataset("names").read_texts(); });
    EXPECT_THAT(message, testing::ContainsRegex("names: text [02] cannot be read"));
    EXPECT_THAT(message, HasSubstr(damage.expected));
  }
}

TEST(Hdf5Heap, AReferenceBeyondTheFileIsAnError) {
  Hdf5Builder builder;
  builder.texts("names", {"TP53"});
  const std::string path = builder.path();
  std::string bytes = bytes_of(path);
  // The reference: length 4, then the heap's address.
  const std::uint64_t heap = bytes.find("GCOL");
  std::string reference("\x04\0\0\0", 4);
  reference.append(reinterpret_cast<const char*>(&heap), 8);
  const std::size_t at = bytes.find(reference);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at + 4, 8, std::string(7, '\xee') + std::string(1, '\0'));
  put_bytes(path, bytes);
  EXPECT_THAT(message_of([&] { open_file(path).dataset("names").read_texts(); }),
              HasSubstr("beyond the end of the file"));
}

}  // namespace
}  // namespace scvet::io::hdf5
